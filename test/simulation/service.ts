import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../lib/tables.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { newToken } from '../../shared/domain/ids.ts';
import type { Organization } from '../../shared/domain/organizations/organization.ts';
import type { LeadReading } from '../../shared/integrations/crm-b/lead-record.ts';
import type { VoicePlatform } from '../../shared/integrations/voice/voice-platform.ts';
import type { CallWork, DialWork, SlotsWork } from '../../shared/messages/call-work.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import type { SwitchOff } from '../../shared/messages/switch-off.ts';
import type { VoiceEvent } from '../../shared/messages/voice-event.ts';
import { applyVoiceEvent } from '../../shared/operations/calls/apply-voice-event.ts';
import { dialCall } from '../../shared/operations/calls/dial-call.ts';
import { handOverSlots } from '../../shared/operations/calls/hand-over-slots.ts';
import { publishCallEvents } from '../../shared/operations/calls/publish-call-events.ts';
import { recoverCalls } from '../../shared/operations/calls/recover-calls.ts';
import { cancelCallsOfConnection } from '../../shared/operations/leads/cancel-calls-of-connection.ts';
import { processLead } from '../../shared/operations/leads/process-lead.ts';
import { recheckLead } from '../../shared/operations/leads/recheck-lead.ts';
import { releaseLead } from '../../shared/operations/leads/release-lead.ts';
import { replaceAssistant } from '../../shared/operations/leads/replace-assistant.ts';
import { reportSwitchOff } from '../../shared/operations/leads/report-switch-off.ts';
import { scheduleRelease } from '../../shared/operations/leads/schedule-release.ts';
import { parseCall } from '../../shared/stores/calls/call-item.ts';
import { parseConnection } from '../../shared/stores/connections/connections.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { clientOf, database } from '../unit/support/worlds/database.ts';
import type { Item } from '../unit/support/worlds/expression.ts';
import { storesOn } from '../unit/support/worlds/world.ts';
import { afterCallOf } from './after-call.ts';
import type { StageLimits } from './oracles/oracles.ts';
import { type QueueParts, queueOf } from './queues.ts';
import type { Remote } from './remote.ts';
import { busOf, streamOf } from './streams.ts';

const RECOVERY_MS = 5 * 60_000;
const RECOVERY_TIMEOUT_MS = 14 * 60_000;

export type Outside = {
  voice: VoicePlatform;
  /** CRM-B's answer about a lead. */
  crm: (connectionId: string, leadId: string) => LeadReading;
  /** The remote systems after a call. */
  remote: Remote;
};

type Watcher = {
  onChange: (table: TableName, before: Item | undefined, after: Item | undefined) => void;
  /** After each request of a process to the database. */
  onRequest: (by: string | undefined, input: Item) => void;
  onDialMessage: (callId: string) => void;
  onNotified: (webhookId: string) => void;
  onLeadEvent: (event: LeadEvent) => void;
  /** Whether all unfinished calls wait for a later call window. */
  isQuiet: () => boolean;
};

export type Service = ReturnType<typeof serviceOf>;

