import type * as z from 'zod';
import { Problem } from '../../kit/answer.ts';

/** One error in a body, with the JSON pointer of its field (Zoho Desk OpenAPI v1.0, Common.json: errorDetailArr). */
export type FieldError = { fieldName: string; errorType: 'invalid' | 'duplicate' | 'missing'; errorMessage: string };

const error = (status: number, errorCode: string, message: string, more: { headers?: Record<string, string> } = {}) =>
  new Problem({ status, json: { errorCode, message }, ...more });

const retryAfter = (seconds: number | null | undefined) =>
  typeof seconds === 'number' ? { headers: { 'retry-after': String(seconds) } } : {};

export const fieldError = (
  path: PropertyKey[],
  errorMessage: string,
  errorType: FieldError['errorType'] = 'invalid',
): FieldError => ({ fieldName: `/${path.map(String).join('/')}`, errorType, errorMessage });

/** Codes, and messages if the vendor has examples: Zoho Desk OpenAPI v1.0, Common.json. */
export const problems = {
  noToken: () => error(401, 'UNAUTHORIZED', 'You are not authorized to perform this operation.'),
  invalidToken: () => error(401, 'INVALID_OAUTH', 'The OAuth Token you provided is invalid.'),
  scopeMismatch: () => error(403, 'SCOPE_MISMATCH', 'The OAuth Token does not have the scope that this needs.'),
  noOrganization: () => error(400, 'BAD_REQUEST', "The 'orgId' header is missing."),
  organizationMismatch: () =>
    error(403, 'OAUTH_ORG_MISMATCH', 'The OAuth Token does not belong to the organization that is given.'),
  notFound: () => error(404, 'URL_NOT_FOUND', 'The URL you requested could not be found.'),
  invalidMethod: () => error(405, 'METHOD_NOT_ALLOWED', 'The method is not allowed for this URL.'),
  mediaType: () => error(415, 'UNSUPPORTED_MEDIA_TYPE', 'The content type of the request is not supported.'),
  tooLarge: () => error(413, 'RESOURCE_SIZE_EXCEEDED', 'The size of the resource exceeds the limit.'),
  emptyPayload: () => error(422, 'EMPTY_PAYLOAD', 'The request has no payload.'),
  badJson: () => error(400, 'BAD_REQUEST', 'The payload is not a JSON object.'),
  extraParam: (name: string) =>
    error(422, 'UNPROCESSABLE_ENTITY', `Extra query parameter '${name}' is present in the input.`),
  invalidParam: (name: string) =>
    error(422, 'UNPROCESSABLE_ENTITY', `The value passed for the '${name}' query parameter is invalid.`),
  invalidData: (errors: FieldError[]) =>
    new Problem({
      status: 422,
      json: {
        errorCode: 'INVALID_DATA',
        message: 'The data does not comply to the validation restrictions defined.',
        errors,
      },
    }),
  tooManyRequests: (seconds?: number | null) =>
    error(
      429,
      'TOO_MANY_REQUESTS',
      'The maximum number of Concurrent API Calls that can be made has been exceeded.',
      retryAfter(seconds),
    ),
  /** The vendor does not document the status. */
  thresholdExceeded: (seconds: number) =>
    error(429, 'THRESHOLD_EXCEEDED', 'The number of API calls for the day has been exceeded.', retryAfter(seconds)),
  internalError: (status = 500) =>
    error(status, 'INTERNAL_SERVER_ERROR', 'An internal server error occurred while performing this operation.'),
};

/** Reads a body by a schema. @param more finds further errors. @throws Problem 422 INVALID_DATA with all errors. */
export function validated<Value>(
  schema: z.ZodType<Value>,
  body: Record<string, unknown>,
  more: (value: Value) => FieldError[] = () => [],
): Value {
  const result = schema.safeParse(body);
  const errors = result.success ? more(result.data) : result.error.issues.flatMap((issue) => fieldErrors(body, issue));
  if (!result.success || errors.length > 0) throw problems.invalidData(errors);
  return result.data;
}

function fieldErrors(body: unknown, issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => fieldError([...issue.path, key], `Extra parameter '${key}' is found.`));
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], body);
  return [fieldError(issue.path, issue.message, value === undefined ? 'missing' : 'invalid')];
}
