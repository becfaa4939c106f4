import { randomUUID } from 'node:crypto';
import type { OauthType } from '../../../shared/domain/connections/access/consent.ts';
import type { DataCenter } from '../../../shared/domain/connections/access/data-center.ts';
import type { Grant } from '../../../shared/domain/connections/access/grant.ts';
import { crmBScopes, helpDeskScopes } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { newToken } from '../../../shared/domain/ids.ts';
import { type BegunConsent, beginConsent } from '../../../shared/operations/connections/begin-consent.ts';
import { createConnection } from '../../../shared/operations/connections/create-connection.ts';
import { connectionChannelStore } from '../../../shared/stores/connections/connection-channels.ts';
import { connectionGrants } from '../../../shared/stores/connections/connection-grants.ts';
import { oauthClientReader } from '../../../shared/stores/connections/oauth-clients.ts';
import { oauthStateStore } from '../../../shared/stores/connections/oauth-states.ts';
import { oauthTokens } from '../../../shared/stores/connections/oauth-tokens.ts';
import { anOrg, stores, type TestOrg } from '../organizations/orgs.ts';
import { crmB, db, environment, kms, named, now, secrets } from '../stack/stack.ts';
import { operator } from './change-connection.ts';

/** The simulator's first user, who owns every lead without an explicit owner. */
export const CRM_B_OWNER = '554000000000101';

export type CrmBConnection = {
  org: TestOrg;
  orgId: string;
  assistantId: string;
  connection: Connection;
  connectionId: string;
  ownerId: string;
};

type Settings = Partial<Pick<Connection, 'auto_call' | 'assistant_id' | 'trigger_owner_user_id' | 'settings'>>;

const oauthStates = oauthStateStore(db, named.table('oauth-states'));
export const grants = connectionGrants(db, named.table('connections'));
export const tokens = oauthTokens(kms, named.keyAlias('oauth-tokens'));

const hosts = { accountsUrl: environment.simulators.crm_b_accounts, apiUrl: environment.simulators.crm_b };

/** Raises the vendor's limits, which suites would reach because all connections share one user and one client. */
export const connectsOften = {
  consent: 'grant',
  codesPerTenMinutes: 100_000,
  refreshTokensPerTenMinutes: 100_000,
  refreshTokens: 100_000,
} as const;

/** Creates a connection without a consent, of a new organization unless given. */
export async function anUnconnected(type: OauthType, settings: Settings = {}, given?: TestOrg) {
  const org = given ?? (await anOrg());
  const created = await createConnection({ ...stores, now, newToken }, operator, {
    org_id: org.orgId,
    type,
    auto_call: true,
    assistant_id: org.assistantId,
    trigger_owner_user_id: CRM_B_OWNER,
    ...settings,
  });
  if (created.kind !== 'created') throw new Error(`not connected: ${created.kind}`);
  return { org, connection: created.connection };
}

/** Returns the URL that a person opens to connect. */
export async function authorizeUrlOf(
  { connection_id, org_id, type }: Pick<Connection, 'connection_id' | 'org_id' | 'type'>,
  dataCenter: DataCenter = 'in',
  begun: Partial<BegunConsent> = {},
): Promise<string> {
  const oauthType = type as OauthType;
  const url = await beginConsent(
    {
      ...stores,
      states: oauthStates,
      newToken,
      clientOf: oauthClientReader(secrets, named.secret(`${oauthType}-oauth`)),
      scopes: oauthType === 'crm-b' ? crmBScopes : helpDeskScopes,
      hosts,
      publicUrl: environment.base_url,
      now,
    },
    { connection_id, org_id, type: oauthType },
    dataCenter,
    { actor: operator, connects: 'at_callback', ...begun },
  );
  if (!url) throw new Error(`no client for ${dataCenter}`);
  return url;
}

const goTo = (url: string) => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(120_000) });

/** Returns the callback address that the accounts server redirects to, without showing the consent page. */
export async function consentTo(authorizeUrl: string): Promise<URL> {
  const answer = await goTo(authorizeUrl);
  const location = answer.headers.get('location');
  if (answer.status !== 302 || !location) throw new Error(`the accounts server answered ${answer.status}`);
  return new URL(location);
}

