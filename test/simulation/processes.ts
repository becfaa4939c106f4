import { AsyncLocalStorage } from 'node:async_hooks';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { FailureRates } from './failure-rates.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** A run of a function. It sends requests until it succeeds, fails or dies. */
type Process = { name: string; requestsLeft: number; isDead: boolean; die: () => void };

type Request<Result> = {
  /** Its description in the trace. */
  what: () => string;
  act: () => Result | Promise<Result>;
  /** The longest usual time in milliseconds. */
  ms?: number;
  /** Whether the SDK repeats the request if its answer is lost: the process gets the answer of the repeat. */
  mayRepeat?: boolean;
  /** Whether it may meet a conflicting transaction. */
  mayConflict?: boolean;
};

/** A lost answer. */
class NoAnswer extends Error {
  override name = 'TimeoutError';
}

export type Processes = ReturnType<typeof processes>;

/** Runs processes concurrently. Each of their requests takes time, and may be the last one of its process. */
export function processes(timeline: Timeline, random: Random, rates: FailureRates, trace: Trace) {
  const running = new AsyncLocalStorage<Process>();
  const started = new Map<string, number>();
  const counts = { running: 0, died: 0, failed: 0 };
  let current: Process | undefined;

  /** Returns how long a request takes. Requests of concurrent processes therefore run in any order. */
  const duration = (ms: number): number =>
    random.chance(rates.slow) ? random.whole(500, 4_000) : 1 + random.next() * ms;

  const request = <Result>({ what, act, ms = 25, ...may }: Request<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const process = running.getStore();
      if (process?.isDead) return;
      const isLast = process !== undefined && process.requestsLeft-- === 1;
      const moment = random.chance(0.5) ? 'before' : 'after';
      timeline.after(duration(ms), () => {
        if (process?.isDead) return;
        current = process;
        const by = process?.name ?? '';
        if (isLast && moment === 'before') {
          trace.note(by, () => `dies before ${what()}`);
          return process.die();
        }
        const isLost = !isLast && random.chance(rates.error);
        if (isLost && moment === 'before') {
          trace.note(by, () => `no answer, no effect: ${what()}`);
          return reject(new NoAnswer('lost before its effect'));
        }
        if (may.mayConflict && random.chance(rates.conflict)) {
          trace.note(by, () => `conflict: ${what()}`);
          return reject(conflict());
        }
        const repeats = may.mayRepeat && random.chance(rates.repeat);
        const acting = async () => {
          const first = await act();
          return repeats ? act() : first;
        };
        acting().then(
          (result) => {
            trace.note(by, () => `${what()}${repeats ? ' (repeated)' : ''}${isLast ? ' and dies' : ''}`);
            if (isLast) process.die();
            else if (isLost) reject(new NoAnswer('lost after its effect'));
            else resolve(result);
          },
          (error) => {
            trace.note(by, () => `${what()}: ${(error as Error).name}${isLast ? ' and dies' : ''}`);
            if (isLast) process.die();
            else reject(error);
          },
        );
      });
    });

  const mostBeforeDeath = () => (rates.diesLate ? random.pick([14, 24, 200]) : 14);

  /**
   * Starts a process.
   * @param isMortal true only for functions of the service
   * @returns whether it succeeded; false for a process that died or failed
   */
  const run = (name: string, work: () => Promise<unknown>, isMortal = true): Promise<boolean> => {
    const number = (started.get(name) ?? 0) + 1;
    started.set(name, number);
    counts.running += 1;
    return new Promise((settle) => {
      let hasEnded = false;
      const end = (isDone: boolean) => {
        if (!hasEnded) counts.running -= 1;
        hasEnded = true;
        settle(isDone);
      };
      const process: Process = {
        name: `${name} ${number}`,
        requestsLeft: isMortal && random.chance(rates.death) ? random.whole(1, mostBeforeDeath()) : 0,
        isDead: false,
        die: () => {
          process.isDead = true;
          counts.died += 1;
          end(false);
        },
      };
      running.run(process, () =>
        work().then(
          (result) => {
            trace.note(process.name, () => `done: ${JSON.stringify(result) ?? ''}`);
            end(true);
          },
          (error) => {
            trace.note(process.name, () => `failed: ${error}`);
            counts.failed += 1;
            end(false);
          },
        ),
      );
    });
  };

  return {
    request,
    run,
    counts,
    /** The name of the process whose request takes effect. */
    get current() {
      return current?.name;
    },
  };
}

/** DynamoDB's answer to a transaction that meets another one. */
export const conflict = () =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'conflict',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });
