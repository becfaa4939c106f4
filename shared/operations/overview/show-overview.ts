import type { UsageDay } from '../../domain/calls/usage/usage.ts';
import { everyDay, latestDays, PACE_DAYS, paceOf } from '../../domain/calls/usage/usage-range.ts';
import { type Connection, isConnected } from '../../domain/connections/connection.ts';
import type { NewerConnection, ShownConnections } from '../../domain/connections/newer-connection.ts';
import { countLeads, type LeadCounts, leadStates } from '../../domain/leads/lead-states.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import {
  type Attention,
  connectionAttention,
  creditAttention,
  leadAttention,
  limitAttention,
} from '../../domain/overview/attention.ts';
import { type FirstSteps, firstSteps, isNew, type OverviewPart } from '../../domain/overview/overview.ts';
import { istDay, startOfIstDay } from '../../domain/time/ist-day.ts';
import type { CallCounts } from '../../stores/calls/call-counts.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { UsageStore } from '../../stores/calls/usage.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { ApiKeyStore } from '../../stores/organizations/api-keys.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { ReadLiveDeps } from '../calls/under-way.ts';
import { type CountsUnderWay, countUnderWay } from '../calls/under-way.ts';

export type ShowOverviewDeps = {
  usage: Pick<UsageStore, 'ofDays' | 'committed'>;
  organizations: Pick<OrganizationStore, 'get'>;
  connections: Pick<ConnectionStore, 'listToShow'>;
  activity: Pick<ActivityStore, 'pageInBrief'>;
  calls: ReadLiveDeps['calls'] & Pick<CallStore, 'waitingOfOrg'>;
  callCounts: Pick<CallCounts, 'recent'>;
  assistants: Pick<AssistantStore, 'page'>;
  apiKeys: Pick<ApiKeyStore, 'listOfOrg'>;
  now: () => Date;
  log: (message: string, facts: object) => void;
};

export type Overview = {
  at: Date;
  unread: OverviewPart[];
  usage: UsageDay[] | undefined;
  org: Organization | undefined;
  /** Units that calls cost or may cost today; read only for an organization with a daily limit. */
  spentToday: number | undefined;
  /** Units that a day costs at the current pace. */
  pace: number | undefined;
  connections: Connection[] | undefined;
  newerConnections: NewerConnection[] | undefined;
  leads: (LeadCounts & { isAll: boolean }) | undefined;
  now: CountsUnderWay | undefined;
  steps: FirstSteps | undefined;
  attention: Attention[];
};

/** The maximum that the overview reads, however large the organization. */
const MAX_ENTRIES = 1000;
const LATEST_CALLS = 200;

const DAY_MS = 24 * 60 * 60 * 1000;
/** A call that could have been dialed for longer than this has waited too long. */
const LONG_WAIT_MS = 10 * 60 * 1000;

/**
 * Reads an organization's overview (docs/dashboard.md, "Overview"). Each part may fail independently; it is then
 * undefined and named in `unread`.
 * @param days how many days of usage, including today.
 */
