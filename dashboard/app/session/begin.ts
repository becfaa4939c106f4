import * as z from 'zod/mini';
import { signIn } from '../../../shared/messages/dashboard/session.ts';
import { ApiError } from '../api/api-error.ts';
import { call, session } from './browser-session.ts';

const filled = z.string().check(z.minLength(1));

/** What a person types to sign in. */
export const passwordForm = z.object({ email: filled, password: filled });

type Challenge = { email: string; challenge_session: string };

let pending: Challenge | undefined;

/** The invitation whose first password was entered. It is kept in memory only: a reload requires the password again. */
export const pendingChallenge = (): Challenge | undefined => pending;

/** @returns the next step: the person is signed in, or must choose a password */
export async function begin(email: string, password: string): Promise<'in' | 'new_password'> {
  const answer = await call(signIn, { body: { email: email.trim(), password } });
  if ('challenge' in answer) {
    pending = { email: email.trim(), challenge_session: answer.challenge_session };
    return 'new_password';
  }
  session.adopt(answer);
  return 'in';
}

/** Answers the challenge of a first password. @throws ApiError if the password is weak or the challenge has expired */
export async function choosePassword({ email, challenge_session }: Challenge, new_password: string): Promise<void> {
  const answer = await call(signIn, { body: { email, new_password, challenge_session } }).catch(tellOfEnd);
  if ('challenge' in answer) {
    pending = { email, challenge_session: answer.challenge_session };
    return;
  }
  pending = undefined;
  session.adopt(answer);
}

/** This page has no field for address or password: the refused sign-in was made minutes ago. */
function tellOfEnd(error: unknown): never {
  const isOver = error instanceof ApiError && error.code === 'wrong_credentials';
  throw isOver ? new ApiError({ status: error.status, code: 'challenge_ended' }) : error;
}
