export type FieldError = { path: string; message: string };

type ApiErrorInit = {
  /** HTTP status; 0 without an answer. */
  status: number;
  /** `error` of the body, or a code of the dashboard's own, such as `network` or `timed_out`. */
  code: string;
  message?: string;
  fields?: FieldError[];
  requestId?: string;
  /** Seconds. */
  retryAfter?: number;
};

/** A request to the dashboard's API that did not succeed. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: FieldError[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor({ status, code, message = code, fields = [], requestId, retryAfter }: ApiErrorInit) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** Makes the error of a request whose session has ended. */
export const sessionGivenUp = () => new ApiError({ status: 401, code: 'session_given_up' });

/** Renames the fields of an error of the API, such as to the fields of a form. Returns any other error unchanged. */
export function renameFields(error: unknown, rename: (path: string) => string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, code, message, requestId, retryAfter } = error;
  return new ApiError({
    status,
    code,
    message,
    fields: error.fields.map((field) => ({ ...field, path: rename(field.path) })),
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Returns whether the service sent no answer. */
export const isUnanswered = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

/** Returns whether the service refused the request, and so did nothing. After other failures, its effect is unknown. */
export const isRejected = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** Returns whether the same request may succeed later without a change by the person. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

const MAX_RETRIES = 2;

/**
 * Returns whether a failed read is retried. It is not if the service demands a wait, which the page shows with a
 * countdown, nor after a time-out, because a retry would double a long wait.
 * @param count the retries so far
 */
export const shouldRetry = (count: number, error: unknown): boolean => {
  if (count >= MAX_RETRIES || !(error instanceof ApiError) || !isTransient(error)) return false;
  return error.retryAfter === undefined && error.code !== 'timed_out';
};

/** Returns the milliseconds before a retry. */
export const retryDelay = (count: number): number => 500 * 2 ** count;

/**
 * Returns whether the API rejected the access token. A wrong current password also gets 401 and does not concern the
 * session. The gateway answers 401 without a code.
 */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code !== 'wrong_credentials';
