/** Requests that cost more than others, and have a limit of their own. */
export const costlyKinds = ['outbound', 'analyses', 'uploads'] as const;
export type CostlyKind = (typeof costlyKinds)[number];

/** Requests of an API key in one clock minute: all, and those of each kind. */
export type RateCounters = { requests: number } & Partial<Record<CostlyKind, number>>;

/** Requests that an API key may send in one clock minute. An organization may have its own. */
export type RateLimits = { requests_per_minute: number; outbound_per_minute: number };

export const defaultRateLimits: RateLimits = { requests_per_minute: 600, outbound_per_minute: 60 };

/**
 * Analyses and uploads in one clock minute, of a key and of all keys and members of an organization. An analysis takes
 * 29 s at most, so an organization has 60 under way, at the turn of a minute twice as many.
 */
export const costlyLimits = {
  analyses: { ofKey: 20, ofOrg: 60 },
  uploads: { ofKey: 20, ofOrg: 60 },
} as const;

export type RateVerdict = { allowed: boolean; limit: number; remaining: number; resetSeconds: number };

/** @returns the clock minute of an instant. */
export const minuteOf = (epochMs: number): number => Math.floor(epochMs / 60_000);

/** @returns the seconds until the counters of the next clock minute count. */
export const secondsToNextMinute = (epochMs: number): number =>
  Math.ceil(((minuteOf(epochMs) + 1) * 60_000 - epochMs) / 1000);

/**
 * Decides whether a request is within its limits. Refused requests count, too.
 * @param counts including this request. @param kind whose limit applies as well.
 * @returns the verdict, with the numbers of the limit that has less left.
 */
export function judgeRate(
  counts: RateCounters,
  limits: RateLimits,
  kind: CostlyKind | undefined,
  epochMs: number,
): RateVerdict {
  const global = verdict(counts.requests, limits.requests_per_minute, epochMs);
  if (!kind) return global;
  const limit = kind === 'outbound' ? limits.outbound_per_minute : costlyLimits[kind].ofKey;
  const own = verdict(counts[kind] ?? 0, limit, epochMs);
  if (global.allowed !== own.allowed) return global.allowed ? own : global;
  return own.remaining <= global.remaining ? own : global;
}

/** Decides by the requests of all keys and members of an organization. @param count including this request. */
export const judgeOrg = (count: number, kind: keyof typeof costlyLimits, epochMs: number): RateVerdict =>
  verdict(count, costlyLimits[kind].ofOrg, epochMs);

function verdict(count: number, limit: number, epochMs: number): RateVerdict {
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: secondsToNextMinute(epochMs),
  };
}
