import type { RetryableOutcome } from '../../shared/domain/connections/activity.ts';
import { retryableOutcomes } from '../../shared/domain/connections/activity.ts';
import type { SlotsWork } from '../../shared/messages/call-work.ts';
import { cancelCall } from '../../shared/operations/calls/cancel-call.ts';
import { forceEndCall } from '../../shared/operations/calls/force-end-call.ts';
import { hangUpCall } from '../../shared/operations/calls/hang-up-call.ts';
import { pauseDialing, resumeDialing } from '../../shared/operations/calls/pause-dialing.ts';
import { retryAllLeads } from '../../shared/operations/leads/retry-leads.ts';
import { addCredit } from '../../shared/operations/organizations/add-credit.ts';
import { addNumbers } from '../../shared/operations/organizations/do-not-call/add-numbers.ts';
import {
  type OrganizationChange,
  updateOrganization,
} from '../../shared/operations/organizations/update-organization.ts';
import { changeConnection } from '../support/connections/change-connection.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';
import { HOLD, type Tenant } from './tenants.ts';

const MINUTE_MS = 60_000;
/** Longer than any index lags behind its table. */
const LAG_MS = 10_000;
/** Enough credit for all calls of a world, in units. */
const PLENTY = 100_000_000;

const SWITCHES = 6;
const SWITCHING_MINUTES = 4;

const OPERATOR = { kind: 'operator', name: 'simulation' } as const;

/** Frequencies of the operators' commands. */
const weights = { cancel: 6, end: 6, pause: 1, suspend: 2, switchOff: 1, topUp: 3, limit: 2, country: 2, doNotCall: 3 };
/** In worlds with a rough platform. */
const roughWeights = { ...weights, hangUp: 6, lines: 4, number: 3 };

/**
 * Simulates operators, who cancel and end calls, pause dialing, suspend and limit organizations, switch connections and
 * countries off and on, put numbers on the do-not-call list, top up credit and retry leads.
 */
