/** Requests of an API key in one clock minute. */
export type RateCounters = { requests: number; outbound: number };

/** Requests that an API key may send in one clock minute. */
export type RateLimits = { requests_per_minute: number; outbound_per_minute: number };

export const defaultRateLimits: RateLimits = { requests_per_minute: 600, outbound_per_minute: 60 };

export type RateVerdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** @returns the clock minute of an instant. */
export const minuteOf = (epochMs: number): number => Math.floor(epochMs / 60_000);

/** @returns the seconds until the counters of the next clock minute count. */
export const secondsToNextMinute = (epochMs: number): number =>
  Math.ceil(((minuteOf(epochMs) + 1) * 60_000 - epochMs) / 1000);

/**
 * Decides whether a request is within its limits. Refused requests count, too.
 * @param counts including this request. @param outbound whether the outbound limit applies as well.
 * @returns the verdict, with the numbers of the limit that has less left.
 */
export function judgeRate(counts: RateCounters, limits: RateLimits, outbound: boolean, epochMs: number): RateVerdict {
  const global = verdict(counts.requests, limits.requests_per_minute, epochMs);
  if (!outbound) return global;
  const own = verdict(counts.outbound, limits.outbound_per_minute, epochMs);
  if (global.allowed !== own.allowed) return global.allowed ? own : global;
  return own.remaining <= global.remaining ? own : global;
}

function verdict(count: number, limit: number, epochMs: number): RateVerdict {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: secondsToNextMinute(epochMs),
  };
}
