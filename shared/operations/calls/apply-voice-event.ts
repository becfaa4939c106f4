import type { Call } from '../../domain/calls/call.ts';
import { mayBecome } from '../../domain/calls/call-status.ts';
import { type EndReport, type PlatformMessage, stepFor } from '../../domain/calls/platform-message.ts';
import type { Count } from '../../domain/metric.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type EndCallDeps, endCall } from './end-call.ts';
import { type GiveBackCallDeps, giveBackCall } from './give-back-call.ts';

export type ApplyVoiceEventDeps = EndCallDeps &
  GiveBackCallDeps & {
    calls: Pick<CallStore, 'get' | 'advance' | 'adopt' | 'noteHangUp' | 'ending' | 'givingBack'>;
    files: Pick<CallFiles, 'putTranscript'>;
    count: Count;
  };

const MOST_TRIES = 5;

/**
 * Brings a call forward by what its platform says of it; safe in any order and any number of times.
 * @returns a word for the log. @throws when others keep changing the call: the queue brings the message again.
 */
export async function applyVoiceEvent(
  deps: ApplyVoiceEventDeps,
  callId: string,
  message: PlatformMessage,
): Promise<string> {
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!call) return 'no_such_call';
    const done = await apply(deps, call, message);
    if (done) return done;
  }
  throw new Error('the call changed whenever it was written');
}

/** @returns undefined where the call has changed since it was read. */
async function apply(deps: ApplyVoiceEventDeps, call: Call, message: PlatformMessage): Promise<string | undefined> {
  const step = stepFor(call, message);
  const now = deps.now().toISOString();
  const { platform_id: platformId } = message;
  switch (step.do) {
    case 'nothing':
      return step.why;
    case 'warn_of_double_dial':
      deps.count('DoubleDial');
      return 'double_dial';
    case 'advance': {
      const moved = mayBecome(call.status, step.to)
        ? await deps.calls.advance(call.call_id, step.to, platformId, now)
        : await deps.calls.adopt(call.call_id, platformId, now);
      return moved ? step.to : undefined;
    }
    case 'note_hang_up':
      return (await deps.calls.noteHangUp(call.call_id, platformId, step, now)) ? 'hung_up' : undefined;
    case 'give_back': {
      const { dial_claimed_at } = call;
      if (!dial_claimed_at) return 'no_attempt';
      if (step.isAccountFault) deps.count('DialOperatorFault');
      return (await giveBackCall(deps, { ...call, dial_claimed_at }, { platformId })) ? 'given_back' : undefined;
    }
    case 'end': {
      const transcriptKey = await keepTranscript(deps, call, message as EndReport);
      const ended = await endCall(deps, call, { ...step.ending, platformId, ...(transcriptKey && { transcriptKey }) });
      return ended ? step.ending.status : undefined;
    }
  }
}

/** Before the end is written, so that an ended call never lacks what was said. */
async function keepTranscript(deps: ApplyVoiceEventDeps, call: Call, report: EndReport): Promise<string | undefined> {
  if (report.transcript_key) return report.transcript_key;
  return report.transcript === undefined ? undefined : deps.files.putTranscript(call, report.transcript);
}
