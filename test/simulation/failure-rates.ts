import type { Random } from './random.ts';

export type FailureRates = ReturnType<typeof failureRatesOf>;

/** In one world in so many, processes die late, too. Other worlds need no more random values than before. */
const LATE_DEATHS = 5;

/** In one world in so many, the platform is rough. The first seeds have none, because documents name their worlds. */
const [ROUGH, FIRST_ROUGH] = [3, 121];

/** The rates of failures in one run. Some runs are calm, to cover rare orders of calm days, too. */
export function failureRatesOf(random: Random, seed: number) {
  const failureLevel = random.pick([0, 0.3, 1, 1, 2]);
  return {
    failureLevel,
    /** Whether the account at the platform has a limit, for each kind of limit. */
    limits: random.pick([0, 0, 0.4]),
    /** The share of dials that are answered with 429. */
    throttled: random.pick([0, 0.01, 0.04]),
    /** The share of processes that die at some request. */
    death: 0.04 * failureLevel,
    /** Whether a process may make more than 14 requests before it dies. dial-call dials with about the 15th. */
    diesLate: seed % LATE_DEATHS === 4,
    /**
     * Whether the platform misstates times, has a wrong clock, refuses destinations for long, demands long waits, often
     * cannot list, read or end calls, and dials long after a request timed out.
     */
    isRough: seed >= FIRST_ROUGH && seed % ROUGH === 2,
    /** Shares of requests: an error before or after the effect, a repeat by the SDK, a conflict of transactions. */
    error: 0.002 * failureLevel,
    repeat: 0.004 * failureLevel,
    conflict: 0.01 * failureLevel,
    /** A request takes seconds instead of milliseconds. */
    slow: 0.01 * failureLevel,
    /** Shares of messages. */
    duplicate: 0.02 * failureLevel,
    late: 0.03 * failureLevel,
    /** Messages that are lost, and that recover-calls replaces. */
    lost: 0.03 * failureLevel,
    /** Index updates that come seconds late. */
    lag: 0.1 * failureLevel,
    maxLagMs: failureLevel === 0 ? 0 : 5_000,
    /** Dials whose answer is lost, and reports of the platform that never arrive. */
    unanswered: 0.04 * failureLevel,
    unreported: 0.05 * failureLevel,
    /** Dials that the platform accepts twice, and records that never end. */
    twin: 0.004 * failureLevel,
    endless: 0.004 * failureLevel,
    /** Requests to remote systems after the call that fail, with or without an effect. */
    remote: 0.04 * failureLevel,
  };
}