export function operatorOf({ timeline, random, rates, processes }: QueueParts, { deps, tables }: Service) {
  const operate = (what: string, work: () => Promise<unknown>): void =>
    void processes.run(`operator: ${what}`, work, false);
  const later = (minutes: number, what: string, work: () => Promise<unknown>) =>
    timeline.after(minutes * MINUTE_MS, () => void insist(what, work));
  let open = 0;
  /** Runs a command until it succeeds, because an operator repeats a failed command. */
  const insist = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    open += 1;
    while (!(await processes.run(`operator: ${what}`, work, false)))
      await new Promise<void>((resolve) => timeline.after(random.whole(1_000, 60_000), resolve));
    open -= 1;
  };
  const since = timeline.date().toISOString();
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    return String(tokens);
  };
  let topUps = 0;
  const orgDeps = { ...deps, handOverSlots: (work: SlotsWork) => deps.slotsQueue.send(work), newToken };
  /** Tops up, and retries the leads of these outcomes, once the index of Activity shows them. */
  const topUp = async ({ orgId, connections }: Tenant, amount: number, outcomes: readonly RetryableOutcome[]) => {
    topUps += 1;
    const addition = { org_id: orgId, amount, reference: `invoice-${topUps}` };
    open += 1;
    await insist(`tops up ${orgId}`, () => addCredit({ ...deps, newToken }, OPERATOR, addition));
    await new Promise<void>((resolve) => timeline.after(LAG_MS, resolve));
    for (const [name, connection_id] of Object.entries(connections))
      for (const outcome of outcomes) {
        const connection = {
          connection_id,
          org_id: orgId,
          type: name === 'a' ? ('crm-a' as const) : ('crm-b' as const),
        };
        const retry = () => retryAllLeads({ ...deps, newToken }, OPERATOR, connection, { outcome, since });
        await insist(`retries ${outcome} of ${connection_id}`, retry);
      }
    open -= 1;
  };
  const change = (org_id: string, wanted: OrganizationChange) =>
    updateOrganization(orgDeps, OPERATOR, { org_id }, wanted);
  const openCalls = () =>
    tables.all('calls').filter(({ unfinished }) => unfinished !== undefined && unfinished !== 'ended');
  const someCall = (): string => {
    const open = openCalls();
    return String(open.length > 0 ? random.pick(open).call_id : 'call_none');
  };

  const acts: Record<keyof typeof roughWeights, (tenant: Tenant) => void> = {
    cancel: () => {
      const callId = someCall();
      operate(`cancels ${callId}`, () => cancelCall({ ...deps, newToken }, OPERATOR, { call_id: callId }));
    },
    end: () => {
      const callId = someCall();
      operate(`ends ${callId}`, () => forceEndCall({ ...deps, newToken }, OPERATOR, callId));
    },
    hangUp: () => {
      const callId = someCall();
      operate(`hangs up ${callId}`, () => hangUpCall({ ...deps, newToken }, OPERATOR, { call_id: callId }));
    },
    number: ({ orgId }) => {
      const voice_number_id = random.pick(['number-0', 'number-1', 'number-2']);
      operate(`gives ${orgId} ${voice_number_id}`, () => change(orgId, { set: { voice_number_id } }));
    },
    lines: ({ orgId }) => {
      const max_live_calls = random.whole(1, 4);
      operate(`gives ${orgId} ${max_live_calls} lines`, () => change(orgId, { set: { max_live_calls } }));
      later(random.whole(1, 60), `gives ${orgId} all lines`, () => change(orgId, { remove: ['max_live_calls'] }));
    },
    pause: () => {
      operate('pauses', () => pauseDialing({ ...deps, newToken }, OPERATOR));
      later(random.whole(1, 15), 'resumes', () => resumeDialing({ ...deps, newToken }, OPERATOR));
    },
    suspend: ({ orgId }) => {
      const suspended_at = timeline.date().toISOString();
      operate(`suspends ${orgId}`, () => change(orgId, { set: { suspended_at } }));
      later(random.whole(1, 30), `resumes ${orgId}`, () => change(orgId, { remove: ['suspended_at'] }));
    },
    limit: ({ orgId }) => {
      const daily_limit = random.whole(0, 10) * HOLD;
      operate(`limits ${orgId} to ${daily_limit}`, () => change(orgId, { set: { daily_limit } }));
    },
    country: ({ orgId }) => {
      const elsewhere = { default_region: 'AE', countries: ['US'] };
      const home = { default_region: 'IN', countries: [] };
      // Runs several times within minutes, to hit the moments between two requests of a dial.
      for (let times = 0; times < SWITCHES; times += 1) {
        const off = random.next() * SWITCHING_MINUTES * MINUTE_MS;
        timeline.after(off, () => operate(`switches India off for ${orgId}`, () => change(orgId, { set: elsewhere })));
        const on = off + random.whole(1_000, 20_000);
        later(on / MINUTE_MS, `switches India on for ${orgId}`, () => change(orgId, { set: home }));
      }
    },
    doNotCall: () => {
      const open = openCalls();
      if (open.length === 0) return;
      const { org_id, phone_number } = random.pick(open);
      const numbers = { org_id: String(org_id), phones: [String(phone_number)] };
      operate(`lists ${phone_number}`, () => addNumbers({ ...deps, newToken }, OPERATOR, numbers));
    },
    switchOff: ({ connections: { b } }) => {
      operate(`switches off ${b}`, () => changeConnection(deps, b, { auto_call: false }));
      later(random.whole(5, 60), `switches on ${b}`, () => changeConnection(deps, b, { auto_call: true }));
    },
    topUp: (tenant) => void topUp(tenant, random.whole(1, 6) * 10_000, ['insufficient_credits', 'expired']),
  };
  return {
    /** Lets an operator run a command. */
    operate: (tenant: Tenant): void => acts[random.weighted(rates.isRough ? roughWeights : weights)](tenant),
    /** Gives an organization enough credit for all its calls, and retries all its leads that can be retried. */
    settle: async (tenant: Tenant): Promise<void> => {
      open += 1;
      await insist(`limits ${tenant.orgId} no more`, () => change(tenant.orgId, { remove: ['daily_limit'] }));
      await topUp(tenant, PLENTY, retryableOutcomes);
      open -= 1;
    },
    isOver: () => open === 0,
  };
}