export async function showOverview(deps: ShowOverviewDeps, orgId: string, days: number): Promise<Overview> {
  const at = deps.now();
  const unread: OverviewPart[] = [];
  const read = async <Value>(part: OverviewPart, act: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await act();
    } catch (error) {
      deps.log('a part of the overview cannot be read', { part, error: (error as Error).name });
      unread.push(part);
      return undefined;
    }
  };
  const reading = read('connections', () => deps.connections.listToShow(orgId));
  const [counted, credit, shown, activity, now, calls, overdue] = await Promise.all([
    read('usage', () => readUsage(deps, orgId, at, days)),
    read('credit', () => readCredit(deps, orgId, at)),
    reading,
    read('leads', async () => readActivity(deps, (await reading) ?? { known: [], newer: [] }, at)),
    read('now', () => countUnderWay(deps, orgId)),
    read('calls', () => deps.callCounts.recent(orgId, LATEST_CALLS)),
    read('now', () => findOverdue(deps, orgId, at)),
  ]);
  const connections = shown?.known;
  const steps =
    calls && isNew(calls) ? await read('steps', () => readSteps(deps, orgId, calls, connections)) : undefined;
  const failed = calls?.filter(({ callback_status }) => callback_status === 'failed').length ?? 0;
  return {
    at,
    unread: [...new Set(unread)],
    usage: counted && everyDay(latestDays(at, days), counted),
    org: credit?.org,
    spentToday: credit?.spentToday,
    pace: counted && paceOf(counted, at),
    connections,
    newerConnections: shown?.newer,
    leads: connections && activity && { ...countLeads(activity.today), isAll: activity.isAll },
    now,
    steps,
    attention: [
      ...(credit ? creditAttention(credit.org) : []),
      ...(credit ? limitAttention(credit.org, credit.spentToday ?? 0) : []),
      ...connectionAttention(connections ?? []),
      ...(activity?.stopped ?? []),
      ...(overdue === undefined ? [] : [{ kind: 'waiting_call' as const, call_id: overdue }]),
      ...(failed > 0 ? [{ kind: 'failed_callbacks' as const, calls: failed }] : []),
    ],
  };
}

/** Reads the days to show, and the days from which the pace is computed. */
function readUsage({ usage }: ShowOverviewDeps, orgId: string, at: Date, days: number): Promise<UsageDay[]> {
  const [from = ''] = latestDays(at, Math.max(days, PACE_DAYS + 1));
  return usage.ofDays(orgId, { from, to: istDay(at) });
}

async function readCredit({ organizations, usage }: ShowOverviewDeps, orgId: string, at: Date) {
  const org = await organizations.get(orgId);
  if (!org) throw new Error(`the organization ${orgId} does not exist`);
  const isLimited = org.daily_limit !== undefined;
  return { org, spentToday: isLimited ? await usage.committed(orgId, istDay(at)) : undefined };
}

/**
 * Reads the outcomes of today's and yesterday's leads: of whole days, because the list of leads is filtered by days.
 */
async function readActivity({ activity }: ShowOverviewDeps, { known, newer }: ShownConnections, at: Date) {
  const since = istDay(new Date(at.getTime() - DAY_MS));
  const from = startOfIstDay(since).toISOString();
  const midnight = startOfIstDay(istDay(at)).toISOString();
  const crms = known.filter(({ type }) => type !== 'help-desk');
  const pages = await Promise.all(
    [...crms, ...newer].map(({ connection_id }) => activity.pageInBrief(connection_id, { from, limit: MAX_ENTRIES })),
  );
  const entries = pages.flatMap(({ items }) => items);
  return {
    stopped: leadAttention(leadStates(entries), crms, since),
    today: leadStates(entries.filter((entry) => entry.at >= midnight)),
    isAll: pages.every(({ items, last }) => !last || (items.at(-1)?.at ?? '') < midnight),
  };
}

/** Finds a call that has waited too long for a line. */
async function findOverdue({ calls }: ShowOverviewDeps, orgId: string, at: Date): Promise<string | undefined> {
  const since = new Date(at.getTime() - LONG_WAIT_MS).toISOString();
  const found = await Promise.all([
    calls.waitingOfOrg(orgId, '1-rest', since, 1),
    calls.waitingOfOrg(orgId, '2-lead', since, 1),
  ]);
  return found.flat()[0];
}

async function readSteps(
  { assistants, apiKeys }: ShowOverviewDeps,
  orgId: string,
  calls: Parameters<typeof firstSteps>[0],
  connections: readonly Connection[] | undefined,
): Promise<FirstSteps> {
  const [known, keys] = await Promise.all([assistants.page(orgId, 1), apiKeys.listOfOrg(orgId)]);
  const isCrmConnected = (connections ?? []).some((one) => one.type !== 'help-desk' && isConnected(one));
  return firstSteps(calls, {
    hasAssistant: known.items.length > 0,
    hasSource: isCrmConnected || keys.some(({ revoked_at }) => revoked_at === undefined),
  });
}
