import type { TableName } from '../../../../lib/tables.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import { type Claim, claimFor } from '../../../../shared/domain/calls/dialing/claim.ts';
import { dayClaimsFor } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { isScheduled } from '../../../../shared/domain/calls/dialing/scheduled-call.ts';
import type { ActivityEntry, RetryableOutcome } from '../../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { callIdForLead, newToken } from '../../../../shared/domain/ids.ts';
import type { Lead } from '../../../../shared/domain/leads/lead.ts';
import type { LedgerEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { DialOutcome, HangUpOutcome, ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import type { DialWork, SlotsWork } from '../../../../shared/messages/call-work.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../../shared/messages/lead-release.ts';
import type { SwitchOff } from '../../../../shared/messages/switch-off.ts';
import { cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { dialOnce } from '../../../../shared/operations/calls/dialing/dial-once.ts';
import { handOverSlots } from '../../../../shared/operations/calls/hand-over-slots.ts';
import { cancelCallsOfConnection } from '../../../../shared/operations/leads/cancel-calls-of-connection.ts';
import { processLead } from '../../../../shared/operations/leads/process-lead.ts';
import { recheckLead } from '../../../../shared/operations/leads/recheck-lead.ts';
import { releaseLead } from '../../../../shared/operations/leads/release-lead.ts';
import { replaceAssistant } from '../../../../shared/operations/leads/replace-assistant.ts';
import { reportSwitchOff } from '../../../../shared/operations/leads/report-switch-off.ts';
import { retryAllLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { sumOfShards } from '../../../../shared/stores/calls/usage.ts';
import { expectUsage } from '../../../support/calls/usage.ts';
import type { Contents, DatabaseOptions, Send } from './database.ts';
import { aConnection, aGrant, anAssistant, anOrg, CREDIT, ist, MONDAY, ORG, TUESDAY } from './items.ts';
import { aWorld } from './world.ts';

export const CONNECTION = 'conn_1';
export const OWNER = 'owner-1';
export const PHONE = '+919876543210';
export const OTHER_PHONE = '+919812345678';
/** The hold for 600 seconds at a rate of 1,000. */
export const HOLD = 10_000;

/** The settings of a call window. */
export const windowOf = (
  start: string,
  end = '21:00',
  exclude_sunday = false,
): NonNullable<Connection['settings']> => ({
  call_window_start: start,
  call_window_end: end,
  exclude_sunday,
});

/** Makes a connection of CRM-B whose leads are called from 09:00 to 21:00. */
export const aCallingConnection = (over: Partial<Connection> = {}): Connection =>
  aConnection({
    assistant_id: 'asst_1',
    trigger_owner_user_id: OWNER,
    settings: windowOf('09:00'),
    grant: aGrant(),
    ...over,
  });

/** Makes a lead as CRM-B's notification contains it: only its id. */
export const namedOnly = (lead_id = '1001'): Lead => ({ lead_id, phones: [], do_not_call: false, fields: {} });

export const found = (lead: Partial<Lead> = {}): LeadReading => ({
  kind: 'found',
  lead: {
    lead_id: '1001',
    phones: ['98765 43210'],
    owner_id: OWNER,
    do_not_call: false,
    fields: { First_Name: 'Asha' },
    ...lead,
  },
});

/** Makes CRM-B's answer while it cannot be read. */
export const unavailable = (reason: string): LeadReading => ({ kind: 'unavailable', reason });

/** Makes the error of a request whose answer was lost. */
export const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

/** Makes a claim, held by default by an event other than the test's. */
export function aClaim(key: string, eventId = 'evt_0', at = NOON): Claim {
  const taken = { ownerId: eventId, callId: callIdForLead(CONNECTION, eventId), now: new Date(at) };
  const day = key.slice(-'YYYY-MM-DD'.length);
  return key.startsWith('phone#') ? dayClaimsFor({ lead: key, phone: key }, day, taken).phone : claimFor(key, taken);
}

/** Returns both claims of a lead on one day, in the form of the world's `claims`. */
export const claimsOf = (day: string, phone = PHONE, eventId = 'evt_1', leadId = '1001'): string[] => [
  `lead#${CONNECTION}#${leadId}#${day} = ${eventId}`,
  `phone#${ORG}#${phone}#${day} = ${eventId}`,
];

/** Makes a world with the operations from a lead event until its phone rings, CRM-B and the voice platform. */
export function leadWorld(over: Contents = {}, wrap?: (send: Send) => Send, options?: DatabaseOptions) {
  const base = aWorld(
    { connections: [aCallingConnection()], organizations: [anOrg()], assistants: [anAssistant()], ...over },
    wrap,
    options,
  );
  base.now = NOON;
  const leadQueue = base.queue<LeadEvent>();
  const switchOffs = base.queue<SwitchOff>();
  const fetched: string[] = [];
  const rung: { call_id: string; phone: string; at: string }[] = [];
  const hungUp: string[] = [];

  const deps = {
    ...base.common,
    ...base.outside({
      fetchLead: async (_connection: Connection, leadId: string) => {
        fetched.push(leadId);
        return world.crm(leadId);
      },
    }),
    leadQueue,
    switchOffs,
    knowledge: { read: async () => [] },
    voice: {
      prepare: async () => undefined,
      ...base.outside({
        read: async (_platformId: string) => world.record,
        hangUp: async (platformId: string): Promise<HangUpOutcome> => {
          hungUp.push(platformId);
          return world.hangingUp;
        },
        dial: async ({ callId, phoneNumber }: { callId: string; phoneNumber: string }) => {
          if (world.dialing.kind === 'accepted') rung.push({ call_id: callId, phone: phoneNumber, at: base.now });
          return world.dialing;
        },
      }),
    },
    reportsOf: async () => ({ url: 'https://us.example', headers: {} }),
    stageSlots: 10,
    stageSpend: undefined as number | undefined,
    recheckLead: (call: Call, org: Organization): Promise<string | undefined> => recheckLead(deps, call, org),
    replaceAssistant: (call: Call): Promise<string | undefined> => replaceAssistant(deps, call),
    // Tests dial without a limit.
    dialRates: { stage: Number.POSITIVE_INFINITY, number: Number.POSITIVE_INFINITY },
    sleep: async (ms: number) => base.pass(ms / 1000),
    slotsQueue: base.queue<SlotsWork>(),
    dialQueue: base.queue<DialWork>(),
  };

  const { calls } = base;
  const call = (eventId = 'evt_1'): Call => {
    const wanted = calls().find(({ call_id }) => call_id === callIdForLead(CONNECTION, eventId));
    if (!wanted) throw new Error(`no call of ${eventId}`);
    return wanted;
  };
  const entries = () =>
    (base.all('activity') as ActivityEntry[]).map((entry) => ({ ...entry, retryable: entry.retryable ?? null }));
  /** Changes the connection. @returns the record of the change in the stream */
  const connectionChange = (change: Partial<Connection>) => {
    const before = base.all('connections')[0] as Connection;
    const after = { ...before, ...change };
    base.put('connections', after);
    return { sequenceNumber: '1', before, after };
  };

  const world = Object.assign(base, {
    /** CRM-B's answers about leads. */
    crm: (_leadId: string): LeadReading => found(),
    /** The voice platform's answers to dials. */
    dialing: { kind: 'accepted', platformId: 'p1' } as DialOutcome,
    /** The voice platform's answers to hang-ups. */
    hangingUp: { kind: 'hung_up' } as HangUpOutcome,
    /** The voice platform's answer about a call by its platform id. */
    record: { kind: 'not_found' } as ReadOutcome,
    deps,
    leadQueue,
    queued: leadQueue.sent,
    /** The leads that were fetched from CRM-B, and the phones that rang. */
    fetched,
    rung,
    /** The platform ids of the calls whose end was requested. */
    hungUp,
    call,
    entries,
    connectionChange,
    /** Makes the event that the webhook queues for a lead of CRM-B. */
    event: (more: Partial<LeadEvent> = {}): LeadEvent => ({
      event_id: 'evt_1',
      connection_id: CONNECTION,
      source: 'webhook',
      event: 'new_lead',
      test: false,
      at: base.now,
      lead: namedOnly(),
      payload_keys: ['ids'],
      ...more,
    }),
    process: (event: LeadEvent) => processLead(deps, event),
    release: (event: LeadEvent) => releaseLead(deps, event),
    /** Makes the message that the call's schedule sends to the queue. */
    releaseMessage: (eventId = 'evt_1'): LeadEvent => {
      const wanted = call(eventId);
      if (!isScheduled(wanted)) throw new Error('the call is not scheduled');
      return releaseOf(wanted);
    },
    /** Gives a slot to the call, and dials it. */
    dial: async (eventId = 'evt_1') => {
      const { call_id, org_id } = call(eventId);
      await handOverSlots(deps, [{ org_id }]);
      return dialOnce(deps, call_id);
    },
    cancel: (eventId = 'evt_1') =>
      cancelCall({ ...deps, newToken }, { kind: 'operator', name: 'ops' }, { call_id: call(eventId).call_id }),
    /** Processes changes of the connection in the stream, and every page of calls that they cancel. */
    switchOff: async (...changes: ReturnType<typeof connectionChange>[]) => {
      await reportSwitchOff(deps, changes);
      const pages: string[] = [];
      for (let sent = switchOffs.sent.shift(); sent; sent = switchOffs.sent.shift())
        pages.push(await cancelCallsOfConnection(deps, sent.message));
      return pages;
    },
    retry: (outcome: RetryableOutcome) =>
      retryAllLeads(
        { ...deps, newToken },
        { kind: 'operator', name: 'test' },
        { connection_id: CONNECTION, org_id: ORG, type: 'crm-b' },
        { outcome, since: '2026-01-01T00:00:00.000Z' },
      ),
    outcomes: () => entries().map(({ event_id, source, outcome }) => `${event_id} ${source}: ${outcome}`),
    /** Lists the claims of calls that wait or have rung. */
    claims: () =>
      (base.all('claims') as Claim[])
        .filter(({ claim, owner_id }) => owner_id !== undefined && !claim.startsWith('canceled#'))
        .map(({ claim, owner_id }) => `${claim} = ${owner_id}`)
        .sort(),
    credit: () => {
      const { available, held } = base.all('organizations')[0] as Organization;
      return { available, held };
    },
    ledger: () => base.all('credit-ledger') as LedgerEntry[],
    /** Lists the usage of each day, earliest first. */
    usage: () =>
      sumOfShards(base.all('usage').toSorted((one, other) => (String(one.day) < String(other.day) ? -1 : 1))),
    /** Lists the write requests. */
    writes: () => base.requests.filter((request) => /Write|Put|Update/.test(request)),
  });
  return world;
}

export type LeadWorld = ReturnType<typeof leadWorld>;

/** The delays after which an unavailable CRM is requested again, in seconds. */
export const CRM_DELAYS = [15, 30, 60, 120, 240, 480, 900];
export const NOON = ist(MONDAY, '12:00');
export const NIGHT = ist(MONDAY, '22:30');
/** The opening of Tuesday's call window, and the Activity entry of a release at that time. */
export const OPENS = ist(TUESDAY, '09:00');
export const ENTRY = 'evt_1.release.202603030330';

/** Changes a fact that decides about a lead. */
export type Change = (world: LeadWorld) => unknown;
export const crmSays =
  (reading: LeadReading): Change =>
  (world) =>
    Object.assign(world, { crm: () => reading });
export const connectionHas =
  (change: Partial<Connection>): Change =>
  (world) =>
    world.connectionChange(change);
export const stored =
  (table: TableName, item: object): Change =>
  (world) =>
    world.put(table, item);

/**
 * Runs an event, and then each message that queues it again, after the delay of the message.
 * @returns the delays in seconds and the last result
 */
export async function runUntilDecided(
  world: LeadWorld,
  run: (event: LeadEvent) => Promise<string>,
  first: LeadEvent,
): Promise<{ delays: number[]; result: string }> {
  const decided = () => world.entries().filter(({ event_id }) => !event_id.endsWith('.waiting'));
  const state = () => [world.calls(), world.claims(), decided()];
  const before = state();
  const delays: number[] = [];
  for (let event = first; ; ) {
    const result = await run(event);
    const queued = world.queued.shift();
    if (!queued) return { delays, result };
    expect(result).toBe('crm_unavailable_for_now');
    expect(state()).toEqual(before);
    delays.push(queued.delay);
    event = leadEvent.parse(JSON.parse(JSON.stringify(queued.message)));
    expect(event).toEqual({ ...first, tries: delays.length });
    world.pass(queued.delay);
  }
}

/** Processes a lead on Monday night, so that its call waits until Tuesday. */
export async function aScheduledLead(over: Contents = {}, more: Partial<LeadEvent> = {}): Promise<LeadWorld> {
  const world = leadWorld(over);
  world.now = NIGHT;
  expect(await world.process(world.event(more))).toBe('call scheduled');
  return world;
}

/** Processes a lead whose call then waits for its dial. */
export async function aQueuedLead(at = NOON, over: Contents = {}): Promise<LeadWorld> {
  const world = leadWorld(over);
  world.now = at;
  expect(await world.process(world.event())).toBe('call queued');
  return world;
}

/** Processes a lead on Monday night, and moves the clock to the opening of Tuesday's call window. */
export async function atItsOpening(over: Contents = {}, more: Partial<LeadEvent> = {}) {
  const world = await aScheduledLead(over, more);
  world.now = OPENS;
  return { world, message: world.releaseMessage() };
}

/** Expects each day's committed spend to equal what its calls cost, or may cost while they live. */
function expectSpend(world: LeadWorld): void {
  const sums: Record<string, number> = {};
  const add = (scope: string, day: string, units: number) => {
    const key = `${scope} spend#${day}`;
    sums[key] = (sums[key] ?? 0) + units;
  };
  for (const { org_id, spend, status, cost = 0, held } of world.calls())
    if (spend)
      for (const scope of spend.of_stage ? [org_id, 'stage'] : [org_id])
        add(scope, spend.day, isTerminal(status) ? cost : held);
  const committed = world.all('usage').filter((item) => item.committed);
  const stored = Object.fromEntries(committed.map((item) => [`${item.org_id} ${item.day}`, item.committed]));
  expect(stored).toEqual(Object.fromEntries(Object.entries(sums).filter(([, units]) => units !== 0)));
}

/** Expects the ledger to sum to the balance and to the holds of the open calls, and usage to equal both. */
export function expectBooks(world: LeadWorld, credit = CREDIT): void {
  const open = world.calls().filter(({ status }) => !isTerminal(status));
  const { available, held } = world.credit();
  const sum = (column: 'amount' | 'held') => world.ledger().reduce((so, entry) => so + entry[column], 0);
  // One expectation, because tests check the books after each step, and each expectation is slow.
  expect({
    ofCalls: open.reduce((so, call) => so + call.held, 0),
    ofLedger: sum('held'),
    credit: credit + sum('amount'),
  }).toEqual({ ofCalls: held, ofLedger: held, credit: available + held });
  expectUsage(world.usage(), world.calls(), world.ledger());
  expectSpend(world);
}