/** Calls back after the consent. @returns the status, the redirect target and the body. */
export async function callBack(
  callback: URL,
): Promise<{ status: number; result: Record<string, string>; body: string }> {
  const answer = await goTo(callback.href);
  const location = answer.headers.get('location');
  return {
    status: answer.status,
    result: location ? Object.fromEntries(new URL(location).searchParams) : {},
    body: await answer.text(),
  };
}

/** Completes a consent. @returns the result in the dashboard's address */
export async function consentAs(connection: Pick<Connection, 'connection_id' | 'org_id' | 'type'>) {
  await crmB.settings(connectsOften);
  return (await callBack(await consentTo(await authorizeUrlOf(connection)))).result;
}

/**
 * Creates a CRM-B connection and consents to it, for a new organization unless given: with auto-call, an assistant and
 * a trigger owner.
 */
export async function aCrmBConnection(settings: Settings = {}, given?: TestOrg): Promise<CrmBConnection> {
  const { org, connection } = await anUnconnected('crm-b', settings, given);
  const { connection_id: connectionId } = connection;
  const result = await consentAs(connection);
  if (result.connected !== connectionId) throw new Error(`not connected: ${JSON.stringify(result)}`);
  return crmBConnection(org, (await stores.connections.get(connectionId)) ?? connection);
}

export type GrantOptions = {
  scopes: string;
  /** The granting user; default: the simulator's first. */
  user?: string;
  /** Default: the simulator's. */
  hosts?: Pick<Grant, 'accounts_server' | 'api_domain'> | undefined;
  /** The expiry of the access token. */
  endsInSeconds?: number;
  organizations?: Grant['organizations'];
};

/** Stores a grant, as a consent does. */
export async function storeGrant(
  type: OauthType,
  connectionId: string,
  { scopes, user, hosts, endsInSeconds = 3_600, organizations }: GrantOptions,
): Promise<Grant> {
  const client = await oauthClientReader(secrets, named.secret(`${type}-oauth`))('in');
  if (!client) throw new Error(`${type} has no client`);
  const granted = await crmB.grant({ clientId: client.client_id, scopes: scopes.split(','), ...(user && { user }) });
  const [refresh_token, token] = await Promise.all([
    tokens.seal(connectionId, granted.refreshToken),
    tokens.seal(connectionId, granted.accessToken),
  ]);
  const at = (seconds: number) => new Date(now().getTime() + seconds * 1000).toISOString();
  const grant: Grant = {
    id: randomUUID(),
    data_center: 'in',
    accounts_server: hosts?.accounts_server ?? environment.simulators.crm_b_accounts,
    api_domain: hosts?.api_domain ?? environment.simulators.crm_b,
    refresh_token,
    granted_at: at(0),
    ...(organizations && { organizations }),
  };
  const connection = await stores.connections.get(connectionId);
  if (!connection) throw new Error(`no connection ${connectionId}`);
  const access = { version: 1, token, expires_at: at(endsInSeconds) };
  await stores.transact({ grant: grants.storing(connection, grant, access) });
  return grant;
}

/**
 * Creates a CRM-B connection with a grant, but without a consent or a watch channel, so that no notifications arrive.
 * Its trigger owner is the granting user.
 */
export async function aGrantedConnection(
  org: TestOrg,
  { hosts, endsInSeconds = 3_600, ...settings }: Settings & Pick<GrantOptions, 'hosts' | 'endsInSeconds'> = {},
): Promise<CrmBConnection> {
  const { connection } = await anUnconnected('crm-b', settings, org);
  const user = connection.trigger_owner_user_id ?? CRM_B_OWNER;
  const options = { scopes: crmBScopes, user, hosts, endsInSeconds };
  const grant = await storeGrant('crm-b', connection.connection_id, options);
  return crmBConnection(org, { ...connection, grant });
}

const crmBConnection = (org: TestOrg, connection: Connection): CrmBConnection => ({
  org,
  orgId: org.orgId,
  assistantId: org.assistantId,
  connection,
  connectionId: connection.connection_id,
  ownerId: connection.trigger_owner_user_id ?? CRM_B_OWNER,
});

/** Removes the grants of connections, so that schedules ignore them. */
export async function disconnectAll(connected: readonly CrmBConnection[]): Promise<void> {
  const channels = connectionChannelStore(db, named.table('connections'));
  for (const { connectionId } of connected) {
    const connection = await stores.connections.get(connectionId);
    if (connection) await stores.transact({ connection: channels.disconnecting(connection) });
  }
}
