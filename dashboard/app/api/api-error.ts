export type FieldError = { path: string; message: string };

type Facts = {
  /** HTTP status; 0 without an answer. */
  status: number;
  /** `error` of the body, or one of ours: `network`, `timed_out`, `unexpected_answer`, `session_given_up`. */
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

  constructor({ status, code, message = code, fields = [], requestId, retryAfter }: Facts) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** Returns whether the service sent no answer. */
export const isUnanswered = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

/** Returns whether the same request may succeed later without a change by the person. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/**
 * Returns whether the API rejected the access token. A wrong current password also gets 401 and does not concern the
 * session. The gateway answers 401 without a code.
 */
export const isTokenRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code !== 'wrong_credentials';
