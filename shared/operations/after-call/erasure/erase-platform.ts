import { platformIdsLeft, type Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import { hashOfPlatformId } from '../../../domain/ids.ts';
import type { EraseOutcome, VoicePlatform } from '../../../integrations/voice/voice-platform.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';

export type ErasePlatformDeps = {
  erasures: Pick<CallErasures, 'get' | 'notePlatform' | 'notePlatformId'>;
  voice: Pick<VoicePlatform, 'erase'>;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
};

/** The platform's answers in one run, by platform id. */
export type PlatformAnswers = Map<string, EraseOutcome>;

/** `none`: the service knows of no call at the platform. */
export type PlatformErasure = EraseOutcome | { kind: 'none' };

/** The waits before repeats of a deletion: the platform answers 503 while it still has recordings of the call. */
const WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/** The most rounds of a run. Each requests deletions for ids that were revealed since the previous round. */
const MAX_ROUNDS = 5;

/**
 * Has the voice platform delete its data of an erased call, under each known id. Ids whose data it did not delete stay
 * stored, so that a repeat tries again. Reads the ids again until the deletion was requested for each of them, so that
 * a receipt includes ids that were revealed meanwhile.
 * @param begun the tombstone, as read before
 * @param answers of this run so far; a deletion with an answer is not requested again
 * @returns the worst of the results
 */
export async function erasePlatform(
  deps: ErasePlatformDeps,
  begun: Tombstone,
  answers: PlatformAnswers,
): Promise<PlatformErasure> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const tombstone = (await deps.erasures.get(begun.call_id))?.tombstone ?? begun;
    const ids = platformIdsLeft(tombstone);
    const unanswered = ids.filter((id) => !answers.has(id));
    for (const platformId of unanswered) {
      const outcome = await eraseOne(deps, platformId);
      answers.set(platformId, outcome);
      if (outcome.kind === 'erased') await deps.erasures.notePlatformId(tombstone, platformId);
    }
    const rest = ids.filter((id) => !isDone(tombstone, id, answers.get(id)));
    // Refused if the ids have changed since: the next round reads them.
    if (rest.length < ids.length) await deps.erasures.notePlatform(tombstone, rest, deps.now().toISOString());
    else if (unanswered.length === 0) return ids.length === 0 ? resultOf(tombstone) : worstOf(answers, ids);
  }
  return { kind: 'left', reason: 'it keeps revealing ids of the call' };
}

/** Returns whether the data of an id is deleted. An absent id counts only if its data was deleted before. */
const isDone = ({ erased_platform_hashes: hashes }: Tombstone, id: string, outcome: EraseOutcome | undefined) =>
  outcome?.kind === 'erased' || (outcome?.kind === 'absent' && hashes?.has(hashOfPlatformId(id)) === true);

const worstOf = (answers: PlatformAnswers, ids: readonly string[]): EraseOutcome => {
  const outcomes = ids.flatMap((id) => answers.get(id) ?? []);
  return outcomes.find(({ kind }) => kind === 'left') ?? { kind: 'absent' };
};

const resultOf = (tombstone: Tombstone): PlatformErasure => ({ kind: isErasedThere(tombstone) ? 'erased' : 'none' });

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
