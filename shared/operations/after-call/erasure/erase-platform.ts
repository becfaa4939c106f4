import { platformIdsLeft, type Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import type { VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';

export type ErasePlatformDeps = {
  erasures: Pick<CallErasures, 'notePlatform'>;
  voice: Pick<VoicePlatform, 'erase'>;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
};

/** The platform requires a retry while it still has recordings. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/**
 * Has the voice platform delete its data of an erased call, under each known id.
 * @returns why it may still have some of it
 */
export async function erasePlatform(
  deps: ErasePlatformDeps,
  tombstone: Tombstone,
): Promise<{ reason: string } | undefined> {
  const ids = platformIdsLeft(tombstone);
  if (ids.length === 0) return undefined;
  let left: { reason: string } | undefined;
  for (const platformId of ids) left = (await eraseOne(deps, platformId)) ?? left;
  if (left) return left;
  const isAll = await deps.erasures.notePlatform(tombstone, deps.now().toISOString());
  return isAll ? undefined : { reason: 'it has revealed another id of the call' };
}

async function eraseOne(deps: ErasePlatformDeps, platformId: string): Promise<{ reason: string } | undefined> {
  let left = await deps.voice.erase(platformId);
  for (const wait of WAITS_MS) {
    if (!left) break;
    await deps.sleep(wait);
    left = await deps.voice.erase(platformId);
  }
  return left;
}
