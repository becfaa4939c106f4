import { type Answer, Problem } from '../../kit/answer.ts';
import type { ItemResult, VendorError } from '../model.ts';

export const vendorError = (code: string, message: string, details: Record<string, unknown> = {}): VendorError => ({
  code,
  details,
  message,
  status: 'error',
});

/** Makes an error of the URL, the token or a limit. Errors of records are in `data[]`, of channels in `watch[]`. */
export const flat = (status: number, code: string, message: string, details: Record<string, unknown> = {}): Problem =>
  new Problem({ status, json: vendorError(code, message, details) });

/** Codes and messages: Zoho CRM OpenAPI v8.0, record.json and notes.json. */
export const problems = {
  noToken: () => flat(401, 'AUTHENTICATION_FAILURE', 'Authentication failed'),
  invalidToken: () => flat(401, 'INVALID_TOKEN', 'invalid oauth token'),
  scopeMismatch: () => flat(401, 'OAUTH_SCOPE_MISMATCH', 'invalid oauth scope to access this URL'),
  invalidUrl: () => flat(404, 'INVALID_URL_PATTERN', 'Please check if the URL trying to access is a correct one'),
  invalidMethod: () => flat(400, 'INVALID_REQUEST_METHOD', 'The http request method type is not a valid one'),
  invalidModule: (index: number) =>
    flat(400, 'INVALID_MODULE', 'the module name given seems to be invalid', { resource_path_index: index }),
  invalidId: (index: number) =>
    flat(400, 'INVALID_DATA', 'the id given seems to be invalid', { resource_path_index: index }),
  invalidRelatedId: (index: number) =>
    flat(400, 'INVALID_DATA', 'the related id given seems to be invalid', { resource_path_index: index }),
  invalidBody: () =>
    flat(400, 'INVALID_REQUEST', 'unable to process your request. please verify the request parameters'),
  missingParam: (name: string) =>
    flat(400, 'REQUIRED_PARAM_MISSING', 'One of the expected parameter is missing', { param_name: name }),
  invalidParam: (name: string) => flat(400, 'INVALID_DATA', 'invalid data', { param_name: name }),
  paramLimit: (name: string, limit: number) =>
    flat(400, 'LIMIT_EXCEEDED', 'the limit of the parameter is exceeded', { param_name: name, limit }),
  /** The vendor documents the code, not the message (Zoho CRM v8, "API limits"). */
  tooManyRequests: () => flat(429, 'TOO_MANY_REQUESTS', 'too many requests. please try again after some time'),
  internalError: (status = 500) => flat(status, 'INTERNAL_ERROR', 'Internal server error occurred.'),
};

/** Errors of an item in a body, at a path such as `$.data[0].Call_Type`. */
export const itemErrors = {
  missing: (name: string, path: string) =>
    vendorError('MANDATORY_NOT_FOUND', 'required field not found', { api_name: name, json_path: path }),
  invalid: (name: string, path: string, more: Record<string, unknown> = {}, message = 'invalid data') =>
    vendorError('INVALID_DATA', message, { ...more, api_name: name, json_path: path }),
  mismatch: (name: string, path: string, dependee: { api_name: string; json_path: string }) =>
    vendorError('DEPENDENT_MISMATCH', 'the dependent field value does not match', {
      dependee,
      api_name: name,
      json_path: path,
    }),
};

export const success = (message: string, details: Record<string, unknown>): ItemResult => ({
  code: 'SUCCESS',
  details,
  message,
  status: 'success',
});

/**
 * Answers with the results of all items together. The vendor's documents contradict each other about the status if all
 * items failed: 202 (OpenAPI 3.0), 207 (OpenAPI 3.1), 400 (record pages).
 */
export function itemsAnswer(
  wrapper: 'data' | 'watch',
  results: ItemResult[],
  successStatus: number,
  failureStatus: number,
): Answer {
  const failed = results.filter(({ status }) => status === 'error').length;
  const status = failed === 0 ? successStatus : failed === results.length ? failureStatus : 207;
  return { status, json: { [wrapper]: results } };
}
