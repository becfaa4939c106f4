import { Problem } from '../../kit/answer.ts';
import type { VendorProblems } from '../../kit/faults.ts';
import type { AccountsState } from '../state.ts';

export const oauthError = ({ settings }: AccountsState, error: string, status?: number): Problem =>
  new Problem({ status: status ?? settings.oauthErrorStatus, json: { error } });

/** Makes the answer of the throttle. It does not reveal whether the grant is valid. */
export const accessDenied = ({ settings }: AccountsState, status?: number): Problem =>
  new Problem({
    status: status ?? settings.throttleStatus,
    json: {
      error: 'Access Denied',
      error_description: 'You have made too many requests continuously. Please try again after some time.',
      status: 'failure',
    },
  });

const flat = (status: number, code: string, message: string) =>
  new Problem({ status, json: { code, details: {}, message, status: 'error' } });

export const problems: VendorProblems & { unknownPath(): Problem } = {
  tooManyRequests: () => flat(429, 'TOO_MANY_REQUESTS', 'too many requests. please try again after some time'),
  internalError: (status = 500) => flat(status, 'INTERNAL_ERROR', 'Internal server error occurred.'),
  invalidToken: () => flat(401, 'INVALID_TOKEN', 'invalid oauth token'),
  unknownPath: () => flat(404, 'INVALID_URL_PATTERN', 'Please check if the URL trying to access is a correct one'),
};
