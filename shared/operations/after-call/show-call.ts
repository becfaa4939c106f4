import type { CallWithAll, TranscriptView } from '../../domain/after-call/call-page-view.ts';
import type { Call } from '../../domain/calls/call.ts';
import { readTalk } from '../../domain/calls/conversation/talk.ts';
import { isKept, withKeptFiles } from '../../domain/calls/retention/kept-files.ts';
import { ledgerTimesOf } from '../../domain/calls/usage/ledger-times.ts';
import type { Shown } from '../../domain/newer-values.ts';
import { withUnenteredHold } from '../../domain/organizations/ledger-entry.ts';
import type { CallbackStore } from '../../stores/after-call/callbacks.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { TranscriptStart } from '../../stores/calls/files/transcript-start.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { DoNotCallStore } from '../../stores/organizations/do-not-call.ts';

export type ShowCallDeps = {
  calls: Pick<CallStore, 'getToShow'>;
  callbacks: Pick<CallbackStore, 'listToShow'>;
  ledger: Pick<CreditLedger, 'ofCall'>;
  doNotCall: Pick<DoNotCallStore, 'has'>;
  /** Reads at most this many bytes of a transcript. */
  transcriptStart: (key: string, mostBytes: number) => Promise<TranscriptStart>;
  log: (message: string, facts: object) => void;
  now: () => Date;
};

export type ShownCall = ({ kind: 'found' } & CallWithAll) | { kind: 'call_not_found' };

/** Enough for some hours of talk, even with times. */
const MAX_TRANSCRIPT_BYTES = 512 * 1024;

/**
 * Reads a call with its notifications, its transcript and its entries in the ledger. Another organization's call is
 * reported as not found before any of its data is read.
 */
export async function showCall(deps: ShowCallDeps, orgId: string, callId: string): Promise<ShownCall> {
  const stored = await deps.calls.getToShow(callId);
  const now = deps.now();
  if (stored?.org_id !== orgId || !isKept(stored, now)) return { kind: 'call_not_found' };
  const call = withKeptFiles(stored, now);
  const times = ledgerTimesOf(call);
  const [callbacks, transcript, entries, isListed] = await Promise.all([
    deps.callbacks.listToShow(callId),
    readTranscript(deps, call),
    times ? deps.ledger.ofCall(orgId, callId, times) : [],
    deps.doNotCall.has(orgId, call.phone_number),
  ]);
  return { kind: 'found', call, callbacks, transcript, entries: withUnenteredHold(call, entries), isListed };
}

/** Reads the transcript. A file that cannot be read must not hide the call. */
async function readTranscript(
  deps: ShowCallDeps,
  { call_id, transcript_key, lines_key }: Shown<Call>,
): Promise<TranscriptView> {
  if (transcript_key === undefined) return { state: 'none', text: null, is_cut: false, lines: null };
  const read = (key: string) =>
    deps.transcriptStart(key, MAX_TRANSCRIPT_BYTES).catch((error: Error) => {
      deps.log('a transcript cannot be read', { call_id, error: error.name });
      return undefined;
    });
  const [plain, timed] = await Promise.all([
    read(transcript_key),
    lines_key === undefined ? undefined : read(lines_key),
  ]);
  if (!plain) return { state: 'unavailable', text: null, is_cut: false, lines: null };
  const lines = (timed && readTalk(timed.text)) ?? null;
  return { state: 'stored', text: plain.text, is_cut: lines === null && plain.isCut, lines };
}
