import { type Answer, Problem } from '../answer.ts';
import { escapeHtml } from '../page.ts';
import {
  type Code,
  challengeMet,
  clientAt,
  issueAccess,
  issueCode,
  issueGrant,
  type RefreshToken,
  redirectAllowed,
  registeredHere,
  revoke,
  tooManyCodes,
} from './grants.ts';
import { page } from './page.ts';
import { unknownScopes } from './scopes.ts';
import type { Incoming } from './server.ts';
import { accountsServer, apiDomain, type CrmBState, type Simulator, type User } from './state.ts';

/**
 * The accounts server (Zoho Accounts, OAuth 2.0 for server-based applications). Parameters of its POST routes come in
 * the query or in a form; a JSON body is not read.
 */
export const accountsRoutes: Record<string, (simulator: Simulator, incoming: Incoming) => Answer> = {
  'GET /oauth/v2/auth': authorize,
  'POST /oauth/v2/auth': decide,
  'POST /oauth/v2/token': token,
  'POST /oauth/v2/token/revoke': revokeToken,
};

type Asked = {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string | null;
  offline: boolean;
  promptsConsent: boolean;
  challenge?: Code['challenge'];
};

function authorize(simulator: Simulator, { params }: Incoming): Answer {
  const { state } = simulator;
  const asked = readRequest(state, params);
  const { consent, consentUser } = state.settings;
  if (consent === 'deny') return denied(asked);
  if (consent === 'grant') return granted(simulator, asked, state.someUser(consentUser));
  return { status: 200, html: consentPage(state, params, asked) };
}

/** The buttons of the consent page; the vendor's own page posts elsewhere. */
function decide(simulator: Simulator, { params }: Incoming): Answer {
  const asked = readRequest(simulator.state, params);
  if (params.decision !== 'accept') return denied(asked);
  return granted(simulator, asked, simulator.state.someUser(params.user));
}

/** The request, or an error page: there is nowhere safe to redirect to. */
function readRequest(state: CrmBState, params: Record<string, string>): Asked {
  const client = clientAt(state, params.client_id);
  const redirectUri = params.redirect_uri;
  const scopes = (params.scope ?? '').split(',').map((scope) => scope.trim());
  const strange = unknownScopes(scopes);
  const refuse = (title: string, text: string): never => {
    throw new Problem({ status: 400, html: page(title, `<p>${escapeHtml(text)}</p>`) });
  };
  if (!client) return refuse('Invalid Client', 'The client_id is not registered.');
  if (params.response_type !== 'code') return refuse('Invalid Response Type', 'response_type must be code.');
  if (redirectUri === undefined || !redirectAllowed(client, redirectUri))
    return refuse('Invalid Redirect Uri', 'The redirect_uri is not one of the registered ones.');
  if (strange.length > 0) return refuse('Invalid OAuth Scope', `Scope does not exist: ${strange.join(', ')}`);
  const method = params.code_challenge_method ?? 'plain';
  return {
    clientId: client.id,
    redirectUri,
    scopes,
    state: params.state ?? null,
    offline: params.access_type === 'offline',
    promptsConsent: params.prompt === 'consent',
    ...(params.code_challenge !== undefined &&
      state.settings.pkce === 'checked' && { challenge: { value: params.code_challenge, method } }),
  };
}

function consentPage(state: CrmBState, params: Record<string, string>, { clientId, scopes }: Asked): string {
  const kept = Object.entries(params)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  const users = [...state.users.values()]
    .map(({ id, name, org }) => `<option value="${escapeHtml(id)}">${escapeHtml(`${name} (${org})`)}</option>`)
    .join('');
  return page(
    'Allow access to the CRM?',
    `<p><b>${escapeHtml(clientId)}</b> would like to</p>
<ul>${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('')}</ul>
<form method="post" action="/oauth/v2/auth">${kept}
<p><label>as <select name="user">${users}</select></label></p>
<button name="decision" value="accept">Accept</button><button name="decision" value="reject">Reject</button>
</form>`,
  );
}

