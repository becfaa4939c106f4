import { fromRandomOne } from './from-random-one.ts';

export type VisitDeps = {
  timeLeftMs: () => number;
  /** A number from 0 to 1. */
  random: () => number;
};

/** The progress of a run. Operators see its members under these names. */
export type Visits = { looked_at: number; failed: number; complete: boolean };

const AT_ONCE = 20;
/** Enough for open requests. */
const ENOUGH_TIME_MS = 20_000;

/**
 * Visits connections, several at once, until the time runs out. It begins at a random one, so that each is reached
 * eventually. The failure of one does not affect the others.
 * @param onFailure reports a visit that failed
 */
export async function visitEach(
  { timeLeftMs, random }: VisitDeps,
  ids: AsyncIterable<string>,
  visit: (connectionId: string) => Promise<void>,
  onFailure: (connectionId: string, reason: string) => void,
): Promise<Visits> {
  const visits = { looked_at: 0, failed: 0 };
  const all: string[] = [];
  for await (const id of ids) all.push(id);
  const waiting = fromRandomOne(all, random());
  const next = () => (timeLeftMs() < ENOUGH_TIME_MS ? undefined : waiting.shift());
  const work = async () => {
    for (let id = next(); id; id = next()) {
      try {
        await visit(id);
        visits.looked_at += 1;
      } catch (error) {
        visits.failed += 1;
        onFailure(id, (error as Error).message);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { ...visits, complete: waiting.length === 0 };
}
