import * as z from 'zod/mini';
import { type HttpRequest, request } from '../http/request.ts';

/** The right to ask CRM-B for one connection. */
export type CrmBAccess = {
  /** Base of the API, as the grant named it. */
  apiDomain: string;
  /**
   * The access token to use now.
   * @param rejected the one that the CRM has just refused: another one comes back.
   * @throws ReconnectNeeded, AccessUnavailable (domain/connections/access-errors.ts).
   */
  token: (rejected?: string) => Promise<string>;
};

export type CrmBAnswer =
  /** 2xx. An empty body (204: nothing found) is undefined. Errors of single items may ride on it. */
  | { kind: 'answered'; status: number; body: unknown }
  /** Refused for good: a repeat would be refused as well. `code` in the vendor's words, '' where there is none. */
  | { kind: 'refused'; status: number; code: string; body: unknown }
  /** Nothing was done: no connection, or 429. */
  | { kind: 'unavailable'; reason: string }
  /** The request may have been carried out: a time-out, a reset, 5xx, an answer that cannot be read. */
  | { kind: 'unknown'; reason: string };

export type CrmBRequest = {
  method: HttpRequest['method'];
  /** Below the API's domain: `/crm/v8/Leads/1`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
};

export type CrmBApi = (access: CrmBAccess, request: CrmBRequest) => Promise<CrmBAnswer>;

/** Codes that mean: this access token counts no more (Zoho CRM v8, status codes; the vendor's pages differ). */
export const expiredTokenCodes: ReadonlySet<string> = new Set([
  'INVALID_TOKEN',
  'INVALID_OAUTHTOKEN',
  'AUTHENTICATION_FAILURE',
]);

/** Errors come flat, or in a list under the name of what was asked for. */
const flatError = z.object({ code: z.string() });

/**
 * Asks CRM-B (Zoho CRM v8), every wait bounded. Nothing is repeated but a request whose token was refused: that one was not
 * carried out, and is sent once more with another token.
 */
export function crmBApi({ timeoutMs }: { timeoutMs: number }): CrmBApi {
  const send = async (access: CrmBAccess, { method, path, query = {}, json }: CrmBRequest, token: string) => {
    const url = new URL(path, access.apiDomain);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const outcome = await request({
      method,
      url,
      // Not "Bearer", whatever token_type says (Zoho CRM v8, OAuth).
      headers: { authorization: `Zoho-oauthtoken ${token}` },
      ...(json !== undefined && { json }),
      connectTimeoutMs: Math.min(3_000, timeoutMs),
      totalTimeoutMs: timeoutMs,
    });
    return readAnswer(outcome);
  };

  return async (access, asked) => {
    const token = await access.token();
    const answer = await send(access, asked, token);
    if (answer.kind !== 'refused' || answer.status !== 401 || !expiredTokenCodes.has(answer.code)) return answer;
    return send(access, asked, await access.token(token));
  };
}

function readAnswer(outcome: Awaited<ReturnType<typeof request>>): CrmBAnswer {
  if (outcome.kind === 'not_sent') return { kind: 'unavailable', reason: outcome.reason };
  if (outcome.kind === 'no_answer') return { kind: 'unknown', reason: outcome.reason };
  const { status, body: text } = outcome;
  if (status === 429) return { kind: 'unavailable', reason: 'too many requests' };
  if (status >= 500) return { kind: 'unknown', reason: `status ${status}` };
  const body = readJson(text);
  if (status >= 200 && status < 300)
    return text === '' || body !== undefined
      ? { kind: 'answered', status, body }
      : { kind: 'unknown', reason: 'not JSON' };
  return { kind: 'refused', status, code: codeIn(body), body };
}

function codeIn(body: unknown): string {
  const flat = z.safeParse(flatError, body);
  if (flat.success) return flat.data.code;
  const lists = Object.values(Object(body) as object).filter(Array.isArray);
  return lists.flatMap((list) => z.safeParse(flatError, list[0]).data?.code ?? [])[0] ?? '';
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
