import type { Connection } from '../../shared/domain/connection.ts';
import type { DataCenter } from '../../shared/domain/data-center.ts';
import { crmBScopes, type OauthType } from '../../shared/domain/oauth.ts';
import { createOauthConnection } from '../../shared/operations/connect-oauth.ts';
import { startOauth } from '../../shared/operations/start-oauth.ts';
import { connectionGrants } from '../../shared/stores/connection-grants.ts';
import { oauthClientReader } from '../../shared/stores/oauth-clients.ts';
import { oauthStateStore } from '../../shared/stores/oauth-states.ts';
import { oauthTokens } from '../../shared/stores/oauth-tokens.ts';
import { anOrg, stores, type TestOrg } from './orgs.ts';
import { crmB, db, environment, kms, named, now, secrets } from './stack.ts';

/** The first user of the simulator: owns every lead that names no other owner. */
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

export const oauthStates = oauthStateStore(db, named.table('oauth-states'));
export const grants = connectionGrants(db, named.table('connections'));
export const tokens = oauthTokens(kms, named.keyAlias('oauth-tokens'));

const hosts = { accountsUrl: environment.simulators.crm_b_accounts, apiUrl: environment.simulators.crm_b };

/** The vendor's limits, that suites which connect often would run into: all of them share one user and one client. */
export const connectsOften = {
  consent: 'grant',
  codesPerTenMinutes: 100_000,
  refreshTokensPerTenMinutes: 100_000,
  refreshTokens: 100_000,
} as const;

/** An org of its own, unless given, with a connection that nobody has consented to. */
export async function anUnconnected(type: OauthType, settings: Settings = {}, given?: TestOrg) {
  const org = given ?? (await anOrg());
  const connection = await createOauthConnection(
    { connections: stores.connections, now },
    {
      org_id: org.orgId,
      type,
      auto_call: true,
      assistant_id: org.assistantId,
      trigger_owner_user_id: CRM_B_OWNER,
      ...settings,
    },
  );
  if (!connection) throw new Error('the org has such a connection already');
  return { org, connection };
}

/** The URL that a person opens to connect. */
export async function authorizeUrlOf(
  { connection_id, org_id, type }: Pick<Connection, 'connection_id' | 'org_id' | 'type'>,
  dataCenter: DataCenter = 'in',
): Promise<string> {
  const oauthType = type as OauthType;
  const url = await startOauth(
    {
      states: oauthStates,
      clientOf: oauthClientReader(secrets, named.secret(`${oauthType}-oauth`)),
      scopes: oauthType === 'crm-b' ? crmBScopes : 'HB.basic.READ,HB.tickets.ALL',
      hosts,
      publicUrl: environment.base_url,
      now,
    },
    { connection_id, org_id, type: oauthType },
    dataCenter,
  );
  if (!url) throw new Error(`no client for ${dataCenter}`);
  return url;
}

const goTo = (url: string) => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(40_000) });

/** What the accounts server sends the person back with: the address of our callback. The consent page must not show. */
export async function consentTo(authorizeUrl: string): Promise<URL> {
  const answer = await goTo(authorizeUrl);
  const location = answer.headers.get('location');
  if (answer.status !== 302 || !location) throw new Error(`the accounts server answered ${answer.status}`);
  return new URL(location);
}

/** Comes back from the consent. @returns the status, where the person is sent to, and the body. */
export async function comeBack(
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

/** The whole walk through the consent. @returns what the dashboard is told. */
export async function consentAs(connection: Pick<Connection, 'connection_id' | 'org_id' | 'type'>) {
  await crmB.settings(connectsOften);
  return (await comeBack(await consentTo(await authorizeUrlOf(connection)))).result;
}

/** An org of its own, unless given, connected to CRM-B by a consent: auto-call on, an assistant, a trigger owner. */
export async function aCrmBConnection(settings: Settings = {}, given?: TestOrg): Promise<CrmBConnection> {
  const { org, connection } = await anUnconnected('crm-b', settings, given);
  const { connection_id: connectionId } = connection;
  const result = await consentAs(connection);
  if (result.connected !== connectionId) throw new Error(`not connected: ${JSON.stringify(result)}`);
  const connected = await stores.connections.get(connectionId);
  return {
    org,
    orgId: org.orgId,
    assistantId: org.assistantId,
    connection: connected ?? connection,
    connectionId,
    ownerId: connection.trigger_owner_user_id ?? '',
  };
}
