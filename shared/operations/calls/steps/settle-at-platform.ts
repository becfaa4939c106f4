import type { Call } from '../../../domain/calls/call.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import { decideFromRecord, decideUnknownDial, isLost, lookupWindow } from '../../../domain/calls/platform-lookup.ts';
import type { CallLookup, Unknown, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import { type ApplyPlatformMessageDeps, applyPlatformMessage } from './apply-platform-message.ts';
import { endCall } from './end-call.ts';
import { type EndQueuedCallDeps, endQueuedCall } from './end-queued-call.ts';
import { giveBackDialClaim } from './give-back-dial-claim.ts';
import { hangUpAtPlatform } from './hang-up-at-platform.ts';
import { type WithdrawCallDeps, withdrawCall } from './withdraw-call.ts';

export type SettleAtPlatformDeps = ApplyPlatformMessageDeps &
  WithdrawCallDeps &
  EndQueuedCallDeps & {
    calls: Pick<CallStore, 'noteAbsence'>;
    voice: Pick<VoicePlatform, 'read' | 'hangUp'>;
    /** The lookups of one run, which share what they list. */
    lookup: CallLookup;
  };

/** Looks up a dial with an unknown outcome at the platform, and settles it (docs/call-lifecycle.md, "Dialing"). */
export async function settleUnknownDial(deps: SettleAtPlatformDeps, call: Call, now: Date): Promise<void> {
  const { call_id: callId, dial_claimed_at: claimedAt, former_platform_ids: former = new Set<string>() } = call;
  if (!claimedAt) return;
  const found = await answerTo(deps.lookup.find(callId, lookupWindow(claimedAt, now), former), call, now);
  countOperatorFault(deps, found);
  const step = decideUnknownDial(call, found, now);
  switch (step.kind) {
    case 'read_record':
      return readFromPlatform(deps, call, step.platformId, now);
    case 'note_absence':
      await deps.calls.noteAbsence({ callId, claimedAt }, step.as_of);
      return;
    case 'give_back':
      await giveBackDialClaim(deps, { ...call, dial_claimed_at: claimedAt }, { absent: true });
      return;
    case 'withdraw':
      await withdrawCall(deps, call, 'failed', 'platform_unreachable');
      return;
    case 'end_as_lost':
      return endAsLost(deps, call, now);
    case 'wait':
  }
}

/** Applies the platform's own record of a call in place of a message that did not come. */
export async function readFromPlatform(
  deps: SettleAtPlatformDeps,
  call: Call,
  platformId: string,
  now: Date,
): Promise<void> {
  const record = await answerTo(deps.voice.read(platformId), call, now);
  countOperatorFault(deps, record);
  const step = decideFromRecord(call, record, now);
  switch (step.kind) {
    case 'apply':
      await applyPlatformMessage(deps, call.call_id, step.message);
      return;
    case 'end_queued':
      await endQueuedCall(deps, call);
      return;
    case 'end_as_lost':
      return endAsLost(deps, call, now, platformId);
    case 'wait':
  }
}

/** Ends a call at its deadline: the platform is asked to hang up, and the call ends whatever it answers. */
async function endAsLost(deps: SettleAtPlatformDeps, call: Call, now: Date, platformId?: string): Promise<void> {
  if (platformId) await hangUpAtPlatform(deps, call.call_id, platformId);
  if ((await endCall(deps, call, endedByService('failed', 'lost', now))).committed) deps.count('CallLost');
}

/** From the deadline on, takes the failure of our own request, such as that for the platform's key, as no answer. */
const answerTo = <Answer>(asked: Promise<Answer>, call: Call, now: Date): Promise<Answer | Unknown> =>
  asked.catch((error: Error) => {
    if (isLost(call, now)) return { kind: 'unknown', reason: error.message };
    throw error;
  });

function countOperatorFault(
  { count }: Pick<SettleAtPlatformDeps, 'count'>,
  answer: { kind: string; isOperatorFault?: boolean },
): void {
  if (answer.isOperatorFault) count('DialOperatorFault');
}
