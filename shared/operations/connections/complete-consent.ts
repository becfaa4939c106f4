import { errorCode, type OauthType } from '../../domain/connections/access/consent.ts';
import { type ConsentIdentity, compareOrganizations } from '../../domain/connections/access/consent-identity.ts';
import type { DataCenter } from '../../domain/connections/access/data-center.ts';
import type { AccessToken, Grant } from '../../domain/connections/access/grant.ts';
import type { OauthState } from '../../domain/connections/access/oauth-state.ts';
import { PENDING_SECONDS, type PendingConsent } from '../../domain/connections/access/pending-consent.ts';
import {
  accountsServerOf,
  dataCenterOf,
  listedApiDomain,
  type StageHosts,
} from '../../domain/connections/allowed-hosts.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { newToken } from '../../domain/ids.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { TokenOutcome, Tokens, ZohoAccounts } from '../../integrations/zoho-accounts/accounts.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import type { OauthClientReader } from '../../stores/connections/oauth-clients.ts';
import type { OauthStateStore } from '../../stores/connections/oauth-states.ts';
import type { OauthTokens } from '../../stores/connections/oauth-tokens.ts';
import type { ReadIdentity } from './access/identity-readers.ts';
import { auditConnection } from './steps/audit-connection.ts';
import { auditedGrant, type Connected, type ConnectGrantDeps, connectGrant } from './steps/connect-grant.ts';
import { revokePending, revokeUnstored } from './steps/revoke-grant.ts';

export type CompleteConsentDeps = ConnectGrantDeps & {
  states: Pick<OauthStateStore, 'take'>;
  grants: Pick<ConnectionGrants, 'storing' | 'awaiting'>;
  tokens: OauthTokens;
  accounts: Pick<ZohoAccounts, 'exchange' | 'revoke'>;
  clientOf: OauthClientReader;
  hosts: StageHosts;
  readIdentity: ReadIdentity;
  /** Adds the ids to every following line of the log. */
  correlate: (ids: { org_id: string; connection_id: string }) => void;
};

/** The query of the vendor's redirect. */
export type ConsentCallback = {
  state: string | undefined;
  code: string | undefined;
  error: string | undefined;
  accountsServer: string | undefined;
};

export type ConsentResult =
  | { kind: 'invalid_state' }
  | { kind: 'failed'; error: string }
  /** The consent awaits its confirmation. Nothing else has changed. */
  | { kind: 'pending'; connectionId: string }
  | Connected;

/** Short, because a person waits for the redirect. */
const IDENTITY_MS = 3_000;

/**
 * Completes a consent (docs/crm-b.md, "Connecting"): reads who consented and connects, or keeps the consent until it is
 * confirmed (docs/crm-b.md, "Confirming a consent"). Every check precedes the one write that stores the grant. A grant
 * that is not stored is revoked, except after an error of that write, because the grant may be stored then.
 * @param type of the callback's route. A state of another type is invalid
 * @returns `failed` with a code for the person if nothing was stored
 */
export async function completeConsent(
  deps: CompleteConsentDeps,
  type: OauthType,
  callback: ConsentCallback,
): Promise<ConsentResult> {
  const state = callback.state && (await deps.states.take(callback.state, type, deps.now()));
  if (!state) return { kind: 'invalid_state' };
  deps.correlate({ org_id: state.org_id, connection_id: state.connection_id });
  if (callback.error !== undefined) return failed(errorCode(callback.error));

  const dataCenter = dataCenterOf(callback.accountsServer, state.data_center, deps.hosts);
  if (!dataCenter) return failed('unexpected_accounts_server');
  const connection = await deps.connections.get(state.connection_id);
  if (connection?.org_id !== state.org_id || connection.type !== type) return failed('connection_not_found');
  // Read again, because the operator may have set the client during the consent.
  const client = await deps.clientOf(dataCenter, true);
  if (!client) return failed('client_not_set');
  if (!callback.code) return failed('invalid_code');

  const requestedAt = deps.now();
  const server = accountsServerOf(dataCenter, deps.hosts);
  const outcome = await deps.accounts.exchange(server, client, {
    code: callback.code,
    redirectUri: state.redirect_uri,
    verifier: state.verifier,
  });
  if (outcome.kind !== 'granted') return failed(errorOf(outcome));
  if (outcome.refreshToken === undefined) return failed('missing_refresh_token');
  return settle(deps, connection, {
    state,
    dataCenter,
    server,
    requestedAt,
    ...outcome,
    refreshToken: outcome.refreshToken,
  });
}

