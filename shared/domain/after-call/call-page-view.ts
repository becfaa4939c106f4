import { type Call, isWaiting, type RemoteWrite } from '../calls/call.ts';
import { type CallFact, callFacts, callSteps, factsAfterEnd } from '../calls/call-facts.ts';
import { viewCallRow } from '../calls/call-row-view.ts';
import { isTerminal } from '../calls/call-status.ts';
import type { TalkLine } from '../calls/conversation/talk.ts';
import { viewPlacedBy } from '../calls/placed-by.ts';
import { nextTurnAt, turnAttributes, turnKinds } from '../calls/recovery/turn.ts';
import type { Shown } from '../newer-values.ts';
import { toCredits } from '../organizations/credit.ts';
import { type LedgerEntry, viewLedgerEntry } from '../organizations/ledger-entry.ts';
import { withNumbersAsText } from '../text/exact-json.ts';
import type { Callback } from './callbacks/callback.ts';

/** The shown part of the transcript. `unavailable`: its file cannot be read now. */
export type TranscriptView = {
  state: 'none' | 'stored' | 'unavailable';
  text: string | null;
  is_cut: boolean;
  /** The lines with their times; null if these are not stored or cannot be read. */
  lines: TalkLine[] | null;
};

/** A call with its follow-ups, as stored. */
export type CallWithAll = {
  call: Shown<Call>;
  callbacks: readonly Shown<Callback>[];
  transcript: TranscriptView;
  /** The call's ledger entries, oldest first. */
  entries: readonly Shown<LedgerEntry>[];
  /** Whether its number is on the do-not-call list. */
  isListed: boolean;
};

/** Returns a call with its follow-ups, as the dashboard shows it. */
export const viewCallPage = ({ call, callbacks, transcript, entries, isListed }: CallWithAll) => ({
  ...viewCallRow(call),
  idempotency_key: call.idempotency_key ?? null,
  callback_url: call.callback_url ?? null,
  // A browser would round long numbers.
  request_metadata: withNumbersAsText(call.request_metadata),
  is_listed: isListed,
  attempts: call.attempts,
  timeline: timelineOf(call),
  waits: waitOf(call),
  credit: { ...creditOf(call), entries: entries.map(viewLedgerEntry) },
  placed_by: viewPlacedBy(call.placed_by),
  lead: leadOf(call),
  steps: stepsOf(call),
  open_steps: openStepsOf(call),
  callbacks: callbacks.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1)).map(viewCallback),
  analysis: analysisOf(call),
  transcript,
  recording: call.recording ? { state: call.recording.state, error: call.recording.error ?? null } : null,
});

/** Returns the facts by time, but follow-ups always below the end. */
function timelineOf(call: Shown<Call>): { what: CallFact; at: string }[] {
  const { ended_at: end = '' } = call;
  const sortTimeOf = ({ what, at }: { what: CallFact; at: string }) =>
    factsAfterEnd.includes(what) && at < end ? end : at;
  const times: Record<CallFact, string | undefined> = {
    placed: call.created_at,
    due: call.scheduled_for,
    dialed: call.dial_claimed_at,
    rang: call.rang_at,
    answered: call.started_at ?? call.answered_at,
    stop_asked: call.stop_asked_at,
    // Shown until the call has ended.
    hung_up: call.ended_at === undefined ? call.hung_up_at : undefined,
    ended: call.ended_at,
    recorded: call.recording?.state === 'stored' ? call.recording.at : undefined,
    analyzed: call.analyzed_at,
    listed: call.do_not_call_at,
    finished: call.finished_at,
  };
  return callFacts
    .flatMap((what) => (times[what] === undefined ? [] : [{ what, at: times[what] }]))
    .sort((one, other) => sortTimeOf(one).localeCompare(sortTimeOf(other)));
}

/** Returns why a call is not dialed yet, and how long it may wait; null for a call that does not wait. */
function waitOf(call: Shown<Call>): { for: 'window' | 'line'; until: string | null } | null {
  if (call.status === 'scheduled') return { for: 'window', until: call.scheduled_for ?? null };
  return isWaiting(call) ? { for: 'line', until: call.dial_by } : null;
}

/** Returns amounts in credits. The uncharged part of the hold is returned at the end. */
function creditOf(call: Shown<Call>) {
  const charged = call.cost ?? 0;
  return {
    rate: toCredits(call.rate),
    max_duration: call.max_duration_seconds,
    held: toCredits(call.held),
    charged: call.cost === undefined ? null : toCredits(charged),
    returned: isTerminal(call.status) ? toCredits(Math.max(0, call.held - charged)) : null,
    beyond_hold: toCredits(call.beyond_hold ?? 0),
  };
}

function leadOf({ lead }: Shown<Call>) {
  if (!lead) return null;
  const { crm, connection_id, lead_id, event, test, owner_id = null, fields } = lead;
  return { crm, connection_id, lead_id, event, is_test: test, owner_id, fields };
}

/** Lists the writes to CRM-B and the help desk that have begun. */
const stepsOf = (call: Shown<Call>) =>
  callSteps.flatMap((step) => {
    const mark: Shown<RemoteWrite> | undefined = call[step];
    return mark ? [{ step, state: mark.state, at: mark.at, id: mark.id ?? null, error: mark.error ?? null }] : [];
  });

/** Lists the outstanding writes to CRM-B and the help desk after a failed try. */
const openStepsOf = (call: Shown<Call>) =>
  turnKinds.flatMap((of) => {
    const error = call[turnAttributes[of].error];
    const next_at = nextTurnAt(call, of);
    return next_at === undefined || error === undefined ? [] : [{ of, error, next_at }];
  });

const viewCallback = ({ webhook_id, type, state, created_at, next_attempt_at, asked, attempts }: Shown<Callback>) => ({
  webhook_id,
  type,
  state,
  created_at,
  next_attempt_at: next_attempt_at ?? null,
  asked_at: asked?.at ?? null,
  attempts: attempts.map(({ at, status_code, error, asked: isAsked = false }) => ({
    at,
    status_code: status_code ?? null,
    error: error ?? null,
    is_asked: isAsked,
  })),
});

function analysisOf({ analysis }: Shown<Call>) {
  if (!analysis) return null;
  const { state, result = null, is_cut = false, error = null } = analysis;
  return { state, is_cut, error, result };
}
