import { createHash } from 'node:crypto';
import { secondsToNextMinute } from '../../../domain/organizations/rate-limit.ts';
import type { RateLimitStore } from '../../../stores/organizations/rate-limits.ts';

export type GuessesDeps = { rateLimits: Pick<RateLimitStore, 'count'>; now: () => Date };

/** Attempts in a clock minute (docs/dashboard.md, "Session"). */
const MOST_OF_AN_ADDRESS = 10;
const MOST_OF_THE_STAGE = 300;

export type TooManyGuesses = { kind: 'too_many_guesses'; resetSeconds: number };

/**
 * Counts an attempt to prove who one is, per address and for the whole stage, besides the user pool's own lock-out.
 * Refused attempts count, too; those beyond the limit of an address count for that address alone, so that a guesser
 * at one of them does not lock out everybody else.
 * @param email in lower case. @returns undefined where the attempt may go on.
 */
export async function countGuess({ rateLimits, now }: GuessesDeps, email: string): Promise<TooManyGuesses | undefined> {
  const epochMs = now().getTime();
  const address = createHash('sha256').update(email).digest('hex');
  const tooMany: TooManyGuesses = { kind: 'too_many_guesses', resetSeconds: secondsToNextMinute(epochMs) };
  const own = await rateLimits.count(`sign-in#${address}`, undefined, epochMs);
  if (own.requests > MOST_OF_AN_ADDRESS) return tooMany;
  const all = await rateLimits.count('sign-in', undefined, epochMs);
  return all.requests > MOST_OF_THE_STAGE ? tooMany : undefined;
}
