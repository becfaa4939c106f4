import { readEmail } from '../../../domain/organizations/member.ts';
import { isWeak, mayBePassword } from '../../../domain/organizations/password.ts';
import type { UserPoolPasswords } from '../../../integrations/user-pool/passwords.ts';
import { countGuess, type GuessesDeps, type TooManyGuesses } from './guesses.ts';

type Deps<Verb extends keyof UserPoolPasswords> = GuessesDeps & { pool: Pick<UserPoolPasswords, Verb> };
type Done = { kind: 'done' };

/** The user pool locks a person's requests for some minutes; it does not say how many. */
const throttled: TooManyGuesses = { kind: 'too_many_guesses', resetSeconds: 60 };

/** Longer than the user pool takes to mail a code, which it does for known addresses only. */
const LEAST_MS = 700;

/**
 * Mails a code for a new password, if the address belongs to a person. Neither the result nor its time says so: only
 * the number of requests matters.
 */
export async function requestPasswordReset(
  deps: Deps<'requestReset'> & {
    sleep: (milliseconds: number) => Promise<void>;
    log: (message: string, facts: object) => void;
  },
  address: string,
): Promise<Done | TooManyGuesses> {
  const email = readEmail(address);
  if (email === undefined) return { kind: 'done' };
  const refused = await countGuess(deps, email);
  if (refused) return refused;
  const [{ kind }] = await Promise.all([deps.pool.requestReset(email), deps.sleep(LEAST_MS)]);
  if (kind === 'not_delivered') deps.log('the code for a new password could not be mailed', {});
  return { kind: 'done' };
}

/** Replaces a forgotten password by a mailed code. An unknown address has no right code. */
export async function resetPassword(
  deps: Deps<'reset'>,
  request: { email: string; code: string; new_password: string },
): Promise<Done | { kind: 'wrong_code' | 'weak_password' } | TooManyGuesses> {
  const email = readEmail(request.email);
  if (email === undefined) return { kind: 'wrong_code' };
  const refused = await countGuess(deps, email);
  if (refused) return refused;
  if (isWeak(request.new_password)) return { kind: 'weak_password' };
  const answer = await deps.pool.reset(email, request.code.trim(), request.new_password);
  if (answer.kind === 'throttled') return throttled;
  return { kind: answer.kind === 'refused' ? 'wrong_code' : answer.kind };
}

/** Replaces the password of the person who is signed in. */
export async function changePassword(
  deps: Deps<'change'>,
  { email, accessToken }: { email: string; accessToken: string },
  request: { password: string; new_password: string },
): Promise<Done | { kind: 'wrong_credentials' | 'weak_password' } | TooManyGuesses> {
  const refused = await countGuess(deps, email);
  if (refused) return refused;
  if (isWeak(request.new_password)) return { kind: 'weak_password' };
  if (!mayBePassword(request.password)) return { kind: 'wrong_credentials' };
  const answer = await deps.pool.change(accessToken, request.password, request.new_password);
  if (answer.kind === 'throttled') return throttled;
  return { kind: answer.kind === 'refused' || answer.kind === 'wrong_code' ? 'wrong_credentials' : answer.kind };
}
