import type { Call } from '../../../domain/calls/call.ts';
import { mayBecome } from '../../../domain/calls/call-status.ts';
import { LOST } from '../../../domain/calls/dialing/lead-end.ts';
import {
  decideFromRecord,
  decideUnknownDial,
  isLost,
  lookupWindow,
} from '../../../domain/calls/platform/platform-lookup.ts';
import type { PlatformMessage } from '../../../domain/calls/platform/platform-message.ts';
import { whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import type { CallLookup, Unknown, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { giveBackDialClaim } from '../dialing/give-back-dial-claim.ts';
import { endDialedCall } from '../steps/end-dialed-call.ts';
import { type WithdrawCallDeps, withdrawCall } from '../steps/withdraw-call.ts';
import { type ApplyPlatformMessageDeps, applyPlatformMessage } from './apply-platform-message.ts';
import { type EndQueuedCallDeps, endQueuedCall } from './end-queued-call.ts';
import { noteSecondId } from './note-second-id.ts';

/** Longer than this step takes to read the platform's record and to store it. */
const ADOPTED_AFTER_SECONDS = 30;

export type SettleAtPlatformDeps = ApplyPlatformMessageDeps &
  WithdrawCallDeps &
  EndQueuedCallDeps & {
    calls: Pick<CallStore, 'noteAbsence' | 'noteQueued'>;
    doNotCall: Pick<DoNotCallStore, 'hasEither'>;
    voice: Pick<VoicePlatform, 'read' | 'hangUp'>;
    /** The lookups of one run, which share their listings. */
    lookup: CallLookup;
  };

/** Looks up a dial with an unknown outcome at the platform, and settles it (docs/call-lifecycle.md, "Dialing"). */
export async function settleUnknownDial(deps: SettleAtPlatformDeps, call: Call, now: Date): Promise<void> {
  const { call_id: callId, dial_claimed_at: claimedAt, former_platform_ids: former = new Set<string>() } = call;
  if (!claimedAt) return;
  const found = await answerTo(deps.lookup.find(callId, lookupWindow(claimedAt, now), former), call, now);
  countOperatorFault(deps, found);
  if (found.kind === 'found') await hangUpOthers(deps, call, found.others);
  const step = decideUnknownDial(call, found, now);
  switch (step.kind) {
    case 'read_record':
      return settleFromRecord(deps, call, step.platformId, now);
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
      return endAsLost(deps, call);
    case 'wait':
  }
}

/**
 * Hangs up further calls that the platform has for one dial. The messages are sent before our call adopts one of the
 * ids, so that a crash leaves no call live. They are delayed until after the adoption, so that reports about these
 * calls are not applied to our call.
 */
async function hangUpOthers(deps: SettleAtPlatformDeps, call: Call, others: readonly string[]): Promise<void> {
  if (others.length > 0) deps.count('DoubleDial');
  const { call_id } = call;
  for (const platform_id of others)
    await deps.dialQueue.send({ call_id, hang_up: { platform_id, tries: 0 } }, ADOPTED_AFTER_SECONDS);
  for (const platformId of others) await noteSecondId(deps, call, platformId);
}

/** Reads the platform's own record of a call in place of a missing message, and settles the call by it. */
export async function settleFromRecord(
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
    case 'note_queued':
      await noteQueued(deps, call, step.message, now);
      return endIfForbidden(deps, call, platformId);
    case 'stay_queued':
      return endIfForbidden(deps, call, platformId);
    case 'end_queued':
      await noteQueued(deps, call, step.message, now);
      await endQueuedCall(deps, { ...call, platform_id: platformId });
      return;
    case 'end_as_lost':
      return endAsLost(deps, call, platformId);
    case 'wait':
  }
}

/**
 * Stores that the platform has a call queued, and its id if the answer to the dial was lost. The message that ends the
 * call at its `dial_by` is sent first. If the run dies before the write, the next run sends another message, which has
 * no further effect.
 */
async function noteQueued(deps: SettleAtPlatformDeps, call: Call, message: PlatformMessage, now: Date): Promise<void> {
  const { call_id: callId, dial_claimed_at: claimedAt, platform_id, dial_by } = call;
  const { platform_id: platformId } = message;
  if (!platform_id) await applyPlatformMessage(deps, callId, message);
  if (!claimedAt || call.queued_at_platform) return;
  const left = secondsBetween(now, dial_by);
  if (left > 0) await deps.dialQueue.send({ call_id: callId, end_if_queued: platformId }, left);
  await deps.calls.noteQueued({ callId, claimedAt }, platformId, now.toISOString());
}

/**
 * Ends a queued call that would not be dialed now: since its dial, its number was put on the do-not-call list, its
 * destination was forbidden, or its organization was suspended.
 */
async function endIfForbidden(deps: SettleAtPlatformDeps, call: Call, platformId: string): Promise<void> {
  const { org_id: orgId, phone_number: phone } = call;
  const [isListed, org] = await Promise.all([deps.doNotCall.hasEither(orgId, phone), deps.organizations.get(orgId)]);
  const isForbidden = org === undefined || org.suspended_at !== undefined || whyNotAllowed(org, phone) !== undefined;
  if (isListed || isForbidden) await endQueuedCall(deps, { ...call, platform_id: platformId });
}

/**
 * Ends a call at its deadline. The hang-up is left to dial-call, because many such calls would use up a run's time if
 * the platform does not answer. Its message is sent first: otherwise a worker that dies after the end would leave the
 * call live.
 */
async function endAsLost(deps: SettleAtPlatformDeps, call: Call, platformId?: string): Promise<void> {
  if (platformId) {
    const { call_id } = call;
    await deps.dialQueue.send({ call_id, hang_up: { platform_id: platformId, tries: 0 } });
    await noteSecondId(deps, call, platformId);
  }
  const leadEnd = mayBecome(call.status, 'ringing') ? LOST : undefined;
  if (await endDialedCall(deps, call, 'lost', leadEnd)) deps.count('CallLost');
}

/** From the deadline on, treats a failure on our side, such as an unreadable platform key, as an unknown answer. */
const answerTo = <Answer>(request: Promise<Answer>, call: Call, now: Date): Promise<Answer | Unknown> =>
  request.catch((error: Error) => {
    if (isLost(call, now)) return { kind: 'unknown', reason: error.message };
    throw error;
  });

function countOperatorFault(
  { count }: Pick<SettleAtPlatformDeps, 'count'>,
  answer: { kind: string; isOperatorFault?: boolean },
): void {
  if (answer.isOperatorFault) count('DialOperatorFault');
}