/** Runs the service: its operations and its real stores, over tables in memory. */
export function serviceOf(parts: QueueParts, { voice, crm, remote }: Outside, stage: StageLimits, watch: Watcher) {
  const { timeline, random, rates, processes } = parts;
  const tables = database(
    {},
    {
      pageItems: 40,
      reindex: (update) =>
        random.chance(rates.lag) ? timeline.after(random.whole(100, rates.maxLagMs), update) : update(),
      onChange: (table, before, after) => {
        watch.onChange(table, before, after);
        if (!after) return;
        if (table === 'calls') calls.add(String(after.call_id), before, after);
        if (table === 'connections') connections.add(String(after.connection_id), before, after);
      },
    },
  );
  tables.hooks.after = (_operation, input) => watch.onRequest(processes.current, input);

  const db = clientOf((command: never) => {
    const { constructor: kind, input } = command as { constructor: { name: string }; input: Item };
    return processes.request({
      what: () => describeRequest(kind.name, input),
      act: () => tables.send(command),
      // Transactions are left out: they have a token, so a repeat has no effect.
      mayRepeat: kind === UpdateCommand || kind === PutCommand,
      mayConflict: kind === TransactWriteCommand,
    });
  });
  const stores = storesOn(db);
  const sleep = (ms: number) => new Promise<void>((resolve) => timeline.after(ms, resolve));
  const transact = transactions(db, { random: random.next, sleep });

  const planned = new Set<string>();
  const plan = (at: Date, name: string, act: () => void): Promise<void> =>
    processes.request({
      what: () => `schedules ${name}`,
      act: () => {
        if (planned.has(name)) return;
        planned.add(name);
        if (!random.chance(rates.lost)) timeline.after(at.getTime() - timeline.ms, act);
      },
    });
  const { onNotified } = watch;
  const afterCall = afterCallOf(parts, { ...{ remote, stores, transact, voice, plan, onNotified } });

  const deps = {
    ...stores,
    ...afterCall,
    voice,
    lookup: voice.lookup(),
    dialRates: { stage: 5, number: 5 },
    recheckLead: (call: Call, org: Organization): Promise<string | undefined> => recheckLead(deps, call, org),
    replaceAssistant: (call: Call): Promise<string | undefined> => replaceAssistant(deps, call),
    get stageSlots() {
      return stage.slots.present();
    },
    stageSpend: stage.spend,
    sleep,
    transact,
    knowledge: { read: async () => [] },
    reportsOf: async () => ({ url: 'https://svc.example', headers: {} }),
    fetchLead: ({ connection_id }: Connection, leadId: string) =>
      processes.request({ what: () => `fetches ${leadId}`, act: () => crm(connection_id, leadId), ms: 800 }),
    releaseAt: (at: Date, name: string, work: CallWork) => plan(at, name, () => releases.put(work)),
    now: timeline.date,
    random: random.next,
    timeLeftMs: () => Number.POSITIVE_INFINITY,
    newToken,
    retention: {},
    count: (name: string) => void counted.set(name, (counted.get(name) ?? 0) + 1),
    measure: () => undefined,
    correlate: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    leadQueue: queueOf<LeadEvent>(
      parts,
      'lead-events',
      {
        each: (event): Promise<string> =>
          event.source === 'release' ? releaseLead(deps, event) : processLead(deps, event),
      },
      watch.onLeadEvent,
    ),
    dialQueue: queueOf<DialWork>(
      parts,
      'dial',
      { each: (work): Promise<string> => dialCall(deps, work) },
      ({ call_id, hang_up, end_if_queued }) => {
        if (!hang_up && !end_if_queued) watch.onDialMessage(call_id);
      },
    ),
    switchOffs: queueOf<SwitchOff>(parts, 'switch-offs', {
      each: (message): Promise<string> => cancelCallsOfConnection(deps, message),
    }),
    slotsQueue: queueOf<SlotsWork>(parts, 'slots', {
      all: (messages): Promise<number> => handOverSlots(deps, messages),
    }),
  };
  const voiceEvents = queueOf<VoiceEvent>(parts, 'voice-events', { each: (event) => applyVoiceEvent(deps, event) });
  const releases = queueOf<CallWork>(parts, 'releases', { each: ({ call_id }) => scheduleRelease(deps, call_id) });
  const {
    leadQueue: leads,
    dialQueue: dial,
    finishQueue,
    syncQueue,
    ticketsQueue: tickets,
    callbackQueue: callbacks,
    slotsQueue: slots,
    switchOffs,
  } = deps;
  const queues = {
    leads,
    releases,
    dial,
    'voice-events': voiceEvents,
    slots,
    finish: finishQueue,
    'crm-b-sync': syncQueue,
    tickets,
    callbacks,
    'switch-offs': switchOffs,
  };

  const bus = busOf(parts, queues);
  const calls = streamOf(parts, 'publish-call-events', imageOf, (changes) =>
    publishCallEvents({ ...bus, measure: () => undefined }, changes),
  );
  const connections = streamOf(parts, 'report-switch-off', parseConnection, (changes) =>
    reportSwitchOff(deps, changes),
  );

  const counted = new Map<string, number>();
  const backlog = () => Object.values(queues).reduce((sum, { size }) => sum + size, 0) + calls.size + connections.size;

  const recovery = async (): Promise<void> => {
    const startedMs = timeline.ms;
    const timeLeftMs = () => RECOVERY_TIMEOUT_MS - (timeline.ms - startedMs);
    await processes.run('recover-calls', () => recoverCalls({ ...deps, timeLeftMs }));
  };
  const everyFiveMinutes = (): void => {
    // Skips a night in which calls only wait for their windows, because recover-calls would have no work.
    if (backlog() > 0 || !watch.isQuiet()) void recovery();
    timeline.after(RECOVERY_MS, everyFiveMinutes);
  };
  timeline.after(random.whole(0, RECOVERY_MS), everyFiveMinutes);

  return {
    deps,
    queues,
    tables,
    counted,
    /** Counts the messages that were redriven from the dead letters. */
    redriven: () => Object.values(queues).reduce((sum, { redriven }) => sum + redriven, 0),
    /** Queues a report of the platform, as the webhook does. */
    report: (callId: string, message: VoiceEvent['message'], delayMs: number) =>
      voiceEvents.put({ call_id: callId, message }, delayMs),
    /** Counts the messages and changes that are not processed yet. */
    backlog,
  };
}

/** Parses a call only if its event contains it, to save time: the stores parse every call when they read it. */
const imageOf = (item: Item): Call => (item.callback_url === undefined ? (item as Call) : parseCall(item));

function describeRequest(name: string, { TransactItems, TableName, Key, Item, RequestItems, ...rest }: Item): string {
  const operation = name.replace(/Command$/, '');
  const ids = (of: unknown) =>
    Object.values((of ?? {}) as Item)
      .filter((value) => typeof value === 'string')
      .join(' ');
  if (Array.isArray(TransactItems)) {
    // Each part is one of Put, Update, Delete, Get or ConditionCheck.
    const requests = TransactItems.flatMap(
      (one: Item) => Object.values(one) as { TableName: string; Key?: Item; Item?: Item }[],
    );
    return `${operation} ${requests.map(({ TableName, Key, Item }) => `${TableName} ${ids(Key ?? { id: Item?.call_id ?? Item?.claim })}`).join(', ')}`;
  }
  if (RequestItems) return `${operation} ${Object.keys(RequestItems as Item)}`;
  return `${operation} ${TableName} ${ids(Key ?? Item ?? rest.ExpressionAttributeValues)}`;
}
