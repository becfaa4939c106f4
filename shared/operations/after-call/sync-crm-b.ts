import { callLogOf, mayHaveNote, noteOf } from '../../domain/after-call/crm-b-record.ts';
import { recordingLink } from '../../domain/after-call/recording-link.ts';
import { isWritingOver, TURN_SECONDS } from '../../domain/after-call/remote-writing.ts';
import type { Call } from '../../domain/calls/call.ts';
import { ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBCallLogs } from '../../integrations/crm-b/call-log.ts';
import type { CrmBNotes } from '../../integrations/crm-b/note.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { CrmBItem } from '../../stores/calls/call-marks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import {
  giveUp,
  LONGEST_QUEUE_WAIT_SECONDS,
  NEXT_TURN_SECONDS,
  NotReady,
  nextTry,
  type OnceItem,
  type Waiting,
  type WriteOnceDeps,
  waitFor,
  writeOnce,
} from './write-once.ts';

export type SyncCrmBDeps = {
  calls: Pick<CallStore, 'get' | 'takeCrmBTurn' | 'endCrmBTurn' | 'changeCrmBItem' | 'recordCrmBSync'>;
  connections: Pick<ConnectionStore, 'get'>;
  files: Pick<CallFiles, 'getTranscript'>;
  accessTo: (connection: Connection) => CrmBAccess;
  callLogs: CrmBCallLogs;
  notes: CrmBNotes;
  /** Keys of recording links, the current one first. */
  linkKeys: () => Promise<[string, ...string[]]>;
  /** Base of our own addresses. */
  publicUrl: string;
  syncQueue: QueueSender<CallWork>;
  now: () => Date;
  /** Milliseconds of a clock that nobody sets: how long this takes. */
  stopwatch: () => number;
  random: () => number;
  warn: (message: string, facts: { call_id: string; connection_id: string; item: CrmBItem; reason: string }) => void;
};

type SyncedCall = Call & { lead: NonNullable<Call['lead']>; finished_at: string };

/** A try that begins later than this might not end within the function's time. */
const LAST_BEGINNING_MS = 20_000;

/**
 * Writes a finished call into CRM-B: a call log and a note on its lead, each at most once (docs/call-lifecycle.md, "After the
 * call"). What cannot be written yet is tried again later, by a message to the queue or by recover-calls; what is not
 * written by its deadline is given up, and the call is done all the same.
 * @returns a word for the log. @throws what our own stores throw; then the queue repeats it.
 */
export async function syncCrmB(deps: SyncCrmBDeps, callId: string): Promise<string> {
  const [now, begun] = [deps.now(), deps.stopwatch()];
  const turn = { until: secondsAfter(now, TURN_SECONDS) };
  if (!(await deps.calls.takeCrmBTurn(callId, { now: now.toISOString(), ...turn }))) return 'not_due';
  const call = await deps.calls.get(callId);
  if (!call || !isOfCrmB(call)) return 'not_due';

  const once = onceDeps(deps, call);
  const waiting: Waiting<CrmBItem>[] = [];
  for (const item of itemsOf(deps, call)) {
    const tried =
      deps.stopwatch() - begun < LAST_BEGINNING_MS
        ? await writeOnce(once, item)
        : { ...waitFor(once, item, item.known, 'there was no time for it'), seconds: NEXT_TURN_SECONDS };
    if (tried.kind === 'settled') continue;
    waiting.push(tried);
    once.warn('CRM-B has not taken an item of a call yet', { item: item.name, reason: tried.reason });
  }
  if (waiting.length === 0) {
    await deps.calls.recordCrmBSync(callId);
    return 'synced';
  }
  if (isWritingOver(call.finished_at, deps.now())) {
    for (const each of waiting) await giveUp(once, each);
    await deps.calls.recordCrmBSync(callId);
    return 'given_up';
  }
  await tryLater(deps, callId, turn, waiting);
  return 'waiting';
}

const isOfCrmB = (call: Call): call is SyncedCall => call.lead !== undefined && call.finished_at !== undefined;

const onceDeps = (
  { now, random, warn }: SyncCrmBDeps,
  { call_id, lead: { connection_id } }: SyncedCall,
): WriteOnceDeps<CrmBItem> => ({
  system: 'CRM-B',
  now,
  random,
  warn: (message, facts) => warn(message, { call_id, connection_id, ...facts }),
});

/** What was never asked for comes first: a look-up that takes its time must not hold up the other for ever. */
function itemsOf(deps: SyncCrmBDeps, call: SyncedCall): OnceItem<CrmBItem>[] {
  const { call_id, lead } = call;
  const access = () => accessOf(deps, call);
  const common = (name: CrmBItem) => ({
    name,
    known: call[name],
    since: call.finished_at,
    change: (before: Call[CrmBItem], after: Call[CrmBItem]) => deps.calls.changeCrmBItem(call_id, name, before, after),
  });
  const callLog: OnceItem<CrmBItem> = {
    ...common('call_log'),
    prepare: async () => {
      const entry = callLogOf(call);
      if (!entry) return { kind: 'settled', state: 'none' };
      const granted = await access();
      return { kind: 'request', send: () => deps.callLogs.create(granted, lead.lead_id, entry) };
    },
    find: async () => deps.callLogs.find(await access(), lead.lead_id, call_id),
  };
  const note: OnceItem<CrmBItem> = {
    ...common('note'),
    prepare: async () => {
      const content = mayHaveNote(call) ? noteOf(call, await contentOf(deps, call)) : undefined;
      if (!content) return { kind: 'settled', state: 'none' };
      const granted = await access();
      return { kind: 'request', send: () => deps.notes.create(granted, lead.lead_id, content) };
    },
    find: async () => deps.notes.find(await access(), lead.lead_id, call_id),
  };
  return call.call_log?.state === 'asked' ? [note, callLog] : [callLog, note];
}

async function contentOf(deps: SyncCrmBDeps, { call_id, transcript_key, recording }: Call) {
  const transcript = transcript_key ? await deps.files.getTranscript(transcript_key).catch(unreadable) : undefined;
  if (recording?.state !== 'stored') return { transcript };
  const [key] = await deps.linkKeys();
  return { transcript, recordingLink: recordingLink(key, deps.publicUrl, call_id, deps.now()) };
}

/** It must not stand in the way of the call's end for ever. */
const unreadable = (error: Error): never => {
  throw new NotReady(`the transcript cannot be read: ${error.name}`);
};

/** @returns an access that has a token: without one nothing is asked for. @throws ReconnectNeeded, AccessUnavailable. */
async function accessOf(deps: SyncCrmBDeps, { lead }: SyncedCall): Promise<CrmBAccess> {
  const connection = await deps.connections.get(lead.connection_id);
  if (!connection) throw new ReconnectNeeded('the connection is gone');
  const access = deps.accessTo(connection);
  await access.token();
  return access;
}

/** Dying before the message leaves a call whose turn is past: recover-calls sends it. */
async function tryLater(
  deps: SyncCrmBDeps,
  callId: string,
  turn: { until: string },
  waiting: readonly Waiting<CrmBItem>[],
): Promise<void> {
  const { seconds, error } = nextTry(waiting);
  if (!(await deps.calls.endCrmBTurn(callId, turn, { next: secondsAfter(deps.now(), seconds), error }))) return;
  // A second more than the wait, so that it never comes before its time and is dropped.
  if (seconds < LONGEST_QUEUE_WAIT_SECONDS) await deps.syncQueue.send({ call_id: callId }, seconds + 1);
}
