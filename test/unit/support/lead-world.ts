import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Claim } from '../../../shared/domain/calls/claim.ts';
import { isScheduled } from '../../../shared/domain/calls/scheduled-call.ts';
import type { ActivityEntry } from '../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { callIdForLead } from '../../../shared/domain/ids.ts';
import type { Lead } from '../../../shared/domain/leads/lead.ts';
import type { LedgerEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { LeadReading } from '../../../shared/integrations/crm-b/lead-record.ts';
import type { DialOutcome } from '../../../shared/integrations/voice/voice-platform.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../shared/messages/lead-release.ts';
import { cancelCall } from '../../../shared/operations/calls/cancel-call.ts';
import { type DialCallDeps, dialCall } from '../../../shared/operations/calls/dial-call.ts';
import { postponeLateCall } from '../../../shared/operations/calls/steps/postpone-late-call.ts';
import { type CancelScheduledDeps, cancelScheduled } from '../../../shared/operations/leads/cancel-scheduled.ts';
import { type ProcessLeadDeps, processLead } from '../../../shared/operations/leads/process-lead.ts';
import { type ReleaseLeadDeps, releaseLead } from '../../../shared/operations/leads/release-lead.ts';
import { type RetryLeadsDeps, retryLeads } from '../../../shared/operations/leads/retry-leads.ts';
import { callStore } from '../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../shared/stores/calls/claims.ts';
import { slotStore } from '../../../shared/stores/calls/slots.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { creditLedger } from '../../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../../shared/stores/organizations/do-not-call.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { clientOf, database } from './database.ts';

export const ORG = 'org0123456789abcdef';
export const CONNECTION = 'conn_1';
export const OWNER = 'owner-1';
export const PHONE = '+919876543210';
export const HOLD = 10_000; // 600 seconds at a rate of 1,000
export const CREDIT = 100_000;

/** An instant by a clock in India. */
export const ist = (day: string, time: string): string => new Date(`${day}T${time}+05:30`).toISOString();

/** 2026-03-02 is a Monday. */
export const MONDAY = '2026-03-02';
export const TUESDAY = '2026-03-03';
export const WEDNESDAY = '2026-03-04';

export const crmBConnection: Connection = {
  connection_id: CONNECTION,
  org_id: ORG,
  type: 'crm-b',
  created_at: '2026-01-01T00:00:00.000Z',
  auto_call: true,
  assistant_id: 'asst_1',
  trigger_owner_user_id: OWNER,
  settings: { call_window_start: '09:00', call_window_end: '21:00' },
  grant: {
    id: 'grant_1',
    data_center: 'in',
    accounts_server: 'https://accounts.example',
    api_domain: 'https://api.example',
    refresh_token: 'sealed',
    granted_at: '2026-01-01T00:00:00.000Z',
  },
};
export const org: Organization = {
  org_id: ORG,
  name: 'Demo',
  created_at: '2026-01-01T00:00:00.000Z',
  available: CREDIT,
  held: 0,
  rate: 1000,
  default_region: 'IN',
  platform_numbers: ['+15550100000'],
  callback_secrets: [],
};
export const assistant = {
  assistant_id: 'asst_1',
  org_id: ORG,
  name: 'Asha',
  prompt: 'p',
  first_message: 'f',
  max_duration_seconds: 600,
  knowledge_base: [],
  created_at: org.created_at,
};

/** CRM-B names a lead and tells nothing of it. */
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

type Send = (command: never) => Promise<unknown>;

/**
 * The operations that a lead's call goes through until it rings, over tables in memory: CRM-B with a window from 09:00 to
 * 21:00, one lead, and a clock that the test moves.
 */
export function leadWorld(over: Record<string, object[]> = {}, wrap: (send: Send) => Send = (send) => send) {
  const tables = database({ connections: [crmBConnection], organizations: [org], assistants: [assistant], ...over });
  const db = clientOf(wrap(tables.send));
  const state = {
    now: ist(MONDAY, '12:00'),
    /** How CRM-B answers; what it throws, the access to it throws. */
    crm: (_leadId: string): LeadReading => found(),
    /** What the voice platform answers. */
    dial: { kind: 'accepted', platformId: 'p1' } as DialOutcome,
    /** What the leads queue does before it takes a message. */
    queue: () => undefined as unknown,
  };
  /** Asked of CRM-B; told to the log; put on the queue, with its delay; phones that rang. */
  const asked: string[] = [];
  const correlated: object[] = [];
  const logged: object[] = [];
  const queued: { event: LeadEvent; delay: number }[] = [];
  const rung: { call_id: string; phone: string; at: string }[] = [];

  const stores = {
    connections: connectionStore(db, 'connections'),
    organizations: organizationStore(db, 'organizations'),
    assistants: assistantStore(db, 'assistants'),
    calls: callStore(db, 'calls'),
    claims: claimStore(db, 'claims'),
    doNotCall: doNotCallStore(db, 'do-not-call'),
    ledger: creditLedger(db, 'credit-ledger'),
    activity: activityStore(db, 'activity'),
    slots: slotStore(db, 'slots'),
  };
  const deps: ProcessLeadDeps & ReleaseLeadDeps & DialCallDeps & CancelScheduledDeps & RetryLeadsDeps = {
    ...stores,
    fetchLead: async (_connection, leadId) => {
      asked.push(leadId);
      return state.crm(leadId);
    },
    leadQueue: {
      send: async (event, delay = 0) => {
        state.queue();
        queued.push({ event, delay });
      },
      sendMany: async (events) => {
        queued.push(...events.map((event) => ({ event, delay: 0 })));
      },
    },
    transact: transactions(db, { random: () => 0, sleep: async () => {} }),
    correlate: (ids) => correlated.push(ids),
    info: (message, facts) => logged.push({ message, ...facts }),
    warn: (message, facts) => logged.push({ message, ...facts }),
    now: () => new Date(state.now),
    count: () => undefined,
    random: () => 0,
    knowledge: { read: async () => [] },
    voice: {
      prepare: async () => undefined,
      dial: async ({ callId, phoneNumber }) => {
        if (state.dial.kind === 'accepted') rung.push({ call_id: callId, phone: phoneNumber, at: state.now });
        return state.dial;
      },
    },
    reportsOf: async () => ({ url: 'https://us.example', headers: {} }),
    stageSlots: 10,
    dialQueue: { send: async () => undefined, sendMany: async () => undefined },
  };

  const calls = () => tables.all('calls').map((item) => stores.calls.parse(item));
  const call = (eventId = 'evt_1'): Call => {
    const wanted = calls().find(({ call_id }) => call_id === callIdForLead(CONNECTION, eventId));
    if (!wanted) throw new Error(`no call of ${eventId}`);
    return wanted;
  };
  const entries = () =>
    (tables.all('activity') as ActivityEntry[]).map((entry) => ({ ...entry, retryable: entry.retryable ?? null }));
  /** The stream's record of a change of the connection. */
  const connectionChange = (change: Partial<Connection>) => {
    const before = tables.all('connections')[0] as Connection;
    const after = { ...before, ...change };
    tables.put('connections', after);
    return { sequenceNumber: '1', before, after };
  };

  return {
    ...tables,
    state,
    deps,
    asked,
    correlated,
    logged,
    queued,
    rung,
    call,
    calls,
    entries,
    connectionChange,
    /** An edit of a lead at CRM-B, as the webhook queues it. */
    event: (more: Partial<LeadEvent> = {}): LeadEvent => ({
      event_id: 'evt_1',
      connection_id: CONNECTION,
      source: 'webhook',
      event: 'new_lead',
      test: false,
      at: state.now,
      lead: namedOnly(),
      payload_keys: ['ids'],
      ...more,
    }),
    process: (event: LeadEvent) => processLead(deps, event),
    release: (event: LeadEvent) => releaseLead(deps, event),
    /** The message that the call's schedule puts on the queue. */
    releaseMessage: (eventId = 'evt_1'): LeadEvent => {
      const wanted = call(eventId);
      if (!isScheduled(wanted)) throw new Error('the call is not scheduled');
      return releaseOf(wanted);
    },
    expire: (eventId = 'evt_1') => postponeLateCall(deps, call(eventId)),
    dial: (eventId = 'evt_1') => dialCall(deps, call(eventId).call_id),
    cancel: (eventId = 'evt_1') => cancelCall(deps, call(eventId).call_id),
    cancelScheduled: (...changes: ReturnType<typeof connectionChange>[]) => cancelScheduled(deps, changes),
    retry: (outcome: 'insufficient_credits' | 'crm_unavailable') =>
      retryLeads(deps, CONNECTION, { outcome, since: '2026-01-01T00:00:00.000Z' }),
    outcomes: () => entries().map(({ event_id, source, outcome }) => `${event_id} ${source}: ${outcome}`),
    claims: () => (tables.all('claims') as Claim[]).map(({ claim, owner_id }) => `${claim} = ${owner_id}`).sort(),
    credit: () => {
      const { available, held } = tables.all('organizations')[0] as Organization;
      return { available, held };
    },
    ledger: () => tables.all('credit-ledger') as LedgerEntry[],
  };
}

export type LeadWorld = ReturnType<typeof leadWorld>;
