import type { Call } from '../../../domain/calls/call.ts';
import { mayBecome } from '../../../domain/calls/call-status.ts';
import { type PlatformMessage, stepFor } from '../../../domain/calls/platform/platform-message.ts';
import { withCredibleTimes } from '../../../domain/calls/platform/reported-times.ts';
import type { Count } from '../../../domain/metric.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { type GiveBackDialClaimDeps, giveBackDialClaim } from '../dialing/give-back-dial-claim.ts';
import { type EndCallDeps, endCall } from '../steps/end-call.ts';
import { noteSecondId } from './note-second-id.ts';
import { closeNumber, type NumberGateDeps } from './number-gate.ts';
import { type CloseGateDeps, closeOpenGate } from './platform-gate.ts';

export type ApplyPlatformMessageDeps = EndCallDeps &
  GiveBackDialClaimDeps &
  CloseGateDeps &
  NumberGateDeps & {
    organizations: Pick<OrganizationStore, 'get'>;
    calls: Pick<
      CallStore,
      'get' | 'advance' | 'adopt' | 'noteHangUp' | 'noteSecond' | 'noteLate' | 'erasedOf' | 'ending' | 'givingBack'
    >;
    files: Pick<CallFiles, 'putTranscript' | 'putLines' | 'removeTranscripts'>;
    dialQueue: QueueSender<DialWork>;
    count: Count;
  };

const MAX_TRIES = 5;

const REPORTED_REFUSAL = { kind: 'refuses', isReported: true } as const;

/**
 * Applies a message of the voice platform to its call. Messages may come in any order and any number of times.
 * @returns the result, for the log.
 * @throws if other workers keep changing the call. The queue, or the next run of recover-calls, repeats the message.
 */
export async function applyPlatformMessage(
  deps: ApplyPlatformMessageDeps,
  callId: string,
  message: PlatformMessage,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!call) return applyToErased(deps, callId, message);
    const result = await apply(deps, call, message);
    if (result) return result;
  }
  throw new Error('other workers kept changing the call');
}

/**
 * Hangs up an erased call that is live at the platform, and stores its id if that is unknown: the service had ended the
 * call without an answer of the platform, or dialed it twice. Removes the transcript of a report: a worker that read
 * the call before the erasure may have stored it.
 */
async function applyToErased(
  deps: ApplyPlatformMessageDeps,
  callId: string,
  { kind, platform_id: platformId }: PlatformMessage,
): Promise<string> {
  const org_id = await deps.calls.erasedOf(callId);
  if (org_id === undefined) return 'no_such_call';
  if (kind === 'report') await deps.files.removeTranscripts({ org_id, call_id: callId });
  if (kind === 'progress') await hangUpLater(deps, { call_id: callId }, platformId);
  await deps.calls.noteLate(callId, platformId);
  return 'erased';
}

/** @returns undefined if the call has changed since it was read */
async function apply(
  deps: ApplyPlatformMessageDeps,
  call: Call,
  reported: PlatformMessage,
): Promise<string | undefined> {
  const message = withCredibleTimes(call, reported, deps.now());
  const step = stepFor(call, message);
  const now = deps.now().toISOString();
  const { platform_id: platformId } = message;
  switch (step.kind) {
    case 'nothing':
      await noteSecondId(deps, call, platformId);
      return step.why;
    case 'warn_of_double_dial':
      deps.count('DoubleDial');
      if (step.isLive) await hangUpLater(deps, call, platformId);
      await noteSecondId(deps, call, platformId);
      return 'double_dial';
    case 'hang_up':
      await hangUpLater(deps, call, platformId);
      await noteSecondId(deps, call, platformId);
      return 'hang_up';
    case 'advance': {
      const moved = mayBecome(call.status, step.to)
        ? await deps.calls.advance(call.call_id, { status: step.to, at: step.at }, platformId, now)
        : await deps.calls.adopt(call.call_id, platformId, now);
      return moved ? step.to : undefined;
    }
    case 'note_hang_up':
      return (await deps.calls.noteHangUp(call, platformId, step, now)) ? 'hung_up' : undefined;
    case 'give_back': {
      const { dial_claimed_at } = call;
      if (!dial_claimed_at) return 'no_attempt';
      // Closes the gate before the slots are freed, so that they are not handed over at once.
      await heedRefusal(deps, call, step);
      const attempt = { platformId, ungated: step.ungated };
      return (await giveBackDialClaim(deps, { ...call, dial_claimed_at }, attempt)) ? 'given_back' : undefined;
    }
    case 'end': {
      // A report of `ringing` came before, so the call cannot be given back; the next calls meet the same refusal.
      if (message.kind === 'report') {
        const { is_account_fault: isAccountFault, refuses_account: closesGate, refuses_number: closesNumber } = message;
        await heedRefusal(deps, call, { isAccountFault, closesGate, closesNumber });
      }
      // Stored before the end is written, so that an ended call never lacks its transcript.
      const transcript = await storeTranscript(deps, call, message);
      const ending = { ...step.ending, platformId, ...transcript };
      return (await endCall(deps, call, ending)).committed ? step.ending.status : undefined;
    }
  }
}

type Refusal = { isAccountFault?: boolean; closesGate?: boolean; closesNumber?: boolean };

async function heedRefusal(deps: ApplyPlatformMessageDeps, call: Call, refusal: Refusal): Promise<void> {
  if (refusal.isAccountFault) deps.count('DialOperatorFault');
  if (refusal.closesGate) await closeOpenGate(deps, REPORTED_REFUSAL);
  if (refusal.closesNumber) await closeNumberOf(deps, call);
}

/** Closes the gate of the number from which the call was dialed. The organization may have another one by now. */
async function closeNumberOf(
  deps: ApplyPlatformMessageDeps,
  { org_id: orgId, calling_number: dialedFrom }: Call,
): Promise<void> {
  const current = dialedFrom === undefined ? await deps.organizations.get(orgId) : undefined;
  const numberId = dialedFrom ?? current?.voice_number_id;
  await closeNumber(deps, { orgId, numberId }, { kind: 'open' }, REPORTED_REFUSAL);
}

/** Leaves the hang-up to dial-call, because apply-voice-event does not have the platform's key. */
const hangUpLater = (
  { dialQueue }: ApplyPlatformMessageDeps,
  { call_id }: Pick<Call, 'call_id'>,
  platform_id: string,
): Promise<void> => dialQueue.send({ call_id, hang_up: { platform_id, tries: 0 } });

/** Stores a transcript in two forms: the analysis reads the plain text, and people read the lines with their times. */
async function storeTranscript(
  { files }: ApplyPlatformMessageDeps,
  call: Call,
  message: PlatformMessage,
): Promise<{ transcriptKey?: string; linesKey?: string }> {
  if (message.kind !== 'report') return {};
  const { transcript, lines, transcript_key, lines_key } = message;
  const [transcriptKey = transcript_key, linesKey = lines_key] = await Promise.all([
    transcript_key === undefined && transcript !== undefined ? files.putTranscript(call, transcript) : undefined,
    lines_key === undefined && lines !== undefined ? files.putLines(call, lines) : undefined,
  ]);
  return { ...(transcriptKey && { transcriptKey }), ...(linesKey && { linesKey }) };
}
