import type { Count } from '../../../domain/metric.ts';
import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type HangUpAtPlatformDeps = {
  voice: Pick<VoicePlatform, 'hangUp'>;
  dialQueue: QueueSender<DialWork>;
  count: Count;
};

/** Together the repeats take a quarter of an hour. */
const MAX_REPEATS = 6;
const FIRST_REPEAT_SECONDS = 15;

/**
 * Returns the seconds until a request that ends a call is repeated; undefined after the last repeat.
 * @param tries the number of earlier attempts
 */
export const repeatSeconds = (tries: number): number | undefined =>
  tries < MAX_REPEATS ? FIRST_REPEAT_SECONDS * 2 ** tries : undefined;

/**
 * Ends a call at the platform, whatever the state of our call. While the platform does not answer, or offers no way to
 * end the call, a message on the dial queue repeats the attempt: after 15 s, then with doubling waits, 6 times. Counts
 * `DialOperatorFault` if the platform offers no way at the first attempt, and if the last attempt fails, too.
 * @param tries the number of earlier attempts
 * @returns whether the platform confirmed that it ends the call
 */
export async function hangUpAtPlatform(
  { voice, dialQueue, count }: HangUpAtPlatformDeps,
  callId: string,
  platformId: string,
  tries = 0,
): Promise<boolean> {
  const outcome = await voice.hangUp(platformId).catch(() => ({ kind: 'unreachable' as const }));
  if (outcome.kind === 'hung_up' || outcome.kind === 'not_live') return outcome.kind === 'hung_up';
  const delay = repeatSeconds(tries);
  if (delay === undefined || (outcome.kind === 'no_way' && tries === 0)) count('DialOperatorFault');
  if (delay !== undefined) {
    const hang_up = { platform_id: platformId, tries: tries + 1 };
    await dialQueue.send({ call_id: callId, hang_up }, delay);
  }
  return false;
}
