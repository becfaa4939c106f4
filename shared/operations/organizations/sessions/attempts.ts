import { createHash } from 'node:crypto';
import type { Count } from '../../../domain/metric.ts';
import { secondsToNextMinute } from '../../../domain/organizations/rate-limit.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';

export type AttemptsDeps = { rateLimits: Pick<RateLimitStore, 'count'>; now: () => Date; count: Count };

/** Attempts in a clock minute (docs/dashboard.md, "Session"). */
const MAX_OF_AN_ADDRESS = 10;
const MAX_OF_THE_STAGE = 300;

export type TooManyAttempts = { kind: 'too_many_attempts'; resetSeconds: number };

/** The user pool refuses a person's requests for some minutes, but does not say for how many. */
export const throttled: TooManyAttempts = { kind: 'too_many_attempts', resetSeconds: 60 };

/**
 * Counts a sign-in attempt, per address and for the whole stage, in addition to the user pool's own lock-out. Refused
 * attempts count, too; attempts beyond an address's limit count only for that address, so that an attacker at one
 * address does not lock out everyone else. A metric counts attempts beyond a limit and failed attempts
 * (docs/tracing.md, "Refused requests").
 * @param email in lower case. @returns undefined if the attempt may continue.
 */
export async function countAttempt(deps: AttemptsDeps, email: string): Promise<TooManyAttempts | undefined> {
  const epochMs = deps.now().getTime();
  if (await isWithinLimits(deps, email, epochMs)) return undefined;
  deps.count('NotAuthenticated');
  return { kind: 'too_many_attempts', resetSeconds: secondsToNextMinute(epochMs) };
}

async function isWithinLimits({ rateLimits }: AttemptsDeps, email: string, epochMs: number): Promise<boolean> {
  const address = createHash('sha256').update(email).digest('hex');
  if ((await rateLimits.count(`sign-in#${address}`, epochMs)) > MAX_OF_AN_ADDRESS) return false;
  return (await rateLimits.count('sign-in', epochMs)) <= MAX_OF_THE_STAGE;
}

/** Counts a failed attempt. @param kind the kind of secret that was wrong */
export function countWrong<Kind extends 'wrong_credentials' | 'wrong_code'>(
  { count }: Pick<AttemptsDeps, 'count'>,
  kind: Kind,
): { kind: Kind } {
  count('NotAuthenticated');
  return { kind };
}
