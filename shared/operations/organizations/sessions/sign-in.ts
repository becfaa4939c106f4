import { readEmail } from '../../../domain/organizations/members/member.ts';
import { isWeak } from '../../../domain/organizations/members/password.ts';
import type { Tokens, UserPoolSessions } from '../../../integrations/user-pool/sessions.ts';
import { type AttemptsDeps, countAttempt, countWrong, type TooManyAttempts, throttled } from './attempts.ts';

export type SignInDeps = AttemptsDeps & { pool: Pick<UserPoolSessions, 'signIn' | 'setFirstPassword'> };

export type SignInRequest =
  | { email: string; password: string }
  | { email: string; new_password: string; challenge_session: string };

export type SigningIn =
  | Tokens
  | { kind: 'new_password'; session: string }
  /** Also returned if the address is unknown, or the invitation has expired. */
  | { kind: 'wrong_credentials' }
  | { kind: 'weak_password' }
  | TooManyAttempts;

/** Begins a session with a password, or replaces an invitation's first password (docs/dashboard.md, "Session"). */
export async function signIn(deps: SignInDeps, request: SignInRequest): Promise<SigningIn> {
  const email = readEmail(request.email);
  // A malformed address does not count as a person's attempt.
  if (email === undefined) return countWrong(deps, 'wrong_credentials');
  const refused = await countAttempt(deps, email);
  if (refused) return refused;
  if ('new_password' in request && isWeak(request.new_password)) return { kind: 'weak_password' };
  const answer =
    'password' in request
      ? await deps.pool.signIn(email, request.password)
      : await deps.pool.setFirstPassword(email, request.new_password, request.challenge_session);
  switch (answer.kind) {
    case 'tokens':
    case 'new_password':
      return answer;
    case 'weak_password':
      return { kind: answer.kind };
    case 'throttled':
      return throttled;
    default:
      return countWrong(deps, 'wrong_credentials');
  }
}
