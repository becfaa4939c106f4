import type { Connection } from '../../domain/connections/connection.ts';
import type { NewerConnection } from '../../domain/connections/newer-connection.ts';
import { phoneHash } from '../../domain/connections/phone-hash.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { ACTIVITY_DAYS } from '../../domain/organizations/retention.ts';
import { toE164 } from '../../domain/text/national-number.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { CallBrief } from '../../stores/calls/call-briefs.ts';
import type { CallSearch } from '../../stores/calls/call-search.ts';
import type { ActivityStore, ShownEntry } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { DoNotCallEntry, DoNotCallStore } from '../../stores/organizations/do-not-call.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AsOfNow, type DecideAsOfNowDeps, decideAsOfNow } from './steps/decide-as-of-now.ts';
import { type FindLeadEventsDeps, findEventsOfHash, findLeadEvents } from './steps/find-lead-events.ts';
import { type FindOtherCallDeps, findOtherCall } from './steps/find-other-call.ts';

const ACTIVITY_SECONDS = ACTIVITY_DAYS * 24 * 60 * 60;
const MAX_CALLS = 50;

export type ExplainLeadDeps = FindLeadEventsDeps &
  FindOtherCallDeps &
  DecideAsOfNowDeps & {
    organizations: Pick<OrganizationStore, 'get'>;
    connections: Pick<ConnectionStore, 'get' | 'listToShow'>;
    activity: Pick<ActivityStore, 'get' | 'ofPhone' | 'ofLead' | 'entriesOf'>;
    callSearch: Pick<CallSearch, 'pageOfPhone'>;
    doNotCall: Pick<DoNotCallStore, 'has' | 'getMany'>;
  };

export type LeadExplanation = {
  /** How the question was read. */
  asked: { phone: string | undefined; leadId: string };
  /** Newest first. */
  entries: readonly ShownEntry[];
  hasMore: boolean;
  /** The last event with its outcome; absent if no event has arrived, or only a newer version knows its connection. */
  last?: {
    entry: ShownEntry;
    connection: Connection;
    call: CallBrief | undefined;
    /** The call of another event that prevented it. */
    otherCall: CallBrief | undefined;
    now: AsOfNow;
  };
  /** Facts about the number, if it is known. */
  number?: { phone: string; isOwn: boolean; listed: DoNotCallEntry | undefined };
  /** The calls of 90 days to the number, and those that the events name, by their ids. */
  calls: ReadonlyMap<string, CallBrief>;
  /** The organization's connections to CRMs. */
  connections: readonly Connection[];
  newerConnections: readonly NewerConnection[];
};

/**
 * Explains why a lead was or was not called (docs/leads.md, "Why was a lead not called?"). Read-only.
 * @param question a phone number in any usual form, or a lead id
 * @returns undefined if the organization does not exist
 */
export async function explainLead(
  deps: ExplainLeadDeps,
  orgId: string,
  question: string,
): Promise<LeadExplanation | undefined> {
  const [org, all] = await Promise.all([deps.organizations.get(orgId), deps.connections.listToShow(orgId)]);
  if (!org) return undefined;
  const connections = all.known.filter(({ type }) => type !== 'help-desk');
  const asked = { phone: toE164(question, org.default_region), leadId: question };
  const isKnown = (entry: ShownEntry | undefined) =>
    connections.some(({ connection_id }) => connection_id === entry?.connection_id);
  const { entries, hasMore } = await findLeadEvents(deps, orgId, [...connections, ...all.newer], asked);
  const hash = entries[0]?.phone_hash;
  const ofNumber = asked.phone === undefined && hash !== undefined ? await findEventsOfHash(deps, hash) : [];
  const named = [...entries, ...ofNumber].flatMap(({ call_id }) => call_id ?? []);
  const calls = await deps.calls.get(orgId, named);
  const phone = asked.phone ?? phoneAmong(calls, orgId, hash);
  const [last, number] = await Promise.all([
    explainLast(deps, org, isKnown(entries[0]) ? entries[0] : undefined, phone, calls),
    phone === undefined ? undefined : factsOf(deps, org, phone),
  ]);
  const toNumber = phone === undefined ? [] : await callsTo(deps, orgId, phone);
  const others = [...toNumber, ...(last?.otherCall ? [last.otherCall] : [])];
  const allCalls = new Map([...calls, ...others.map((call) => [call.call_id, call] as const)]);
  return {
    asked,
    entries,
    hasMore,
    calls: allCalls,
    connections,
    newerConnections: all.newer,
    ...(last && { last }),
    ...(number && { number }),
  };
}

/** Lists the newest fifty calls to a number while Activity is stored, including calls by REST. */
async function callsTo(
  { callSearch, calls, now }: ExplainLeadDeps,
  orgId: string,
  phone: string,
): Promise<CallBrief[]> {
  const from = secondsAfter(now(), -ACTIVITY_SECONDS);
  const { items } = await callSearch.pageOfPhone(orgId, phone, { from, limit: MAX_CALLS });
  const found = await calls.get(
    orgId,
    items.map(({ call_id }) => call_id),
  );
  return [...found.values()];
}

/** Finds the number behind a hash among the numbers that were called. */
const phoneAmong = (calls: LeadExplanation['calls'], orgId: string, hash: string | undefined): string | undefined =>
  [...calls.values()].map(({ phone_number }) => phone_number).find((phone) => phoneHash(orgId, phone) === hash);

async function explainLast(
  deps: ExplainLeadDeps,
  org: Organization,
  entry: ShownEntry | undefined,
  phone: string | undefined,
  calls: ReadonlyMap<string, CallBrief>,
): Promise<LeadExplanation['last'] | undefined> {
  // Read again, consistently: the list comes from an index.
  const connection = entry && (await deps.connections.get(entry.connection_id));
  if (!entry || !connection) return undefined;
  const call = calls.get(entry.call_id ?? '');
  const [now, otherCall] = await Promise.all([
    decideAsOfNow(deps, entry, connection, org, { phone, call }),
    findOtherCall(deps, entry, phone, deps.now()),
  ]);
  return { entry, connection, call, otherCall, now };
}

async function factsOf(
  { doNotCall }: Pick<ExplainLeadDeps, 'doNotCall'>,
  { org_id, platform_numbers }: Organization,
  phone: string,
): Promise<LeadExplanation['number']> {
  const [listed] = await doNotCall.getMany(org_id, [phone]);
  return { phone, isOwn: platform_numbers.includes(phone), listed };
}
