import type { Call } from '../../../../shared/domain/calls/call.ts';
import { newToken } from '../../../../shared/domain/ids.ts';
import type { Measure } from '../../../../shared/domain/metric.ts';
import type { Retention } from '../../../../shared/domain/organizations/retention.ts';
import { callbackStore } from '../../../../shared/stores/after-call/callbacks.ts';
import { callbackReceivers, connectionReceivers } from '../../../../shared/stores/after-call/receivers.ts';
import { callBriefs } from '../../../../shared/stores/calls/call-briefs.ts';
import { callCounts } from '../../../../shared/stores/calls/call-counts.ts';
import { callErasures } from '../../../../shared/stores/calls/call-erasures.ts';
import { callRetention } from '../../../../shared/stores/calls/call-retention.ts';
import { callSearch } from '../../../../shared/stores/calls/call-search.ts';
import { callStore } from '../../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../../shared/stores/calls/claims.ts';
import { platformGateStore } from '../../../../shared/stores/calls/platform-gate.ts';
import { recordedCall } from '../../../../shared/stores/calls/recorded-calls.ts';
import { recoveryCursors } from '../../../../shared/stores/calls/recovery-cursors.ts';
import { slotCounters } from '../../../../shared/stores/calls/slots/slot-counters.ts';
import { slotStore } from '../../../../shared/stores/calls/slots/slots.ts';
import { waitingOrgStore } from '../../../../shared/stores/calls/slots/waiting-orgs.ts';
import { usageStore } from '../../../../shared/stores/calls/usage.ts';
import { viewedCall } from '../../../../shared/stores/calls/viewed-calls.ts';
import { activityStore } from '../../../../shared/stores/connections/activity.ts';
import { connectionBreakers } from '../../../../shared/stores/connections/connection-breakers.ts';
import { connectionChannelStore } from '../../../../shared/stores/connections/connection-channels.ts';
import { connectionGrants } from '../../../../shared/stores/connections/connection-grants.ts';
import { connectionStore } from '../../../../shared/stores/connections/connections.ts';
import { oauthStateStore } from '../../../../shared/stores/connections/oauth-states.ts';
import type { OauthTokens } from '../../../../shared/stores/connections/oauth-tokens.ts';
import { transactions } from '../../../../shared/stores/dynamodb/transaction.ts';
import { stoppedLeadStore } from '../../../../shared/stores/leads/stopped-leads.ts';
import { noticeStore } from '../../../../shared/stores/notices/notices.ts';
import { apiKeyStore } from '../../../../shared/stores/organizations/api-keys.ts';
import { assistantStore } from '../../../../shared/stores/organizations/assistants.ts';
import { auditStore } from '../../../../shared/stores/organizations/audit.ts';
import { auditChains } from '../../../../shared/stores/organizations/audit-chains.ts';
import { creditLedger } from '../../../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../../../shared/stores/organizations/do-not-call.ts';
import { keyCounterStore } from '../../../../shared/stores/organizations/key-counters.ts';
import { memberStore } from '../../../../shared/stores/organizations/members.ts';
import { numberScan } from '../../../../shared/stores/organizations/number-scan.ts';
import { organizationScan } from '../../../../shared/stores/organizations/organization-scan.ts';
import { organizationStore } from '../../../../shared/stores/organizations/organizations.ts';
import { rateLimitStore } from '../../../../shared/stores/organizations/rate-limits.ts';
import type { QueueSender } from '../../../../shared/stores/queue.ts';
import { searchLine } from '../../../support/logs/searched-lines.ts';
import { type Contents, clientOf, type DatabaseOptions, database, type Send } from './database.ts';
import { mortality } from './world-that-dies.ts';
import { repetition } from './world-that-repeats.ts';

export const START = '2026-03-02T06:00:00.000Z';
/** The key of the numbers of erased persons. */
export const LIST_KEY = 'key of the list';
export const PUBLIC_URL = 'https://svc.example';

/** Its multiples are far apart, modulo 1. */
const GOLDEN_RATIO = 0.618;

/** A message on a queue: its delay in seconds, and the earliest time of its delivery in milliseconds. */
type Queued<Message> = { message: Message; delay: number; due: number };

