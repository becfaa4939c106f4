import { platformIdsLeft, type Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import { hashOfPlatformId } from '../../../domain/ids.ts';
import type { EraseOutcome, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';

export type ErasePlatformDeps = {
  erasures: Pick<CallErasures, 'notePlatform' | 'notePlatformId'>;
  voice: Pick<VoicePlatform, 'erase'>;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
};

/** `none`: the service knows of no call at the platform. */
export type PlatformErasure = EraseOutcome | { kind: 'none' };

/** The waits before repeats of a deletion, because the platform refuses it while it still has recordings. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/**
 * Has the voice platform delete its data of an erased call, under each known id. Ids whose data it did not delete stay
 * stored, so that a repeat tries again.
 * @returns the worst of the results
 */
export async function erasePlatform(deps: ErasePlatformDeps, tombstone: Tombstone): Promise<PlatformErasure> {
  const ids = platformIdsLeft(tombstone);
  if (ids.length === 0) return { kind: isErasedThere(tombstone) ? 'erased' : 'none' };
  const rest: string[] = [];
  let worst: EraseOutcome = { kind: 'erased' };
  for (const platformId of ids) {
    const outcome = await eraseOne(deps, platformId);
    const isErasedBefore = tombstone.erased_platform_hashes?.has(hashOfPlatformId(platformId));
    if (outcome.kind === 'erased') await deps.erasures.notePlatformId(tombstone, platformId);
    if (outcome.kind === 'erased' || (outcome.kind === 'absent' && isErasedBefore)) continue;
    rest.push(platformId);
    if (worst.kind !== 'left') worst = outcome;
  }
  if (rest.length === ids.length) return worst;
  const isAll = await deps.erasures.notePlatform(tombstone, rest, deps.now().toISOString());
  return isAll
    ? worst
    : { kind: 'left', reason: 'it has revealed another id of the call, or another erasure of the call ran' };
}

const isErasedThere = ({ found, platform_erased_at }: Tombstone): boolean =>
  found.platform_calls > 0 || platform_erased_at !== undefined;

async function eraseOne(deps: ErasePlatformDeps, platformId: string): Promise<EraseOutcome> {
  let outcome = await deps.voice.erase(platformId);
  for (const wait of WAITS_MS) {
    if (outcome.kind !== 'left') break;
    await deps.sleep(wait);
    outcome = await deps.voice.erase(platformId);
  }
  return outcome;
}
