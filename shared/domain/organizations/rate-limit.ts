/** Requests of one key in one clock minute. */
export type RateCounters = { requests: number; outbound: number };

/** How many a key may send in one clock minute; settable per org. */
export type RateLimits = { requests_per_minute: number; outbound_per_minute: number };

export const defaultRateLimits: RateLimits = { requests_per_minute: 600, outbound_per_minute: 60 };

export type RateVerdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** The clock minute of an instant: what a counter is kept under. @param epochMs milliseconds since 1970. */
export const minuteOf = (epochMs: number): number => Math.floor(epochMs / 60_000);

/**
 * Judges a request by the counters that already include it (refused requests count too).
 * @param counts the counters after this request. @param outbound whether the outbound limit applies as well.
 * @returns the verdict with the numbers of the scarcer limit.
 */
export function judgeRate(counts: RateCounters, limits: RateLimits, outbound: boolean, epochMs: number): RateVerdict {
  const global = verdict(counts.requests, limits.requests_per_minute, epochMs);
  if (!outbound) return global;
  const own = verdict(counts.outbound, limits.outbound_per_minute, epochMs);
  if (global.allowed !== own.allowed) return global.allowed ? own : global;
  return own.remaining <= global.remaining ? own : global;
}

function verdict(count: number, limit: number, epochMs: number): RateVerdict {
  const resetSeconds = Math.ceil(((minuteOf(epochMs) + 1) * 60_000 - epochMs) / 1000);
  return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetSeconds };
}
