import { readEmail } from '../../../domain/organizations/members/member.ts';
import { isWeak, mayBePassword } from '../../../domain/organizations/members/password.ts';
import type { PoolRefusal } from '../../../integrations/user-pool/outcome.ts';
import type { UserPoolPasswords } from '../../../integrations/user-pool/passwords.ts';
import { type AttemptsDeps, countAttempt, countWrong, type TooManyAttempts, throttled } from './attempts.ts';

type Deps<Verb extends keyof UserPoolPasswords> = AttemptsDeps & { pool: Pick<UserPoolPasswords, Verb> };
type Done = { kind: 'done' };

type Patience = {
  sleep: (milliseconds: number) => Promise<void>;
  log: (message: string, facts: object) => void;
};

/** Longer than the user pool takes to mail a code, which it does only for known addresses. */
const MIN_MS = 700;

/**
 * Mails a code for a new password if the address belongs to a person. Neither the result nor its timing reveals whether
 * it does. Only too many requests are refused.
 */
export async function requestPasswordReset(
  deps: Deps<'requestReset'> & Patience,
  address: string,
): Promise<Done | TooManyAttempts> {
  const email = readEmail(address);
  if (email === undefined) return { kind: 'done' };
  const refused = await countAttempt(deps, email);
  if (refused) return refused;
  const [{ kind }] = await Promise.all([deps.pool.requestReset(email), deps.sleep(MIN_MS)]);
  if (kind === 'not_delivered') deps.log('the code for a new password could not be mailed', {});
  return { kind: 'done' };
}

/**
 * Replaces a forgotten password with the help of a mailed code, and ends all sessions of the former one. For an unknown
 * address, every code is wrong.
 * @param deps.endSessions ends the sessions of the person with this address
 */
export async function resetPassword(
  deps: Deps<'reset'> & Patience & { endSessions: (email: string) => Promise<Done | PoolRefusal> },
  request: { email: string; code: string; new_password: string },
): Promise<Done | { kind: 'wrong_code' | 'weak_password' } | TooManyAttempts> {
  const email = readEmail(request.email);
  if (email === undefined) return countWrong(deps, 'wrong_code');
  const refused = await countAttempt(deps, email);
  if (refused) return refused;
  if (isWeak(request.new_password)) return { kind: 'weak_password' };
  const answer = await deps.pool.reset(email, request.code.trim(), request.new_password);
  if (answer.kind === 'done') await endFormerSessions(deps, () => deps.endSessions(email));
  if (answer.kind === 'throttled') return throttled;
  return answer.kind === 'refused' || answer.kind === 'wrong_code'
    ? countWrong(deps, 'wrong_code')
    : { kind: answer.kind };
}

/** Replaces the signed-in person's password, and ends all sessions of the former one, this one included. */
export async function changePassword(
  deps: Deps<'change' | 'endSessions'> & Patience,
  { email, accessToken }: { email: string; accessToken: string },
  request: { password: string; new_password: string },
): Promise<Done | { kind: 'wrong_credentials' | 'weak_password' } | TooManyAttempts> {
  const refused = await countAttempt(deps, email);
  if (refused) return refused;
  if (isWeak(request.new_password)) return { kind: 'weak_password' };
  if (!mayBePassword(request.password)) return countWrong(deps, 'wrong_credentials');
  const answer = await deps.pool.change(accessToken, request.password, request.new_password);
  if (answer.kind === 'done') await endFormerSessions(deps, () => deps.pool.endSessions(accessToken));
  if (answer.kind === 'throttled') return throttled;
  return answer.kind === 'refused' || answer.kind === 'wrong_code'
    ? countWrong(deps, 'wrong_credentials')
    : { kind: answer.kind };
}

/** Milliseconds before each try. */
const TRIES_AFTER_MS = [0, 250, 1_000];

/**
 * Ends the sessions that began with the former password, because a stranger may have known it. A failure is only
 * logged: the password is new in any case, so a repeat of the request would be refused.
 */
async function endFormerSessions({ sleep, log }: Patience, end: () => Promise<Done | PoolRefusal>): Promise<void> {
  for (const [tries, wait] of TRIES_AFTER_MS.entries()) {
    if (wait > 0) await sleep(wait);
    const ended = await end().catch((error: unknown) => ({ kind: error instanceof Error ? error.name : 'unknown' }));
    if (ended.kind === 'done') return;
    if (tries === TRIES_AFTER_MS.length - 1)
      log('the sessions of a former password could not be ended', { reason: ended.kind });
  }
}
