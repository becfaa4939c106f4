import * as z from 'zod/mini';
import type { ReconnectNeeded, TokenResult } from '../../domain/connections/access/token-result.ts';
import { parseJson } from '../../domain/json.ts';
import { type HttpRequest, request } from '../http/request.ts';
import { retryAfterIn } from '../http/retry-after.ts';

/** The access of one connection to CRM-B. */
export type CrmBAccess = {
  /** The base of the API, as named by the grant. */
  apiDomain: string;
  /**
   * Returns a valid access token, or the reason why there is none.
   * @param rejected the token that CRM-B has just refused; another one is returned
   */
  token: (rejected?: string) => Promise<TokenResult>;
};

export type CrmBAnswer =
  /** Any 2xx. The body of a 204 (nothing found) is undefined. Single items may still contain errors. */
  | { kind: 'answered'; status: number; body: unknown }
  /** A permanent refusal. `code` is the vendor's; absent if the answer has none. */
  | { kind: 'refused'; status: number; code?: string; body: unknown }
  /** The request had no effect: no access token, no connection, or 429. `retryAfterSeconds`: the wait it demands. */
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number }
  /** The request had no effect, because the grant is gone. */
  | ReconnectNeeded
  /** An unknown outcome: a time-out, a reset, 5xx or an unreadable answer. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number };

export type CrmBRequest = {
  method: HttpRequest['method'];
  /** The path on the API domain, such as `/crm/v8/Leads/1`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
};

export type CrmBApi = (access: CrmBAccess, request: CrmBRequest) => Promise<CrmBAnswer>;

/** The codes of an expired access token (Zoho CRM v8, "Status codes"; the vendor's pages differ). */
const expiredTokenCodes: ReadonlySet<string> = new Set([
  'INVALID_TOKEN',
  'INVALID_OAUTHTOKEN',
  'AUTHENTICATION_FAILURE',
]);

/** Returns whether a refusal means that another token may be accepted. */
export const isTokenExpired = (code: string | undefined): code is string =>
  code !== undefined && expiredTokenCodes.has(code);

/** Codes of limits and of faults of CRM-B itself, with any status, even in the only item of a 2xx. */
const limitCodes: ReadonlySet<string | undefined> = new Set(['TOO_MANY_REQUESTS', 'RATE_LIMIT_EXCEEDED']);
const internalCodes: ReadonlySet<string | undefined> = new Set(['INTERNAL_ERROR', 'INTERNAL_SERVER_ERROR']);

/** An error is flat or the first item of a list. */
const flatError = z.object({ code: z.string() });

/**
 * Creates the client of CRM-B (Zoho CRM v8). A request whose token was refused had no effect and is repeated once with
 * another token. No other request is repeated.
 * @param options.timeoutMs for one request
 */
export function crmBApi({ timeoutMs }: { timeoutMs: number }): CrmBApi {
  const send = async (access: CrmBAccess, { method, path, query = {}, json }: CrmBRequest, token: string) => {
    const url = new URL(path, access.apiDomain);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const outcome = await request({
      method,
      url,
      // Not "Bearer", although token_type says so (Zoho CRM v8, "OAuth").
      headers: { authorization: `Zoho-oauthtoken ${token}` },
      ...(json !== undefined && { json }),
      connectTimeoutMs: Math.min(3_000, timeoutMs),
      totalTimeoutMs: timeoutMs,
    });
    return readAnswer(outcome);
  };

  return async (access, crmRequest) => {
    const first = await access.token();
    if (first.kind !== 'token') return first;
    const answer = await send(access, crmRequest, first.token);
    if (answer.kind !== 'refused' || answer.status !== 401 || !isTokenExpired(answer.code)) return answer;
    const second = await access.token(first.token);
    return second.kind === 'token' ? send(access, crmRequest, second.token) : second;
  };
}

function readAnswer(outcome: Awaited<ReturnType<typeof request>>): CrmBAnswer {
  if (outcome.kind === 'not_sent') return { kind: 'unavailable', reason: outcome.reason };
  if (outcome.kind === 'no_answer') return { kind: 'unknown', reason: outcome.reason };
  const { status, body: text, headers } = outcome;
  if (status === 429) return { kind: 'unavailable', reason: 'too many requests', ...retryAfterIn(headers) };
  // A redirect is not followed and proves nothing; a 408 may come from a proxy.
  if (status >= 500 || (status >= 300 && status < 400) || status === 408)
    return { kind: 'unknown', reason: `status ${status}`, ...retryAfterIn(headers) };
  const body = parseJson(text);
  const code = codeIn(body);
  if (limitCodes.has(code)) return { kind: 'unavailable', reason: 'too many requests', ...retryAfterIn(headers) };
  if (internalCodes.has(code)) return { kind: 'unknown', reason: String(code), ...retryAfterIn(headers) };
  if (status >= 200 && status < 300)
    return text === '' || body !== undefined
      ? { kind: 'answered', status, body }
      : { kind: 'unknown', reason: 'not JSON' };
  return { kind: 'refused', status, body, ...(code !== undefined && { code }) };
}

function codeIn(body: unknown): string | undefined {
  const flat = z.safeParse(flatError, body);
  if (flat.success) return flat.data.code;
  const lists = Object.values(Object(body) as object).filter(Array.isArray);
  return lists.flatMap((list) => z.safeParse(flatError, list[0]).data?.code ?? [])[0];
}