type Granted = Tokens & {
  state: OauthState;
  refreshToken: string;
  dataCenter: DataCenter;
  server: string;
  requestedAt: Date;
};

/** @param connection as it was before the consent */
async function settle(deps: CompleteConsentDeps, connection: Connection, granted: Granted): Promise<ConsentResult> {
  const { state, server, refreshToken } = granted;
  const apiDomain = listedApiDomain(granted.apiDomain, deps.hosts);
  if (apiDomain === undefined) {
    await revokeUnstored(deps, connection, server, refreshToken);
    return failed('unexpected_api_domain');
  }
  const identity = await Promise.race([
    deps
      .readIdentity({ api_domain: apiDomain, data_center: granted.dataCenter }, granted.accessToken)
      .catch(() => undefined),
    deps.sleep(IDENTITY_MS).then(() => undefined),
  ]);
  const consent = await sealed(deps, connection, { ...granted, apiDomain }, identity).catch(async (error) => {
    await revokeUnstored(deps, connection, server, refreshToken);
    throw error;
  });
  const by = state.begun_by ?? unknownOperator;
  const mayConnect = (now: Connection) => ['first', 'same'].includes(compareOrganizations(now, identity));
  const connected =
    state.connects === 'at_callback' ? await connectGrant(deps, connection, { ...consent, by }, mayConnect) : undefined;
  if (connected) return connected;
  if (await storePending(deps, connection, { ...consent, by, browserHash: state.browser_hash }))
    return { kind: 'pending', connectionId: connection.connection_id };
  await revokeUnstored(deps, connection, server, refreshToken);
  return failed('connection_not_found');
}

/** Seals the tokens under the connection. */
async function sealed(
  deps: CompleteConsentDeps,
  { connection_id }: Connection,
  {
    refreshToken,
    accessToken,
    apiDomain,
    expiresInSeconds,
    dataCenter,
    server,
    requestedAt,
  }: Granted & { apiDomain: string },
  identity: ConsentIdentity | undefined,
): Promise<{ grant: Grant; access: AccessToken }> {
  const [refresh_token = '', token = ''] = await Promise.all(
    [refreshToken, accessToken].map((each) => deps.tokens.seal(connection_id, each)),
  );
  return {
    grant: {
      id: newToken(),
      data_center: dataCenter,
      accounts_server: server,
      api_domain: apiDomain,
      refresh_token,
      granted_at: requestedAt.toISOString(),
      ...(identity && { identity }),
    },
    access: { version: 1, token, expires_at: secondsAfter(requestedAt, expiresInSeconds) },
  };
}

/** Concurrent consents to one connection are rare. */
const MAX_TRIES = 4;

/** Stores a consent until it is confirmed, and revokes another pending one. @returns false if nothing was stored */
async function storePending(
  deps: CompleteConsentDeps,
  { connection_id }: Connection,
  { grant, access, by, browserHash }: { grant: Grant; access: AccessToken; by: Actor; browserHash: string | undefined },
): Promise<boolean> {
  const now = deps.now();
  const pending: PendingConsent = {
    id: newToken(),
    grant,
    access,
    begun_by: by,
    ...(browserHash !== undefined && { browser_hash: browserHash }),
    at: now.toISOString(),
    expires_at: secondsAfter(now, PENDING_SECONDS),
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const connection = await deps.connections.get(connection_id);
    if (!connection) return false;
    const { committed } = await deps.transact({
      connection: deps.grants.awaiting(connection, pending),
      audit: auditConnection(deps, by, connection, 'connection.consent_pending', { after: auditedGrant(grant) }),
    });
    if (!committed) continue;
    await revokePending(deps, connection, connection.grant, grant);
    return true;
  }
  return false;
}

/** The actor of a state that an older version stored without the person who began the consent. */
const unknownOperator: Actor = { kind: 'operator', name: 'operator' };

const failed = (error: string): ConsentResult => ({ kind: 'failed', error });

function errorOf(outcome: Exclude<TokenOutcome, { kind: 'granted' }>): string {
  switch (outcome.kind) {
    case 'refused':
      return outcome.error;
    case 'throttled':
      return 'too_many_requests';
    case 'unavailable':
      return 'accounts_server_unavailable';
    case 'garbage':
      return 'unexpected_answer';
  }
}
