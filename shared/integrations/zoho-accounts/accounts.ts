import * as z from 'zod/mini';
import { isAccountsServer, type StageHosts } from '../../domain/connections/allowed-hosts.ts';
import { errorCode } from '../../domain/connections/consent.ts';
import type { OauthClient } from '../../domain/connections/oauth-client.ts';
import { type HttpOutcome, request } from '../http/request.ts';

/** Tokens of an accounts server. */
export type Tokens = {
  accessToken: string;
  /** Only with the first ones of a grant. */
  refreshToken?: string | undefined;
  apiDomain?: string | undefined;
  expiresInSeconds: number;
};

export type TokenOutcome =
  | ({ kind: 'granted' } & Tokens)
  /** In the vendor's words: `invalid_code`, `invalid_client`, `invalid_client_secret`, `invalid_redirect_uri` … */
  | { kind: 'refused'; error: string }
  /** Too many requests of late. It says nothing about the grant. */
  | { kind: 'throttled' }
  /** @property isSent whether the request may have arrived, so that it may have made a token. */
  | { kind: 'unavailable'; isSent: boolean; reason: string }
  /** Something that is neither tokens nor an error. */
  | { kind: 'garbage'; reason: string };

export type Accounts = ReturnType<typeof accounts>;

/** An hour, whatever is told in other units: very old answers count milliseconds in `expires_in`. */
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
 * The accounts servers of CRM-B and the help desk (Zoho Accounts, "OAuth 2.0 for server-based applications"). Parameters
 * go as a form: JSON is not read there. Nothing is repeated, every wait is bounded, and no secret goes to a server that is
 * not on the list.
 * @param options.timeoutMs for one request. @param options.hosts what the stage has in place of the real ones.
 */
export function accounts({ timeoutMs, hosts }: { timeoutMs: number; hosts: StageHosts }) {
  const post = (server: string, path: string, form: Record<string, string>) =>
    request({
      method: 'POST',
      url: new URL(path, server),
      form,
      connectTimeoutMs: Math.min(3_000, timeoutMs),
      totalTimeoutMs: timeoutMs,
    });

  const askForTokens = async (server: string, form: Record<string, string>): Promise<TokenOutcome> => {
    if (!isAccountsServer(server, hosts)) return { kind: 'refused', error: 'unexpected_accounts_server' };
    return readTokens(await post(server, '/oauth/v2/token', form));
  };

  return {
    /** Turns the code of a callback into tokens: once, and only at the server that the callback named. */
    exchange: (
      server: string,
      client: OauthClient,
      asked: { code: string; redirectUri: string; verifier: string },
    ): Promise<TokenOutcome> =>
      askForTokens(server, {
        grant_type: 'authorization_code',
        ...client,
        redirect_uri: asked.redirectUri,
        code: asked.code,
        code_verifier: asked.verifier,
      }),

    /** Another access token. `invalid_code` is also the answer to a refresh token that was revoked. */
    refresh: (server: string, client: OauthClient, refreshToken: string): Promise<TokenOutcome> =>
      askForTokens(server, { grant_type: 'refresh_token', ...client, refresh_token: refreshToken }),

    /** Ends a refresh token with all that was made from it. @returns whether the server said that it counts no more. */
    async revoke(server: string, token: string): Promise<boolean> {
      if (!isAccountsServer(server, hosts)) return false;
      const answer = await post(server, '/oauth/v2/token/revoke', { token });
      if (answer.kind !== 'answered') return false;
      const error = z.safeParse(errorAnswer, readJson(answer.body)).data?.error;
      return error === undefined ? answer.status >= 200 && answer.status < 300 : error === 'invalid_token';
    },
  };
}

/** Errors ride on any status: the throttle was seen with 200 and with 400. */
function readTokens(answer: HttpOutcome<string>): TokenOutcome {
  if (answer.kind === 'not_sent') return { kind: 'unavailable', isSent: false, reason: answer.reason };
  if (answer.kind === 'no_answer') return { kind: 'unavailable', isSent: true, reason: answer.reason };
  const { status, body } = answer;
  const json = readJson(body);
  const failed = z.safeParse(errorAnswer, json);
  if (failed.success) {
    const { error } = failed.data;
    return /^access.denied$/i.test(error) ? { kind: 'throttled' } : { kind: 'refused', error: errorCode(error) };
  }
  if (status === 429) return { kind: 'throttled' };
  if (status >= 500) return { kind: 'unavailable', isSent: true, reason: `status ${status}` };
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

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
