import { html } from 'hono/html';
import { type Answer, Problem } from '../../kit/answer.ts';
import type { Client, Code, User } from '../model.ts';
import { page } from '../page.ts';
import type { AccountsState } from '../state.ts';
import { hasTooManyCodes, issueCode } from './grants.ts';

/** A valid authorization request. */
export type ConsentRequest = {
  clientId: string;
  redirectUri: string;
  scopes: string[];
  state: string | null;
  isOffline: boolean;
  promptsConsent: boolean;
  challenge?: Code['challenge'];
};

/** Makes an error page. It does not redirect, because the client or its address may be untrusted. */
const refused = (title: string, message: string) =>
  new Problem({ status: 400, html: page(title, html`<p>${message}</p>`) });

/** @throws Problem if the request is invalid */
export function readConsentRequest(state: AccountsState, params: Record<string, string>): ConsentRequest {
  const client = state.clients.get(params.client_id ?? '');
  const redirectUri = params.redirect_uri;
  const scopes = (params.scope ?? '').split(',').map((scope) => scope.trim());
  const unknown = unknownScopes(scopes);
  if (!client) throw refused('Invalid Client', 'The client_id is not registered.');
  if (params.response_type !== 'code') throw refused('Invalid Response Type', 'response_type must be code.');
  if (redirectUri === undefined || !allowsRedirect(client, redirectUri))
    throw refused('Invalid Redirect Uri', 'The redirect_uri is not one of the registered ones.');
  if (unknown.length > 0) throw refused('Invalid OAuth Scope', `Scope does not exist: ${unknown.join(', ')}`);
  const method = params.code_challenge_method ?? 'plain';
  return {
    clientId: client.id,
    redirectUri,
    scopes,
    state: params.state ?? null,
    isOffline: params.access_type === 'offline',
    promptsConsent: params.prompt === 'consent',
    ...(params.code_challenge !== undefined &&
      state.settings.pkce === 'checked' && { challenge: { value: params.code_challenge, method } }),
  };
}

function allowsRedirect({ redirectUris }: Client, uri: string): boolean {
  if (redirectUris) return redirectUris.includes(uri);
  return /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?\//.test(uri);
}

/** The vendor documents only that it returns an error; `access_denied` is the code of RFC 6749. */
export const deny = (request: ConsentRequest): Answer => redirect(request, { error: 'access_denied' });

export function consent(state: AccountsState, request: ConsentRequest, user: User): Answer {
  if (hasTooManyCodes(state, request.clientId)) return deny(request);
  const { state: _, ...rest } = request;
  const { code } = issueCode(state, { ...rest, userId: user.id });
  return redirect(request, { code, location: state.settings.location, 'accounts-server': state.accountsServer() });
}

function redirect({ redirectUri, state }: ConsentRequest, query: Record<string, string>): Answer {
  const url = new URL(redirectUri);
  if (state !== null) url.searchParams.set('state', state);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href } };
}

const modules =
  'leads|accounts|contacts|deals|campaigns|tasks|cases|events|calls|solutions|products|vendors|pricebooks|quotes|salesorders|purchaseorders|invoices|notes|attachments|activities|custom|appointments|services|emails';
const settings =
  'territories|custom_views|related_lists|modules|tab_groups|fields|layouts|macros|custom_links|custom_buttons|roles|profiles|variables|automation|currencies|tags|pipeline|layout_rules|assignment_rules';
const operations = 'ALL|READ|CREATE|UPDATE|WRITE|DELETE';

const known = [
  new RegExp(`^ZohoCRM\\.modules(\\.(${modules}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.settings(\\.(${settings}))?\\.(${operations})$`, 'i'),
  new RegExp(`^ZohoCRM\\.(users|org|notifications|coql|bulk|search)\\.(${operations})$`, 'i'),
  // Zoho Desk's scopes, under the vendor's prefix and the service's default one (docs/help-desk.md, "Scopes").
  new RegExp(`^(Desk|HB)\\.(basic|contacts|tickets|settings|search|tasks|events|articles)\\.(${operations})$`, 'i'),
  /^AaaServer\.profile\.READ$/i,
];

/** Returns the scopes that the vendor does not know. A single one makes the vendor refuse the whole list. */
const unknownScopes = (scopes: string[]): string[] =>
  scopes.filter((scope) => !known.some((pattern) => pattern.test(scope)));
