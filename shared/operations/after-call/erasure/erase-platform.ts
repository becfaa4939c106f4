import type { Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';

export type ErasePlatformDeps = {
  erasures: Pick<CallErasures, 'notePlatform'>;
  voice: Pick<VoicePlatform, 'erase'>;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
};

/** The platform requires a retry while it still has recordings. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/**
 * Has the voice platform delete its data of an erased call.
 * @returns why it may still have some of it
 */
export async function erasePlatform(
  deps: ErasePlatformDeps,
  { call_id, platform_ids = [] }: Tombstone,
): Promise<{ reason: string } | undefined> {
  if (platform_ids.length === 0) return undefined;
  for (const platformId of platform_ids) {
    let left = await deps.voice.erase(platformId);
    for (const wait of WAITS_MS) {
      if (!left) break;
      await deps.sleep(wait);
      left = await deps.voice.erase(platformId);
    }
    if (left) return left;
  }
  await deps.erasures.notePlatform(call_id);
  return undefined;
}
