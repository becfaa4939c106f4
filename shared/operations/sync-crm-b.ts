import type { Call, RemoteWrite } from '../domain/call.ts';
import type { Connection } from '../domain/connection.ts';
import { AccessUnavailable, ReconnectNeeded } from '../domain/crm-access.ts';
import { callLogOf, mayHaveNote, noteOf } from '../domain/crm-b-record.ts';
import { isSyncOver, personWaitSeconds, SYNC_LEASE_SECONDS, syncWaitSeconds } from '../domain/crm-b-sync.ts';
import { secondsAfter, secondsBetween } from '../domain/dial-timing.ts';
import { recordingLink } from '../domain/recording-link.ts';
import { LOOKS_APART_SECONDS } from '../domain/recovery.ts';
import type { CrmBAccess } from '../integrations/crm-b/api.ts';
import type { CrmBCallLogs } from '../integrations/crm-b/call-log.ts';
import type { CrmBNotes } from '../integrations/crm-b/note.ts';
import type { CrmBLookUp, CrmBWrite } from '../integrations/crm-b/records.ts';
import type { CallWork } from '../messages/call-work.ts';
import type { CallFiles } from '../stores/call-files.ts';
import type { CrmBItem } from '../stores/call-marks.ts';
import type { CallStore } from '../stores/calls.ts';
import type { ConnectionStore } from '../stores/connections.ts';
import type { QueueSender } from '../stores/queue.ts';

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

/** One of the two things that CRM-B is told of a call. */
type Item = {
  name: CrmBItem;
  /** Makes the request, or undefined where there is nothing to tell. */
  prepare: () => Promise<((access: CrmBAccess) => Promise<CrmBWrite>) | undefined>;
  find: (access: CrmBAccess) => Promise<CrmBLookUp>;
};

/** An item that is not settled yet: what is known of it, why, and in how many seconds it is tried again. */
type Waiting = { item: CrmBItem; known: RemoteWrite | undefined; reason: string; seconds: number };

/** A try that begins later than this might not end within the function's time. */
const LAST_BEGINNING_MS = 20_000;
/** An item that there was no time for is not late by any fault of its own. */
const NEXT_TURN_SECONDS = 15;
/** Longer waits are left to recover-calls: a queue holds a message for 15 minutes at most. */
const LONGEST_QUEUE_WAIT_SECONDS = 15 * 60;

/**
 * Writes a finished call into CRM-B: a call log and a note on its lead, each at most once (docs/call-lifecycle.md, "After the
 * call"). What cannot be written yet is tried again later, by a message to the queue or by recover-calls; what is not
 * written by its deadline is given up, and the call is done all the same.
 * @returns a word for the log. @throws what our own stores throw; then the queue repeats it.
 */
export async function syncCrmB(deps: SyncCrmBDeps, callId: string): Promise<string> {
  const [now, begun] = [deps.now(), deps.stopwatch()];
  const turn = { until: secondsAfter(now, SYNC_LEASE_SECONDS) };
  if (!(await deps.calls.takeCrmBTurn(callId, { now: now.toISOString(), ...turn }))) return 'not_due';
  const call = await deps.calls.get(callId);
  if (!call || !isOfCrmB(call)) return 'not_due';

  const waiting: Waiting[] = [];
  for (const item of itemsOf(deps, call)) {
    const tried =
      deps.stopwatch() - begun < LAST_BEGINNING_MS
        ? await settle(deps, call, item)
        : { ...waitFor(deps, call, item, call[item.name], 'there was no time for it'), seconds: NEXT_TURN_SECONDS };
    if (!tried) continue;
    waiting.push(tried);
    warn(deps, call, 'CRM-B has not taken an item of a call yet', tried);
  }
  if (waiting.length === 0) {
    await deps.calls.recordCrmBSync(callId);
    return 'synced';
  }
  if (isSyncOver(call, deps.now())) {
    for (const each of waiting) await giveUp(deps, callId, each);
    await deps.calls.recordCrmBSync(callId);
    return 'given_up';
  }
  await tryLater(deps, callId, turn, waiting);
  return 'waiting';
}

const isOfCrmB = (call: Call): call is SyncedCall => call.lead !== undefined && call.finished_at !== undefined;

