import { type Call, unfinishedWork } from '../../domain/calls/call.ts';
import type { PlatformMessage } from '../../domain/calls/platform-message.ts';
import {
  HUNG_UP_SECONDS,
  isLost,
  LOOK_AHEAD_SECONDS,
  LOOK_BACK_SECONDS,
  LOOKS_APART_SECONDS,
  type RecoveryStep,
  recoverySteps,
} from '../../domain/calls/recovery.ts';
import { isScheduled } from '../../domain/calls/scheduled-call.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { VoicePlatform } from '../../integrations/voice/voice-platform.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import { releaseOf } from '../../messages/lead-release.ts';
import type { CallStore, DialClaim } from '../../stores/calls/calls.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type ApplyVoiceEventDeps, applyVoiceEvent } from './apply-voice-event.ts';
import { endCall, type GiveUpCallDeps, givenUp, giveUpCall } from './end-call.ts';
import { type ExpireCallDeps, expireCall } from './expire-call.ts';
import { giveBackCall } from './give-back-call.ts';
import { type HandOverSlotsDeps, handOverSlots } from './hand-over-slots.ts';

export type RecoverCallsDeps = ApplyVoiceEventDeps &
  GiveUpCallDeps &
  ExpireCallDeps &
  HandOverSlotsDeps & {
    calls: Pick<
      CallStore,
      'get' | 'unfinished' | 'noteAbsence' | 'advance' | 'adopt' | 'noteHangUp' | 'ending' | 'givingBack' | 'postponing'
    >;
    voice: Pick<VoicePlatform, 'find' | 'read'>;
    leadQueue: QueueSender<LeadEvent>;
    finishQueue: QueueSender<CallWork>;
    syncQueue: QueueSender<CallWork>;
    ticketsQueue: QueueSender<CallWork>;
    /** Sends what the client of an ended call has not been notified of. */
    renotify: (call: Call) => Promise<void>;
    /** Milliseconds that the run may still take; it stops in time, and the next one goes on. */
    timeLeftMs: () => number;
    warn: (message: string, facts: { call_id: string; error: Error }) => void;
  };

/** What a run did: how many calls it looked at, and how often it took each step. */
export type RecoveryReport = { looked_at: number; complete: boolean; failed: number; handed_over: number } & Partial<
  Record<RecoveryStep, number>
>;

const CONCURRENCY = 8;
const ENOUGH_TIME_MS = 40_000;

/**
 * The backstop of the whole outbox: whatever has not moved is sent on, settled with the platform, or ended
 * (docs/call-lifecycle.md, "recover-calls"). One call's failure stops no other.
 */
export async function recoverCalls(deps: RecoverCallsDeps): Promise<RecoveryReport> {
  const report: RecoveryReport = { looked_at: 0, complete: true, failed: 0, handed_over: 0 };
  const running = new Set<Promise<void>>();
  // First, because it is quick, and what follows may take all the time there is.
  report.handed_over = await handOverSlots(deps);

  const take = async (callId: string, step: RecoveryStep) => {
    try {
      await recover(deps, callId, step);
      report[step] = (report[step] ?? 0) + 1;
    } catch (error) {
      report.failed += 1;
      deps.count('CallNotRecovered');
      deps.warn('a call could not be recovered', { call_id: callId, error: error as Error });
    }
  };

  for (const work of unfinishedWork) {
    for await (const call of deps.calls.unfinished(work)) {
      if (deps.timeLeftMs() < ENOUGH_TIME_MS) {
        report.complete = false;
        break;
      }
      report.looked_at += 1;
      for (const step of recoverySteps({ ...call, unfinished: work }, deps.now())) {
        const task = take(call.call_id, step).finally(() => running.delete(task));
        running.add(task);
        if (running.size >= CONCURRENCY) await Promise.race(running);
      }
    }
  }
  await Promise.all(running);
  return report;
}

/** Takes one step, on the call as it is now: the index may be some seconds old. */
async function recover(deps: RecoverCallsDeps, callId: string, indexed: RecoveryStep): Promise<void> {
  const call = await deps.calls.get(callId);
  const now = deps.now();
  if (!call || !recoverySteps(call, now).includes(indexed)) return;
  switch (indexed) {
    case 'release':
      if (isScheduled(call)) await deps.leadQueue.send(releaseOf(call));
      return;
    case 'expire':
      await expireCall(deps, call);
      return;
    case 'dial':
      await deps.dialQueue.send({ call_id: callId });
      return;
    case 'find':
      await settleUnknown(deps, call, now);
      return;
    case 'read':
      if (call.platform_id) await readFromPlatform(deps, call, call.platform_id, now);
      return;
    case 'finish':
      await deps.finishQueue.send({ call_id: callId });
      return;
    case 'sync':
      await deps.syncQueue.send({ call_id: callId });
      return;
    case 'ticket':
      await deps.ticketsQueue.send({ call_id: callId });
      return;
    case 'notify':
      await deps.renotify(call);
  }
}

/** A dial whose outcome nobody knows: found = adopted, absent on two looks = given back once, then failed. */
async function settleUnknown(deps: RecoverCallsDeps, call: Call, now: Date): Promise<void> {
  const { call_id, dial_claimed_at } = call;
  if (!dial_claimed_at) return;
  const found = await deps.voice.find(
    call_id,
    {
      from: new Date(secondsAfter(dial_claimed_at, -LOOK_BACK_SECONDS)),
      to: new Date(Math.min(now.getTime(), Date.parse(secondsAfter(dial_claimed_at, LOOK_AHEAD_SECONDS)))),
    },
    call.former_platform_ids ?? new Set(),
  );
  if (found.kind === 'unknown') {
    if (found.isOperatorFault) deps.count('DialOperatorFault');
    return;
  }
  if (found.kind === 'found') {
    await readFromPlatform(deps, call, found.platformId, now);
    return;
  }
  const claim: DialClaim = { callId: call_id, claimedAt: dial_claimed_at };
  if (!call.absent_since) {
    await deps.calls.noteAbsence(claim, now.toISOString());
    return;
  }
  if (secondsBetween(call.absent_since, now) < LOOKS_APART_SECONDS) return;
  if ((call.absences ?? 0) === 0) await giveBackCall(deps, { ...call, dial_claimed_at }, { absent: true });
  else await giveUpCall(deps, call, 'failed', 'platform_unreachable');
}

/** Takes the platform's own record of the call for the message that did not come. */
async function readFromPlatform(deps: RecoverCallsDeps, call: Call, platformId: string, now: Date): Promise<void> {
  const read = await deps.voice.read(platformId);
  if (read.kind === 'known') {
    const message = withKnownEnd(call, read.message);
    // So shortly after the end its record may lack what was said: the report, or the next run, has it.
    if (
      message.kind === 'report' &&
      !message.is_end_estimated &&
      secondsBetween(message.ended_at, now) < HUNG_UP_SECONDS
    )
      return;
    await applyVoiceEvent(deps, call.call_id, message);
    return;
  }
  if (read.kind === 'unknown' && read.isOperatorFault) deps.count('DialOperatorFault');
  if (read.kind === 'not_found' && isLost(call, now)) {
    if (await endCall(deps, call, givenUp('failed', 'lost', now))) deps.count('CallLost');
  }
}

/** Where the platform's record tells no end, the hang-up that it had reported is it: nobody pays for the time until this run. */
function withKnownEnd(call: Call, message: PlatformMessage): PlatformMessage {
  if (message.kind !== 'report' || !message.is_end_estimated || !call.hung_up_at) return message;
  return { ...message, ended_at: call.hung_up_at };
}
