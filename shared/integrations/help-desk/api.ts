import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { parseJson } from '../../domain/json.ts';
import { multipartOf } from '../http/multipart.ts';
import { type HttpOutcome, type HttpRequest, request } from '../http/request.ts';
import { retryAfterIn } from '../http/retry-after.ts';
import type { HelpDeskAccess, Refused, WithoutEffect } from './help-desk.ts';

export type HelpDeskAnswer =
  /** 2xx. `body` is undefined if empty (204: nothing found). */
  | { kind: 'answered'; body: unknown }
  | WithoutEffect
  /** The request may have taken effect: a time-out, a reset, 5xx, an unreadable answer. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number };

/** A file, the only part of a form. */
export type Upload = {
  /** At most 100 characters. */
  filename: string;
  contentType: string;
  contentLength: number;
  /** Opens the file for each attempt; the API client closes it. */
  open: () => Promise<Readable>;
};

export type HelpDeskRequest = {
  method: 'GET' | 'POST';
  /** Below the host: `/api/v1/tickets`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  upload?: Upload;
  /** Set for requests that need no organization. */
  isWithoutOrg?: boolean;
};

export type HelpDeskApi = (access: HelpDeskAccess, request: HelpDeskRequest) => Promise<HelpDeskAnswer>;

/** How much longer than another request an upload may take. */
const UPLOAD_FACTOR = 3;
/** Codes of a 401 that another token does not change. */
const lastingCodes: ReadonlySet<string> = new Set(['SCOPE_MISMATCH', 'OAUTH_ORG_MISMATCH']);
/** The vendor does not document the status of these codes (Zoho Desk v1, "API limits"). */
const limitCodes: ReadonlySet<string> = new Set(['TOO_MANY_REQUESTS', 'THRESHOLD_EXCEEDED']);

/** Reads names only: messages quote the request. */
const errorAnswer = z.object({
  errorCode: z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,60}$/)),
  errors: z.catch(
    z.optional(z.array(z.object({ fieldName: z.string().check(z.regex(/^[\w/.-]{1,60}$/)) }))),
    undefined,
  ),
});

/**
 * Requests the help desk (Zoho Desk v1) with limits on every wait and on the size of every answer. Repeats a request
 * only if its token was refused, because that request had no effect: once, with another token.
 * @param options.timeoutMs for one request; an upload may take three times as long.
 * @returns a function that throws the error of opening an upload's file.
 */
export function helpDeskApi({ timeoutMs }: { timeoutMs: number }): HelpDeskApi {
  const send = async (access: HelpDeskAccess, deskRequest: HelpDeskRequest, token: string): Promise<HelpDeskAnswer> => {
    // Checks again: obtaining the token may have read a newer version of the connection, which has another organization
    // or none.
    if (lacksOrganization(access, deskRequest)) return noOrganization;
    const url = new URL(deskRequest.path, access.host);
    for (const [name, value] of Object.entries(deskRequest.query ?? {})) url.searchParams.set(name, value);
    const options: HttpRequest = {
      method: deskRequest.method,
      url,
      headers: {
        // Not "Bearer", although token_type says so (Zoho Accounts, OAuth).
        authorization: `Zoho-oauthtoken ${token}`,
        ...(access.orgId !== undefined && !deskRequest.isWithoutOrg && { orgId: access.orgId }),
      },
      ...(deskRequest.json !== undefined && { json: deskRequest.json }),
      connectTimeoutMs: Math.min(3_000, timeoutMs),
      totalTimeoutMs: deskRequest.upload ? timeoutMs * UPLOAD_FACTOR : timeoutMs,
    };
    return readAnswer(await (deskRequest.upload ? sendFile(options, deskRequest.upload) : request(options)));
  };

  return async (access, deskRequest) => {
    if (lacksOrganization(access, deskRequest)) return noOrganization;
    const first = await access.token();
    if (first.kind !== 'token') return first;
    const answer = await send(access, deskRequest, first.token);
    if (!isTokenRefused(answer)) return answer;
    const second = await access.token(first.token);
    if (second.kind !== 'token') return second;
    const repeated = await send(access, deskRequest, second.token);
    return isTokenRefused(repeated)
      ? { kind: 'unavailable', reason: `the access token is refused: ${repeated.code}` }
      : repeated;
  };
}

const lacksOrganization = ({ orgId }: HelpDeskAccess, { isWithoutOrg = false }: HelpDeskRequest): boolean =>
  orgId === undefined && !isWithoutOrg;

const noOrganization = { kind: 'unavailable', reason: 'no organization of the help desk is chosen' } as const;

const isTokenRefused = (answer: HelpDeskAnswer): answer is Refused =>
  answer.kind === 'refused' && answer.status === 401 && !lastingCodes.has(answer.code);

async function sendFile(options: HttpRequest, { open, ...file }: Upload): Promise<HttpOutcome<string>> {
  const bytes = await open();
  try {
    return await request({ ...options, stream: multipartOf({ name: 'file', ...file, bytes }) });
  } finally {
    bytes.destroy();
  }
}

function readAnswer(outcome: HttpOutcome<string>): HelpDeskAnswer {
  if (outcome.kind === 'not_sent') return { kind: 'unavailable', reason: outcome.reason };
  if (outcome.kind === 'no_answer') return { kind: 'unknown', reason: outcome.reason };
  const { status, body: text, headers } = outcome;
  const body = parseJson(text);
  if (status >= 200 && status < 300)
    return text === '' || body !== undefined ? { kind: 'answered', body } : { kind: 'unknown', reason: 'not JSON' };
  const error = z.safeParse(errorAnswer, body).data;
  if (status === 429 || (error && limitCodes.has(error.errorCode)))
    return { kind: 'unavailable', reason: error?.errorCode ?? 'status 429', ...retryAfterIn(headers) };
  // A redirect is not followed and proves nothing; a 408 may come from a proxy.
  if (status >= 500 || status < 400 || status === 408)
    return { kind: 'unknown', reason: `status ${status}`, ...retryAfterIn(headers) };
  const fields = error?.errors?.slice(0, 5).map(({ fieldName }) => fieldName) ?? [];
  return { kind: 'refused', status, code: error ? [error.errorCode, ...fields].join(' ') : `status ${status}` };
}
