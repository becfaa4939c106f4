import {
  CodeMismatchException,
  ExpiredCodeException,
  InvalidPasswordException,
  LimitExceededException,
  NotAuthorizedException,
  PasswordHistoryPolicyViolationException,
  PasswordResetRequiredException,
  TooManyFailedAttemptsException,
  TooManyRequestsException,
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

/** Returns the request's result, or why it was refused. @throws every other error. */
export async function orRefusal<T>(request: Promise<T>): Promise<T | PoolRefusal> {
  try {
    return await request;
  } catch (error) {
    const found = refusals.find(([, classes]) => classes.some((one) => error instanceof one));
    if (!found) throw error;
    return { kind: found[0] };
  }
}
