import type { Random } from './random.ts';

export type FailureRates = ReturnType<typeof failureRatesOf>;

/** One world in this many has processes that may also die late. The others draw no random value for it. */
const LATE_DEATHS = 5;

/**
 * One world in this many has a rough platform, from this seed on. Earlier worlds stay as they are, because documents
 * name their seeds.
 */
const [ROUGH, FIRST_ROUGH] = [3, 121];

/**
 * Chooses the rates of failures in one run. Some runs have no failures, to cover rare orders of events on calm days,
 * too.
 */
export function failureRatesOf(random: Random, seed: number) {
  const failureLevel = random.pick([0, 0.3, 1, 1, 2]);
  return {
    failureLevel,
    /** The probability of each kind of limit of the account at the platform. */
    limits: random.pick([0, 0, 0.4]),
    /** The share of dial requests that the platform answers with 429. */
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
    /**
     * Shares of requests that fail before or after their effect, that the SDK repeats, and whose transactions conflict.
     */
    error: 0.002 * failureLevel,
    repeat: 0.004 * failureLevel,
    conflict: 0.01 * failureLevel,
    /** The share of requests that take seconds instead of milliseconds. */
    slow: 0.01 * failureLevel,
    /** Shares of messages that are delivered twice, and late. */
    duplicate: 0.02 * failureLevel,
    late: 0.03 * failureLevel,
    /** The share of messages that are lost; recover-calls replaces them. */
    lost: 0.03 * failureLevel,
    /** The share of updates of indexes that are late. */
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