/** What was never asked for comes first: a look-up that takes its time must not hold up the other for ever. */
function itemsOf(deps: SyncCrmBDeps, call: SyncedCall): Item[] {
  const { call_id, lead } = call;
  const callLog: Item = {
    name: 'call_log',
    prepare: async () => {
      const entry = callLogOf(call);
      return entry && ((access) => deps.callLogs.create(access, lead.lead_id, entry));
    },
    find: (access) => deps.callLogs.find(access, lead.lead_id, call_id),
  };
  const note: Item = {
    name: 'note',
    prepare: async () => {
      const content = mayHaveNote(call) ? noteOf(call, await contentOf(deps, call)) : undefined;
      return content && ((access) => deps.notes.create(access, lead.lead_id, content));
    },
    find: (access) => deps.notes.find(access, lead.lead_id, call_id),
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
class TranscriptUnreadable extends Error {}

const unreadable = (error: Error): never => {
  throw new TranscriptUnreadable(`the transcript cannot be read: ${error.name}`);
};

/** @returns undefined where the item is settled. */
async function settle(deps: SyncCrmBDeps, call: SyncedCall, item: Item): Promise<Waiting | undefined> {
  const known = call[item.name];
  if (known && known.state !== 'asked') return undefined;
  try {
    return known ? await lookUp(deps, call, item, known) : await ask(deps, call, item, undefined);
  } catch (error) {
    if (error instanceof ReconnectNeeded)
      return { ...waitFor(deps, call, item, known, error.message), seconds: personWaitSeconds(deps.random()) };
    if (error instanceof AccessUnavailable || error instanceof TranscriptUnreadable)
      return waitFor(deps, call, item, known, error.message);
    throw error;
  }
}

/** Nobody knows what came of the request: only two complete looks prove that nothing did. */
async function lookUp(
  deps: SyncCrmBDeps,
  call: SyncedCall,
  item: Item,
  known: RemoteWrite,
): Promise<Waiting | undefined> {
  const found = await item.find(await accessOf(deps, call));
  const now = deps.now();
  switch (found.kind) {
    case 'found':
      return change(deps, call, item, known, { state: 'written', at: known.at, id: found.id });
    case 'refused':
      warn(deps, call, 'CRM-B refuses to show an item of a call', { item: item.name, reason: found.code });
      return change(deps, call, item, known, { state: 'unconfirmed', at: known.at, error: found.code });
    case 'unavailable':
      return waitFor(deps, call, item, known, found.reason);
    case 'absent': {
      const absent_since = known.absent_since ?? now.toISOString();
      const left = LOOKS_APART_SECONDS - secondsBetween(absent_since, now);
      if (left <= 0) return ask(deps, call, item, known);
      const after = { ...known, absent_since };
      if (!known.absent_since) await deps.calls.changeCrmBItem(call.call_id, item.name, known, after);
      return { ...waitFor(deps, call, item, after, 'a request without an answer is looked for'), seconds: left };
    }
  }
}

/** Writes the item. Between the mark and its result lies the request: whoever finds the mark looks for the record first. */
async function ask(
  deps: SyncCrmBDeps,
  call: SyncedCall,
  item: Item,
  known: RemoteWrite | undefined,
): Promise<Waiting | undefined> {
  const create = await item.prepare();
  if (!create) return change(deps, call, item, known, { state: 'none', at: deps.now().toISOString() });
  const access = await accessOf(deps, call);
  const asked: RemoteWrite = { state: 'asked', at: deps.now().toISOString() };
  const overtaken = await change(deps, call, item, known, asked);
  if (overtaken) return overtaken;

  const outcome = await create(access).catch(notDone);
  switch (outcome.kind) {
    case 'written':
      return change(deps, call, item, asked, { state: 'written', at: asked.at, id: outcome.id });
    case 'refused':
      warn(deps, call, 'CRM-B refuses an item of a call', { item: item.name, reason: outcome.code });
      return change(deps, call, item, asked, { state: 'failed', at: asked.at, error: outcome.code });
    case 'unknown':
      return waitFor(deps, call, item, asked, outcome.reason);
    case 'unavailable':
      await deps.calls.changeCrmBItem(call.call_id, item.name, asked, undefined);
      return waitFor(deps, call, item, undefined, outcome.reason);
  }
}

/** Without an access token nothing was sent, or nothing was done. */
function notDone(error: Error): CrmBWrite {
  if (error instanceof ReconnectNeeded || error instanceof AccessUnavailable)
    return { kind: 'unavailable', reason: error.message };
  throw error;
}

/** @returns an access that has a token: without one nothing is asked for. @throws ReconnectNeeded, AccessUnavailable. */
async function accessOf(deps: SyncCrmBDeps, { lead }: SyncedCall): Promise<CrmBAccess> {
  const connection = await deps.connections.get(lead.connection_id);
  if (!connection) throw new ReconnectNeeded('the connection is gone');
  const access = deps.accessTo(connection);
  await access.token();
  return access;
}

/** @returns undefined where the change took place. */
async function change(
  deps: SyncCrmBDeps,
  call: SyncedCall,
  item: Item,
  before: RemoteWrite | undefined,
  after: RemoteWrite,
): Promise<Waiting | undefined> {
  if (await deps.calls.changeCrmBItem(call.call_id, item.name, before, after)) return undefined;
  return waitFor(deps, call, item, before, 'another worker has it');
}

const waitFor = (
  deps: SyncCrmBDeps,
  call: SyncedCall,
  item: Item,
  known: RemoteWrite | undefined,
  reason: string,
): Waiting => ({
  item: item.name,
  known,
  reason,
  seconds: syncWaitSeconds(known?.at ?? call.finished_at, deps.now(), deps.random()),
});

const warn = (
  deps: SyncCrmBDeps,
  { call_id, lead: { connection_id } }: SyncedCall,
  message: string,
  { item, reason }: Pick<Waiting, 'item' | 'reason'>,
): void => deps.warn(message, { call_id, connection_id, item, reason });

async function giveUp(deps: SyncCrmBDeps, callId: string, { item, known, reason }: Waiting): Promise<void> {
  const at = known?.at ?? deps.now().toISOString();
  await deps.calls.changeCrmBItem(callId, item, known, { state: known ? 'unconfirmed' : 'failed', at, error: reason });
}

/** Dying before the message leaves a call whose turn is past: recover-calls sends it. */
async function tryLater(
  deps: SyncCrmBDeps,
  callId: string,
  turn: { until: string },
  waiting: readonly Waiting[],
): Promise<void> {
  const seconds = Math.min(...waiting.map((each) => each.seconds));
  const error = [...new Set(waiting.map(({ reason }) => reason))].join('; ');
  if (!(await deps.calls.endCrmBTurn(callId, turn, { next: secondsAfter(deps.now(), seconds), error }))) return;
  // A second more than the wait, so that it never comes before its time and is dropped.
  if (seconds < LONGEST_QUEUE_WAIT_SECONDS) await deps.syncQueue.send({ call_id: callId }, seconds + 1);
}
