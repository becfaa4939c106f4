import type { Answer } from '../../kit/answer.ts';
import type { Client, Grant } from '../model.ts';
import type { AccountsState } from '../state.ts';
import { isChallengeMet, issueAccess, issueGrant, revoke } from './grants.ts';
import { accessDenied, oauthError } from './problems.ts';

type Params = Record<string, string>;

/** Answers with tokens for a code or for a refresh token. */
export function issueTokens(state: AccountsState, params: Params): Answer {
  const client = state.clients.get(params.client_id ?? '');
  if (!client) throw oauthError(state, 'invalid_client');
  if (client.secret !== params.client_secret || !isRegisteredHere(state, client))
    throw oauthError(state, 'invalid_client_secret');
  if (params.grant_type === 'authorization_code') return exchangeCode(state, params);
  if (params.grant_type === 'refresh_token') return refresh(state, params);
  throw oauthError(state, 'invalid_request');
}

/** The secret of a client is valid only in the data centers where the client is registered. */
const isRegisteredHere = (state: AccountsState, { dataCenters }: Client) =>
  !dataCenters || dataCenters.includes(state.settings.location);

function exchangeCode(state: AccountsState, params: Params): Answer {
  const code = state.codes.find((each) => each.code === params.code);
  if (!code || code.clientId !== params.client_id || code.used) throw oauthError(state, 'invalid_code');
  if (state.clock() >= code.issuedAt + 1000 * state.settings.codeSeconds) throw oauthError(state, 'invalid_code');
  if (code.redirectUri !== params.redirect_uri) throw oauthError(state, 'invalid_redirect_uri');
  if (!isChallengeMet(code, params.code_verifier)) throw oauthError(state, 'invalid_code');
  const grant = issueGrant(state, code);
  if (grant === 'throttled') throw accessDenied(state);
  code.used = true;
  return tokens(state, grant, true);
}

/** Issues an access token. A revoked refresh token gets the same answer as a used code: `invalid_code`. */
function refresh(state: AccountsState, params: Params): Answer {
  const grant = state.grants.find(({ token }) => token !== null && token === params.refresh_token);
  if (!grant || grant.clientId !== params.client_id || grant.revoked) throw oauthError(state, 'invalid_code');
  return tokens(state, grant, false);
}

function tokens(state: AccountsState, grant: Grant, isFirst: boolean): Answer {
  const access = issueAccess(state, grant);
  if (access === 'throttled') throw accessDenied(state);
  return {
    status: 200,
    json: {
      access_token: access.token,
      ...(isFirst && grant.token !== null && { refresh_token: grant.token }),
      api_domain: state.apiDomain(),
      token_type: 'Bearer',
      expires_in: state.settings.accessTokenSeconds,
    },
  };
}

/** Revokes a refresh token with its access tokens, or one access token. The answer for other tokens is undocumented. */
export function revokeToken(state: AccountsState, { token }: Params): Answer {
  const grant = state.grants.find((each) => each.token !== null && each.token === token);
  const access = state.grants.flatMap((each) => each.access).find((each) => each.token === token);
  if (grant) revoke(grant);
  else if (access) access.revoked = true;
  else throw oauthError(state, 'invalid_token');
  return { status: 200, json: { status: 'success' } };
}
