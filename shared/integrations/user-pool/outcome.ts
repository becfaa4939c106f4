import {
  CodeMismatchException,
  ExpiredCodeException,
  InvalidParameterException,
  InvalidPasswordException,
  LimitExceededException,
  NotAuthorizedException,
  PasswordHistoryPolicyViolationException,
  PasswordResetRequiredException,
  TooManyFailedAttemptsException,
  TooManyRequestsException,
  UnsupportedTokenTypeException,
  UserNotConfirmedException,
  UserNotFoundException,
} from '@aws-sdk/client-cognito-identity-provider';

/** Why the user pool refused a request. */
export type PoolRefusal = { kind: 'refused' | 'weak_password' | 'wrong_code' | 'throttled' };

type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * `refused` contains no reason, so that an unknown person and a wrong password cannot be distinguished
 * (docs/dashboard.md, "Session").
 */
const refusals: [PoolRefusal['kind'], ErrorClass[]][] = [
  [
    'refused',
    [NotAuthorizedException, UserNotFoundException, UserNotConfirmedException, PasswordResetRequiredException],
  ],
  ['weak_password', [InvalidPasswordException, PasswordHistoryPolicyViolationException]],
  ['wrong_code', [CodeMismatchException, ExpiredCodeException]],
  ['throttled', [LimitExceededException, TooManyRequestsException, TooManyFailedAttemptsException]],
];

/** Errors about a token that the user pool cannot read, because a browser has made it up. */
export const unreadableToken: readonly ErrorClass[] = [InvalidParameterException, UnsupportedTokenTypeException];

/**
 * Returns the request's result, or why it was refused.
 * @param refused further errors that refuse the request @throws every other error.
 */
export async function orRefusal<T>(request: Promise<T>, refused: readonly ErrorClass[] = []): Promise<T | PoolRefusal> {
  try {
    return await request;
  } catch (error) {
    if (refused.some((one) => error instanceof one)) return { kind: 'refused' };
    const found = refusals.find(([, classes]) => classes.some((one) => error instanceof one));
    if (!found) throw error;
    return { kind: found[0] };
  }
}
