import { createHash } from 'node:crypto';
import type { Count } from '../../../domain/metric.ts';
import { secondsToNextMinute } from '../../../domain/organizations/rate-limit.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';

export type GuessesDeps = { rateLimits: Pick<RateLimitStore, 'count'>; now: () => Date; count: Count };

/** Attempts in a clock minute (docs/dashboard.md, "Session"). */
const MOST_OF_AN_ADDRESS = 10;
const MOST_OF_THE_STAGE = 300;

export type TooManyGuesses = { kind: 'too_many_guesses'; resetSeconds: number };

/**
 * Counts a sign-in attempt, per address and for the whole stage, in addition to the user pool's own lock-out. Refused
 * attempts count, too; attempts beyond an address's limit count only for that address, so that a guesser at one address
 * does not lock out everyone else. A metric counts attempts beyond a limit and wrong guesses (docs/tracing.md, "Refused
 * requests").
 * @param email in lower case. @returns undefined if the attempt may continue.
 */
export async function countGuess(deps: GuessesDeps, email: string): Promise<TooManyGuesses | undefined> {
  const epochMs = deps.now().getTime();
  if (await isWithinLimits(deps, email, epochMs)) return undefined;
  deps.count('NotAuthenticated');
  return { kind: 'too_many_guesses', resetSeconds: secondsToNextMinute(epochMs) };
}

async function isWithinLimits({ rateLimits }: GuessesDeps, email: string, epochMs: number): Promise<boolean> {
  const address = createHash('sha256').update(email).digest('hex');
  if ((await rateLimits.count(`sign-in#${address}`, epochMs)) > MOST_OF_AN_ADDRESS) return false;
  return (await rateLimits.count('sign-in', epochMs)) <= MOST_OF_THE_STAGE;
}

/** Counts a wrong guess. @param kind the kind of secret that was wrong */
export function wrong<Kind extends 'wrong_credentials' | 'wrong_code'>(
  { count }: Pick<GuessesDeps, 'count'>,
  kind: Kind,
): { kind: Kind } {
  count('NotAuthenticated');
  return { kind };
}
