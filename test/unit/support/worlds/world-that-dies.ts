import { setImmediate as turn } from 'node:timers/promises';

/**
 * The request at which a process dies, and whether that request still takes effect. The run sets `isRepeat` if a
 * death after the previous request would have left the same world.
 */
export type Cut = { at: number; moment: 'before' | 'after'; isRepeat?: boolean };

/** Thrown after the process has died: none of its later requests takes effect. */
class Death extends Error {}

export type Mortal = {
  /** Runs work whose process dies at a request. @returns whether that request was reached */
  dying(cut: Cut, work: () => Promise<unknown>): Promise<boolean>;
};

/**
 * Counts the outgoing requests of a process and ends the process at a chosen one.
 * @param trace changes with what a process does without requests: its log, its messages, the clock
 */
export function mortality(trace: () => string) {
  let requests = 0;
  let cut: Cut | undefined;
  let isDead = false;
  let underWay = 0;
  let traceOfPrevious: string | undefined;

  const die = (): never => {
    isDead = true;
    throw new Death(`${cut?.moment} request ${cut?.at}`);
  };
  const request = async <Result>(act: () => Result): Promise<Awaited<Result>> => {
    if (isDead) return die();
    requests += 1;
    const isLast = requests === cut?.at;
    if (isLast && cut?.moment === 'before') {
      cut.isRepeat = underWay === 0 && traceOfPrevious === trace();
      return die();
    }
    underWay += 1;
    const [outcome] = await Promise.allSettled([(async () => act())()]);
    underWay -= 1;
    // Not if others are under way: after a death at the next request, they have taken effect, too.
    traceOfPrevious = cut && requests === cut.at - 1 && underWay === 0 ? trace() : undefined;
    if (isLast || isDead) return die();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value as Awaited<Result>;
  };

  return {
    /** Wraps a port: each of its calls is a request at which the process may die. */
    outside: <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, act]) => [name, (...args: unknown[]) => request(() => act(...args))]),
      ) as Port,
    async dying(next: Cut, work: () => Promise<unknown>): Promise<boolean> {
      [requests, cut, traceOfPrevious] = [0, next, undefined];
      const [outcome] = await Promise.allSettled([work()]);
      // Concurrent work of the dead process stops at its next request.
      if (isDead) await turn();
      const hasDied = isDead;
      [cut, isDead] = [undefined, false];
      if (outcome.status === 'rejected' && !hasDied) throw outcome.reason;
      return hasDied;
    },
  };
}

/**
 * Yields a world for every way to interrupt a run: before and after the effect of each of its requests, and finally not
 * at all. The test repeats the run in each world. Of two ways that leave the same world, one is omitted.
 * @param least number of requests of the run, so that a run without effects fails
 */
export async function* worldThatDies<World extends Mortal>(
  begin: () => World | Promise<World>,
  run: (world: World) => Promise<unknown>,
  least = 3,
): AsyncGenerator<[world: World, cut: string]> {
  const known = new Set<number>();
  for (const moment of ['before', 'after'] as const)
    for (let at = 1; ; at += 1) {
      if (moment === 'after' && known.has(at)) continue;
      const world = await begin();
      const cut: Cut = { at, moment };
      const hasDied = await world.dying(cut, () => run(world));
      if (cut.isRepeat) known.add(at - 1);
      yield [world, `${moment} request ${at}`];
      if (hasDied) continue;
      if (at <= least) throw new Error(`the run made ${at - 1} requests`);
      break;
    }
}
