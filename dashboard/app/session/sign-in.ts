import * as z from 'zod/mini';
import { signIn } from '../../../shared/messages/dashboard/session.ts';
import { ApiError } from '../api/api-error.ts';
import { callApi, session } from './browser-session.ts';

const nonEmptyText = z.string().check(z.minLength(1));

/** The fields of the sign-in form. */
export const signInSchema = z.object({ email: nonEmptyText, password: nonEmptyText });

type Challenge = { email: string; challenge_session: string };

let challenge: Challenge | undefined;

/** The invitation whose first password was entered. It is kept in memory only: a reload requires the password again. */
export const pendingChallenge = (): Challenge | undefined => challenge;

/** @returns the next step: the person is signed in, or must choose a password */
export async function signInWithPassword(email: string, password: string): Promise<'signed_in' | 'new_password'> {
  const answer = await callApi(signIn, { body: { email: email.trim(), password } });
  if ('challenge' in answer) {
    challenge = { email: email.trim(), challenge_session: answer.challenge_session };
    return 'new_password';
  }
  session.start(answer);
  return 'signed_in';
}

/** Answers the challenge of a first password. @throws ApiError if the password is weak or the challenge has expired */
export async function choosePassword({ email, challenge_session }: Challenge, new_password: string): Promise<void> {
  const answer = await callApi(signIn, { body: { email, new_password, challenge_session } }).catch(
    rethrowEndedChallenge,
  );
  if ('challenge' in answer) {
    challenge = { email, challenge_session: answer.challenge_session };
    return;
  }
  challenge = undefined;
  session.start(answer);
}

/** Replaces a refusal of the credentials: the page has no fields for them, so only a new sign-in can help. */
function rethrowEndedChallenge(error: unknown): never {
  const isOver = error instanceof ApiError && error.code === 'wrong_credentials';
  throw isOver ? new ApiError({ status: error.status, code: 'challenge_ended' }) : error;
}
