import {
  authorizeUrl,
  newOauthSecret,
  type OauthType,
  redirectUriOf,
} from '../../domain/connections/access/consent.ts';
import type { DataCenter } from '../../domain/connections/access/data-center.ts';
import type { OauthState } from '../../domain/connections/access/oauth-state.ts';
import { accountsServerOf, type StageHosts } from '../../domain/connections/allowed-hosts.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { OauthClientReader } from '../../stores/connections/oauth-clients.ts';
import type { OauthStateStore } from '../../stores/connections/oauth-states.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';

export type BeginConsentDeps = AuditConnectionDeps & {
  states: Pick<OauthStateStore, 'creating'>;
  /** Reads the clients of the connection's type. */
  clientOf: OauthClientReader;
  /** The scopes of the connection's type, comma-separated. */
  scopes: string;
  hosts: StageHosts;
  /** The base of the service's public addresses. */
  publicUrl: string;
};

/** Who begins a consent and how it is confirmed (docs/crm-b.md, "Confirming a consent"). */
export type BegunConsent = { actor: Actor; connects: NonNullable<OauthState['connects']>; browserHash?: string };

/**
 * Begins a consent. A person opens the returned URL within ten minutes and consents (complete-consent.ts).
 * @returns undefined if no client is set for the data center
 */
export async function beginConsent(
  deps: BeginConsentDeps,
  connection: Pick<Connection, 'connection_id' | 'org_id'> & { type: OauthType },
  dataCenter: DataCenter,
  { actor, connects, browserHash }: BegunConsent,
): Promise<string | undefined> {
  const client = await deps.clientOf(dataCenter, true);
  if (!client) return undefined;
  const { connection_id, org_id, type } = connection;
  const [state, verifier] = [newOauthSecret(), newOauthSecret()];
  const redirectUri = redirectUriOf(type, deps.publicUrl);
  const begun: OauthState = {
    state,
    org_id,
    connection_id,
    type,
    data_center: dataCenter,
    verifier,
    redirect_uri: redirectUri,
    created_at: deps.now().toISOString(),
    begun_by: actor,
    connects,
    ...(browserHash !== undefined && { browser_hash: browserHash }),
  };
  const audit = auditConnection(deps, actor, connection, 'connection.consent_begun', {
    after: { data_center: dataCenter },
  });
  const { committed } = await deps.transact({ state: deps.states.creating(begun), audit });
  if (!committed) throw new Error('the consent could not be begun');
  return authorizeUrl({
    accountsServer: accountsServerOf(dataCenter, deps.hosts),
    clientId: client.client_id,
    redirectUri,
    scopes: deps.scopes,
    state,
    verifier,
  });
}
