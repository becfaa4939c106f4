import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import type { ConnectionType } from './connection.ts';
import { type DataCenter, dataCenterHosts, dataCenters } from './data-center.ts';

/** The connections that a customer makes by consent. */
export type OauthType = Exclude<ConnectionType, 'crm-a'>;

export const isOauthType = (type: ConnectionType): type is OauthType => type !== 'crm-a';

/**
 * All that the service will ever ask CRM-B for: every later scope would ask every customer again (Zoho CRM v8, "Scopes").
 * COQL and notes want the right to read their module beside their own.
 */
export const crmBScopes = [
  'ZohoCRM.modules.leads.READ',
  'ZohoCRM.modules.leads.UPDATE',
  'ZohoCRM.modules.calls.CREATE',
  'ZohoCRM.modules.calls.READ',
  'ZohoCRM.modules.notes.CREATE',
  'ZohoCRM.modules.notes.READ',
  'ZohoCRM.notifications.ALL',
  'ZohoCRM.coql.READ',
  'ZohoCRM.users.READ',
  'ZohoCRM.settings.fields.READ',
].join(',');

/** What the help desk is asked for (interface, "CRM-B and help-desk OAuth"), unless the stage has other names for it. */
export const helpDeskScopes = [
  'HB.basic.READ',
  'HB.contacts.READ',
  'HB.tickets.ALL',
  'HB.settings.READ',
  'HB.search.READ',
].join(',');

const text = z.string().check(z.trim(), z.minLength(1));

/** What the vendor gives for a registered application. */
export const oauthClient = z.strictObject({ client_id: text, client_secret: text });
export type OauthClient = z.infer<typeof oauthClient>;

/** What the secrets `crm-b-oauth` and `help-desk-oauth` hold: a data center without a client cannot be connected. */
export const oauthClients = z.partialRecord(z.enum(dataCenters), oauthClient);
export type OauthClients = z.infer<typeof oauthClients>;

/** What a stage puts in the place of every data center's real hosts. */
export type StageHosts = { accountsUrl?: string | undefined; apiUrl?: string | undefined };

export const accountsServerOf = (dataCenter: DataCenter, { accountsUrl }: StageHosts): string =>
  accountsUrl ?? dataCenterHosts[dataCenter].accountsServer;

/**
 * Whose accounts server a callback names. The client's secret goes to none but these.
 * @param begun the data center where the consent was begun: the vendor may have moved the person to another one.
 * @returns undefined where it is nobody's, or none is named.
 */
export function dataCenterOf(
  accountsServer: string | undefined,
  begun: DataCenter,
  { accountsUrl }: StageHosts,
): DataCenter | undefined {
  if (accountsUrl !== undefined) return isSameHost(accountsServer, accountsUrl) ? begun : undefined;
  return dataCenters.find((each) => isSameHost(accountsServer, dataCenterHosts[each].accountsServer));
}

/** Whether this is the accounts server of any data center. */
export const isAccountsServer = (url: string, hosts: StageHosts): boolean =>
  dataCenters.some((each) => isSameHost(url, accountsServerOf(each, hosts)));

/** @returns the API domain that the token's answer names, as the list spells it; undefined where it is not on it. */
export function listedApiDomain(apiDomain: string | undefined, { apiUrl }: StageHosts): string | undefined {
  const listed = apiUrl === undefined ? dataCenters.map((each) => dataCenterHosts[each].apiDomain) : [apiUrl];
  return listed.find((each) => isSameHost(apiDomain, each));
}

/** Scheme, host and port; nothing may stand behind or before them. */
function isSameHost(given: string | undefined, listed: string): boolean {
  if (given === undefined || !URL.canParse(given)) return false;
  const { origin, pathname, search, hash, username, password } = new URL(given);
  return origin === new URL(listed).origin && pathname === '/' && `${search}${hash}${username}${password}` === '';
}

/** Where the vendor sends people back to. @param publicUrl of the stage; the vendor's console must have the same text. */
export const redirectUriOf = (type: OauthType, publicUrl: string): string =>
  new URL(`/api/oauth/${type}/callback`, publicUrl).href;

const RANDOM_BYTES = 32; // 256 bits: 43 characters of base64url, the least that PKCE takes

/** The state is all that authenticates a callback; the verifier stays here (RFC 7636). */
export const newOauthSecret = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/**
 * Where a person consents (Zoho Accounts, "OAuth 2.0 for server-based applications"). Offline and with the consent asked
 * for: the vendor gives no refresh token otherwise. Servers that do not know PKCE pass the challenge by.
 */
export function authorizeUrl(asked: {
  accountsServer: string;
  clientId: string;
  redirectUri: string;
  /** Comma-separated. */
  scopes: string;
  state: string;
  verifier: string;
}): string {
  const url = new URL('/oauth/v2/auth', asked.accountsServer);
  url.search = new URLSearchParams({
    client_id: asked.clientId,
    response_type: 'code',
    redirect_uri: asked.redirectUri,
    scope: asked.scopes,
    access_type: 'offline',
    prompt: 'consent',
    state: asked.state,
    code_challenge: createHash('sha256').update(asked.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}

const CODE = /^[a-z][a-z_]{0,39}$/;

/** An error code of the vendor as it may be shown: never a text that could carry something else. */
export const errorCode = (error: string): string => (CODE.test(error) ? error : 'refused');
