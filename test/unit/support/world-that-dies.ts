import { setImmediate as turn } from 'node:timers/promises';

/** Where a process dies: at which of its requests, and whether that request still takes effect. */
export type Cut = { at: number; moment: 'before' | 'after' };

/** The process is gone: none of its later requests takes effect. */
class Death extends Error {}

export type Mortal = {
  /** Runs work whose process dies at a request. @returns whether it came to that request. */
  dying(cut: Cut, work: () => Promise<unknown>): Promise<boolean>;
};

/** Counts the requests of a process to anything outside, and cuts it at a chosen one. */
export function mortality() {
  let requests = 0;
  let cut: Cut | undefined;
  let isDead = false;

  const die = (): never => {
    isDead = true;
    throw new Death(`${cut?.moment} request ${cut?.at}`);
  };
  const request = async <Result>(act: () => Result): Promise<Awaited<Result>> => {
    if (isDead) return die();
    requests += 1;
    const isLast = requests === cut?.at;
    if (isLast && cut?.moment === 'before') return die();
    const [outcome] = await Promise.allSettled([(async () => act())()]);
    if (isLast || isDead) return die();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value as Awaited<Result>;
  };

  return {
    /** The same port, whose every call is a request that the process may not survive. */
    outside: <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, act]) => [name, (...args: unknown[]) => request(() => act(...args))]),
      ) as Port,
    /** @returns how many requests the work makes. */
    async countRequests(work: () => Promise<unknown>): Promise<number> {
      requests = 0;
      await work();
      return requests;
    },
    async dying(next: Cut, work: () => Promise<unknown>): Promise<boolean> {
      [requests, cut] = [0, next];
      const [outcome] = await Promise.allSettled([work()]);
      // What the dead process had under way comes to its next request, and ends there.
      if (isDead) await turn();
      const hasDied = isDead;
      [cut, isDead] = [undefined, false];
      if (outcome.status === 'rejected' && !hasDied) throw outcome.reason;
      return hasDied;
    },
  };
}

/**
 * Yields a world for every way in which a run can be cut: before and after the effect of each of its requests, and at
 * last not at all. What the test does with the world repeats the run.
 * @param least requests that the run makes, so that a run that does nothing fails.
 */
export async function* worldThatDies<World extends Mortal>(
  begin: () => World | Promise<World>,
  run: (world: World) => Promise<unknown>,
  least = 3,
): AsyncGenerator<[world: World, cut: string]> {
  for (const moment of ['before', 'after'] as const)
    for (let at = 1; ; at += 1) {
      const world = await begin();
      const hasDied = await world.dying({ at, moment }, () => run(world));
      yield [world, `${moment} request ${at}`];
      if (hasDied) continue;
      if (at <= least) throw new Error(`the run made ${at - 1} requests`);
      break;
    }
}