/** The vendor only says that it returns an error; `access_denied` is OAuth's own name for it. */
const denied = (asked: Asked): Answer => redirect(asked, { error: 'access_denied' });

function granted(simulator: Simulator, asked: Asked, user: User): Answer {
  const { state } = simulator;
  if (tooManyCodes(state, asked.clientId)) return denied(asked);
  const { code } = issueCode(state, { ...asked, userId: user.id });
  return redirect(asked, {
    code,
    location: state.settings.location,
    'accounts-server': accountsServer(simulator),
  });
}

function redirect({ redirectUri, state }: Asked, query: Record<string, string>): Answer {
  const url = new URL(redirectUri);
  if (state !== null) url.searchParams.set('state', state);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href } };
}

function token(simulator: Simulator, { params }: Incoming): Answer {
  const { state } = simulator;
  const client = clientAt(state, params.client_id);
  if (!client) throw oauthError(state, 'invalid_client');
  if (client.secret !== params.client_secret || !registeredHere(state, client))
    throw oauthError(state, 'invalid_client_secret');
  if (params.grant_type === 'authorization_code') return exchange(simulator, params);
  if (params.grant_type === 'refresh_token') return refresh(simulator, params);
  throw oauthError(state, 'invalid_request');
}

function exchange(simulator: Simulator, params: Record<string, string>): Answer {
  const { state } = simulator;
  const code = state.codes.find((each) => each.code === params.code);
  if (!code || code.clientId !== params.client_id || code.used) throw oauthError(state, 'invalid_code');
  if (state.clock() >= code.issuedAt + 1000 * state.settings.codeSeconds) throw oauthError(state, 'invalid_code');
  if (code.redirectUri !== params.redirect_uri) throw oauthError(state, 'invalid_redirect_uri');
  if (!challengeMet(code, params.code_verifier)) throw oauthError(state, 'invalid_code');
  const grant = issueGrant(state, code);
  if (grant === 'throttled') throw accessDenied(state);
  code.used = true;
  return tokens(simulator, grant, true);
}

/** A revoked refresh token is answered as a used code is: `invalid_code`. */
function refresh(simulator: Simulator, params: Record<string, string>): Answer {
  const { state } = simulator;
  const grant = state.refreshTokens.find(({ token }) => token !== null && token === params.refresh_token);
  if (!grant || grant.clientId !== params.client_id || grant.revoked) throw oauthError(state, 'invalid_code');
  return tokens(simulator, grant, false);
}

function tokens(simulator: Simulator, grant: RefreshToken, isFirst: boolean): Answer {
  const { state } = simulator;
  const access = issueAccess(state, grant);
  if (access === 'throttled') throw accessDenied(state);
  return {
    status: 200,
    json: {
      access_token: access.token,
      ...(isFirst && grant.token !== null && { refresh_token: grant.token }),
      api_domain: apiDomain(simulator),
      token_type: 'Bearer',
      expires_in: state.settings.accessTokenSeconds,
    },
  };
}

/** Revokes a refresh token with all made from it, or one access token. Answers for unknown ones are not documented. */
function revokeToken({ state }: Simulator, { params }: Incoming): Answer {
  const grant = state.refreshTokens.find(({ token }) => token !== null && token === params.token);
  const access = state.refreshTokens.flatMap((each) => each.access).find(({ token }) => token === params.token);
  if (grant) revoke(grant);
  else if (access) access.revoked = true;
  else throw oauthError(state, 'invalid_token');
  return { status: 200, json: { status: 'success' } };
}

export const oauthError = ({ settings }: CrmBState, error: string, status?: number): Problem =>
  new Problem({ status: status ?? settings.oauthErrorStatus, json: { error } });

/** The throttle; it says nothing about the grant. */
export const accessDenied = ({ settings }: CrmBState, status?: number): Problem =>
  new Problem({
    status: status ?? settings.throttleStatus,
    json: {
      error: 'Access Denied',
      error_description: 'You have made too many requests continuously. Please try again after some time.',
      status: 'failure',
    },
  });
