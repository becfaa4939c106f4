/** Expensive requests with a separate limit. */
export const costlyKinds = ['outbound', 'analyses', 'uploads'] as const;
export type CostlyKind = (typeof costlyKinds)[number];

/** Requests of an API key in the present window: all, and those of each kind. */
export type RateCounters = { requests: number } & Partial<Record<CostlyKind, number>>;

/** Requests that an API key may send in one clock minute. An organization may have its own. */
export type RateLimits = { requests_per_minute: number; outbound_per_minute: number };

export const defaultRateLimits: RateLimits = { requests_per_minute: 600, outbound_per_minute: 60 };

/**
 * The analyses and uploads that may begin in one window: of a key, and of all keys and members of an organization. A
 * window is longer than any of them runs, so those that run at once began in at most two windows: 20 of a key, 60 of an
 * organization.
 */
export const costlyLimits = {
  analyses: { ofKey: 10, ofOrg: 30 },
  uploads: { ofKey: 10, ofOrg: 30 },
} as const;
export type LimitedOfOrg = keyof typeof costlyLimits;

/** The window of each counter in seconds. Each divides an hour. */
export const windowSeconds = { requests: 60, outbound: 60, analyses: 30, uploads: 30 } as const satisfies Record<
  keyof RateCounters,
  number
>;

/** The verdict about a request. `windowSeconds`: the window to which the limit applies. */
export type RateVerdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number;
};

/** Returns the clock minute of an instant. */
export const minuteOf = (epochMs: number): number => Math.floor(epochMs / 60_000);

/** Returns the seconds until the next clock minute. */
export const secondsToNextMinute = (epochMs: number): number =>
  Math.ceil(((minuteOf(epochMs) + 1) * 60_000 - epochMs) / 1000);

/**
 * Decides whether a request is within its limits. Refused requests count, too.
 * @param counts including this request. @param kind whose limit applies as well.
 * @returns the verdict, with the numbers of the tighter limit, or, if both refuse, of the one that resets later
 */
export function judgeRate(
  counts: RateCounters,
  limits: RateLimits,
  kind: CostlyKind | undefined,
  epochMs: number,
): RateVerdict {
  const global = verdict(counts.requests, limits.requests_per_minute, 'requests', epochMs);
  if (!kind) return global;
  const limit = kind === 'outbound' ? limits.outbound_per_minute : costlyLimits[kind].ofKey;
  const own = verdict(counts[kind] ?? 0, limit, kind, epochMs);
  if (global.allowed !== own.allowed) return global.allowed ? own : global;
  if (!own.allowed) return own.resetSeconds < global.resetSeconds ? global : own;
  return own.remaining <= global.remaining ? own : global;
}

/** Decides by the requests of all keys and members of an organization. @param count including this request. */
export const judgeOrg = (count: number, kind: LimitedOfOrg, epochMs: number): RateVerdict =>
  verdict(count, costlyLimits[kind].ofOrg, kind, epochMs);

function verdict(count: number, limit: number, counter: keyof RateCounters, epochMs: number): RateVerdict {
  const windowMs = windowSeconds[counter] * 1_000;
  return {
    allowed: count <= limit,
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.ceil((windowMs - (epochMs % windowMs)) / 1_000),
    windowSeconds: windowSeconds[counter],
  };
}