/** The real stores on a document client. */
export const storesOn = (db: ReturnType<typeof clientOf>) => {
  const doNotCall = doNotCallStore(db, 'do-not-call', async () => LIST_KEY);
  return {
    apiKeys: apiKeyStore(db, 'api-keys'),
    members: memberStore(db, 'members'),
    audit: auditStore(db, 'audit'),
    auditChains: auditChains(db, 'audit'),
    notices: noticeStore(db, 'notices'),
    organizations: organizationStore(db, 'organizations'),
    organizationScan: organizationScan(db, 'organizations'),
    numberScan: numberScan(db, { organizations: 'organizations', doNotCall: 'do-not-call' }),
    rateLimits: rateLimitStore(db, 'rate-limits'),
    keyCounters: keyCounterStore(db, 'rate-limits'),
    assistants: assistantStore(db, 'assistants'),
    doNotCall,
    stoppedLeads: stoppedLeadStore(db, 'claims', doNotCall.hashOf),
    ledger: creditLedger(db, 'credit-ledger'),
    connections: connectionStore(db, 'connections'),
    channels: connectionChannelStore(db, 'connections'),
    breakers: connectionBreakers(db, 'connections'),
    grants: connectionGrants(db, 'connections'),
    states: oauthStateStore(db, 'oauth-states'),
    activity: activityStore(db, 'activity'),
    calls: callStore(db, 'calls'),
    erasures: callErasures(db, 'calls'),
    callRetention: callRetention(db, 'calls'),
    search: callSearch(db, 'calls'),
    callBriefs: callBriefs(db, 'calls'),
    viewedCalls: { get: viewedCall(db, 'calls') },
    recordedCalls: { get: recordedCall(db, 'calls') },
    callCounts: callCounts(db, 'calls'),
    claims: claimStore(db, 'claims'),
    slots: slotStore(db, 'slots'),
    usage: usageStore(db, 'usage'),
    gate: platformGateStore(db, 'slots'),
    waitingOrgs: waitingOrgStore(db, 'slots'),
    counters: slotCounters(db, 'slots'),
    cursors: recoveryCursors(db, 'slots'),
    callbacks: callbackStore(db, 'callbacks'),
    receivers: connectionReceivers(db, 'receivers'),
    callbackReceivers: callbackReceivers(db, 'receivers'),
  };
};

/** A seal that shows the connection for which a text is sealed. */
const tokens: OauthTokens = {
  seal: async (connectionId, token) => `${connectionId}:${token}`,
  open: async (connectionId, sealed) => {
    if (!sealed.startsWith(`${connectionId}:`)) throw new Error('sealed for another connection');
    return sealed.slice(connectionId.length + 1);
  },
};

/** Makes concurrent tries of transactions wait for different times, measured in steps of the event loop. */
function spread() {
  let last = 0;
  return {
    random: () => (last = (last + GOLDEN_RATIO) % 1),
    sleep: async (ms: number) => {
      for (let step = 0; step < ms; step += 1) await undefined;
    },
  };
}

/**
 * The service's tables with the real stores, its queues and schedules, and a clock that the test moves. Operations run
 * on it together with the remote systems that a test adds.
 * @param wrap changes the answers of the database, for example their order
 */
