import * as z from 'zod/mini';
import { errorCode } from '../../domain/connections/access/consent.ts';
import type { OauthClient } from '../../domain/connections/access/oauth-client.ts';
import { isAccountsServer } from '../../domain/connections/allowed-hosts.ts';
import { parseJson } from '../../domain/json.ts';
import { type HttpOutcome, request } from '../http/request.ts';
import { retryAfterIn } from '../http/retry-after.ts';

/** The tokens that an accounts server has issued. */
export type Tokens = {
  accessToken: string;
  /** Present only in the first answer of a grant. */
  refreshToken?: string | undefined;
  apiDomain?: string | undefined;
  expiresInSeconds: number;
};

export type TokenOutcome =
  | ({ kind: 'granted' } & Tokens)
  /** `error` is the vendor's: `invalid_code`, `invalid_client`, `invalid_client_secret`, `invalid_redirect_uri` … */
  | { kind: 'refused'; error: string }
  /** Too many recent requests. The grant is not affected. `retryAfterSeconds`: the wait that the server demands. */
  | { kind: 'throttled'; retryAfterSeconds?: number }
  /** @property isSent whether the request may have arrived, so that the server may have issued a token */
  | { kind: 'unavailable'; isSent: boolean; reason: string; retryAfterSeconds?: number }
  /** An answer that is neither tokens nor an error. */
  | { kind: 'garbage'; reason: string };

export type ZohoAccounts = ReturnType<typeof zohoAccounts>;

/** One hour. Old answers state `expires_in` in milliseconds; this cap corrects them. */
const LONGEST_LIFE_SECONDS = 3_600;

const errorAnswer = z.object({ error: z.string() });
const seconds = z.coerce.number().check(z.positive());
const tokens = z.object({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.optional(z.string()),
  api_domain: z.optional(z.string()),
  expires_in: z.optional(seconds),
  expires_in_sec: z.optional(seconds),
});

/**
 * Creates the OAuth client of Zoho's accounts servers (Zoho Accounts, "OAuth 2.0 for server-based applications"), which
 * CRM-B and the help desk share. Parameters are sent as a form because the servers do not read JSON. No request is
 * repeated, and no secret is sent to a server that is not listed.
 * @param options.timeoutMs for one request
 * @param options.accountsUrl the stage's accounts server, in place of every data center's real one
 */
export function zohoAccounts({ timeoutMs, accountsUrl }: { timeoutMs: number; accountsUrl: string | undefined }) {
  const isListed = (server: string) => isAccountsServer(server, { accountsUrl });
  const post = (server: string, path: string, form: Record<string, string>) =>
    request({
      method: 'POST',
      url: new URL(path, server),
      form,
      connectTimeoutMs: Math.min(3_000, timeoutMs),
      totalTimeoutMs: timeoutMs,
    });

  const requestTokens = async (server: string, form: Record<string, string>): Promise<TokenOutcome> => {
    if (!isListed(server)) return { kind: 'refused', error: 'unexpected_accounts_server' };
    return readTokens(await post(server, '/oauth/v2/token', form));
  };

  return {
    /** Exchanges the code of a callback for tokens. A code works once, at the server that the callback named. */
    exchange: (
      server: string,
      client: OauthClient,
      { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
    ): Promise<TokenOutcome> =>
      requestTokens(server, {
        grant_type: 'authorization_code',
        ...client,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      }),

    /** Requests another access token. A revoked refresh token is refused as `invalid_code`. */
    refresh: (server: string, client: OauthClient, refreshToken: string): Promise<TokenOutcome> =>
      requestTokens(server, { grant_type: 'refresh_token', ...client, refresh_token: refreshToken }),

    /**
     * Revokes a refresh token and every access token that was issued for it.
     * @returns whether the server confirmed that the token is no longer valid
     */
    async revoke(server: string, token: string): Promise<boolean> {
      if (!isListed(server)) return false;
      const answer = await post(server, '/oauth/v2/token/revoke', { token });
      if (answer.kind !== 'answered') return false;
      const error = z.safeParse(errorAnswer, parseJson(answer.body)).data?.error;
      return error === undefined ? answer.status >= 200 && answer.status < 300 : error === 'invalid_token';
    },
  };
}

/** Reads an answer. Its error decides before its status, because the throttle occurs with 200 and with 400. */
function readTokens(answer: HttpOutcome<string>): TokenOutcome {
  if (answer.kind === 'not_sent') return { kind: 'unavailable', isSent: false, reason: answer.reason };
  if (answer.kind === 'no_answer') return { kind: 'unavailable', isSent: true, reason: answer.reason };
  const { status, body, headers } = answer;
  const json = parseJson(body);
  const wait = retryAfterIn(headers);
  const failed = z.safeParse(errorAnswer, json);
  if (failed.success) {
    const { error } = failed.data;
    return /^access.denied$/i.test(error)
      ? { kind: 'throttled', ...wait }
      : { kind: 'refused', error: errorCode(error) };
  }
  if (status === 429) return { kind: 'throttled', ...wait };
  if (status >= 500) return { kind: 'unavailable', isSent: true, reason: `status ${status}`, ...wait };
  const read = z.safeParse(tokens, json);
  if (!read.success || status < 200 || status >= 300) return { kind: 'garbage', reason: `status ${status}` };
  const { access_token, refresh_token, api_domain, expires_in_sec, expires_in } = read.data;
  return {
    kind: 'granted',
    accessToken: access_token,
    refreshToken: refresh_token === '' ? undefined : refresh_token,
    apiDomain: api_domain,
    expiresInSeconds: Math.min(expires_in_sec ?? expires_in ?? LONGEST_LIFE_SECONDS, LONGEST_LIFE_SECONDS),
  };
}
