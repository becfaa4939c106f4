import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { DialWork } from '../../../messages/call-work.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type HangUpAtPlatformDeps = { voice: Pick<VoicePlatform, 'hangUp'>; dialQueue: QueueSender<DialWork> };

/** Together the repeats take a quarter of an hour. */
const MOST_REPEATS = 6;
const FIRST_REPEAT_SECONDS = 15;

/**
 * Ends a call at the platform, whatever the state of ours. While the platform cannot be asked, a message on the dial
 * queue repeats it: after 15 s, then after twice as long as before, 6 times.
 * @param tries how often the platform could not be asked.
 * @returns whether the platform confirmed that it ends the call.
 */
export async function hangUpAtPlatform(
  { voice, dialQueue }: HangUpAtPlatformDeps,
  callId: string,
  platformId: string,
  tries = 0,
): Promise<boolean> {
  const isHungUp = await voice.hangUp(platformId).catch(() => undefined);
  if (isHungUp === undefined && tries < MOST_REPEATS) {
    const hang_up = { platform_id: platformId, tries: tries + 1 };
    await dialQueue.send({ call_id: callId, hang_up }, FIRST_REPEAT_SECONDS * 2 ** tries);
  }
  return isHungUp ?? false;
}