export function aWorld(
  contents: Contents = {},
  wrap: (send: Send) => Send = (send) => send,
  options: DatabaseOptions = {},
) {
  const tables = database(contents, options);
  const clock = { ms: Date.parse(START) };
  const logged: ({ message: string } & Record<string, unknown>)[] = [];
  const correlated: object[] = [];
  const counted: string[] = [];
  const measured: Measure[] = [];
  /** Functions that count the messages left in each queue and those taken from each schedule. */
  const messages: (() => number)[] = [];
  const seen = [logged, correlated, counted, measured];
  const life = mortality(() => [clock.ms, ...seen.map((all) => all.length), ...messages.map((left) => left())].join());
  const log = (message: string, facts: object) => {
    const line = { message, ...facts };
    searchLine(line);
    logged.push(line);
  };
  const { repeating, ...sdk } = repetition(wrap(tables.send));
  const { send } = life.outside(sdk);
  const stores = storesOn(clientOf(send));
  const parsed = new WeakMap<object, Call>();
  /** Parses a stored item once: a write replaces the item, and tests look at the same calls after each step. */
  const parse = (item: object): Call => {
    const call = parsed.get(item) ?? Object.freeze(stores.calls.parse(item as Record<string, unknown>));
    parsed.set(item, call);
    return call;
  };

  const world = {
    ...tables,
    ...life,
    repeating,
    stores,
    /** The entries of the audit log, without the head of their chain. */
    auditEntries: () => tables.all('audit').filter(({ action }) => action !== undefined),
    putCall: (call: Call) => tables.put('calls', stores.calls.creation(call).Put?.Item as object),
    callOf(callId: string): Call {
      const item = tables.find('calls', { call_id: callId });
      if (!item) throw new Error(`no call ${callId}`);
      return parse(item);
    },
    calls: () => tables.all('calls').map(parse),
    /** The log messages and the counts. */
    logged,
    correlated,
    counted,
    measured,
    /** The value of every random number, from 0 to 1. */
    random: 0,
    /** The clock, ISO 8601. */
    get now(): string {
      return new Date(clock.ms).toISOString();
    },
    set now(instant: string) {
      clock.ms = Date.parse(instant);
    },
    get ms(): number {
      return clock.ms;
    },
    pass: (seconds: number) => {
      clock.ms += seconds * 1000;
    },
    /** Runs once before the next write, between the reads of an operation and its effect. */
    beforeNextWrite: (act: () => unknown) => {
      tables.hooks.before = (operation) => {
        if (!/Write|Update|Put|Delete/.test(operation)) return undefined;
        delete tables.hooks.before;
        return act();
      };
    },
    /** A queue: its messages, and a way for a test to make it refuse them. */
    queue<Message>() {
      const queue = { sent: [] as Queued<Message>[], refusal: undefined as Error | undefined };
      const take = (message: Message, delay: number) => {
        if (queue.refusal) throw queue.refusal;
        queue.sent.push({ message, delay, due: clock.ms + delay * 1000 });
      };
      const sender: QueueSender<Message> = life.outside({
        send: async (message, delay = 0) => take(message, delay),
        sendMany: async (messages) => {
          for (const message of messages) take(message, 0);
        },
      });
      /** Removes the due messages from the queue. */
      const due = (): Message[] => {
        const all = queue.sent.splice(0);
        queue.sent.push(...all.filter((one) => one.due > clock.ms));
        return all.filter((one) => one.due <= clock.ms).map(({ message }) => message);
      };
      messages.push(() => queue.sent.length);
      return Object.assign(queue, sender, { due });
    },
    /** One-time schedules: a second one with the same name is a no-op. */
    schedules<Message>() {
      const planned = new Map<string, { at: number; message: Message; isDone: boolean }>();
      const { plan } = life.outside({
        plan: async (at: Date, name: string, message: Message) => {
          if (!planned.has(name)) planned.set(name, { at: at.getTime(), message, isDone: false });
        },
      });
      /** Removes the due messages. */
      const due = (): Message[] => {
        const all = [...planned.values()].filter(({ at, isDone }) => !isDone && at <= clock.ms);
        for (const one of all) one.isDone = true;
        return all.map(({ message }) => message);
      };
      messages.push(() => [...planned.values()].filter(({ isDone }) => isDone).length);
      return { planned, plan, due };
    },
    /** The dependencies of most operations. */
    common: {
      ...stores,
      tokens,
      transact: transactions(clientOf(send), spread()),
      now: () => new Date(clock.ms),
      newToken,
      retention: {} as Retention,
      stopwatch: () => clock.ms,
      sleep: async () => undefined,
      random: (): number => world.random,
      count: (name: string) => void counted.push(name),
      measure: (measure: Measure) => void measured.push(measure),
      correlate: (ids: object) => void correlated.push(ids),
      info: log,
      warn: log,
      publicUrl: PUBLIC_URL,
    },
  };
  return world;
}
