import {
  accountsServerOf,
  dataCenterOf,
  listedApiDomain,
  type StageHosts,
} from '../../domain/connections/allowed-hosts.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { errorCode, type OauthType } from '../../domain/connections/consent.ts';
import type { DataCenter } from '../../domain/connections/data-center.ts';
import type { AccessToken, Grant } from '../../domain/connections/grant.ts';
import { newToken } from '../../domain/ids.ts';
import type { Actor } from '../../domain/organizations/audit-entry.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { TokenOutcome, Tokens, ZohoAccounts } from '../../integrations/zoho-accounts/accounts.ts';
import type { ConnectionGrants, FormerGrant } from '../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { OauthClientReader } from '../../stores/connections/oauth-clients.ts';
import type { OauthState, OauthStateStore } from '../../stores/connections/oauth-states.ts';
import type { OauthTokens } from '../../stores/connections/oauth-tokens.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';

export type CompleteConsentDeps = AuditConnectionDeps & {
  states: Pick<OauthStateStore, 'take'>;
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'storing'>;
  tokens: OauthTokens;
  accounts: Pick<ZohoAccounts, 'exchange' | 'revoke'>;
  clientOf: OauthClientReader;
  hosts: StageHosts;
  /** For CRM-B: arms the watch channel. After `false`, check-watch-channels arms it. */
  armChannel?: (connectionId: string) => Promise<boolean>;
  /** For CRM-B: stops the channel of a replaced grant, under that grant. A failure leaves it to its expiry. */
  stopFormerChannel?: (connection: Connection, former: FormerGrant) => Promise<boolean>;
  /** For the help desk: learns the organizations of the new grant and returns whether one is chosen. */
  chooseOrganization?: (connectionId: string) => Promise<boolean>;
  /** Adds the ids to every following line of the log. */
  correlate: (ids: { org_id: string; connection_id: string }) => void;
  sleep: (milliseconds: number) => Promise<unknown>;
};

/** The query with which the vendor sends the browser back. */
export type ConsentCallback = {
  state: string | undefined;
  code: string | undefined;
  error: string | undefined;
  accountsServer: string | undefined;
};

export type ConsentResult =
  | { kind: 'invalid_state' }
  | { kind: 'failed'; error: string }
  | {
      kind: 'connected';
      connectionId: string;
      channel: 'armed' | 'failed' | 'none';
      /** For the help desk: whether tickets have an organization. */
      organization?: 'chosen' | 'not_chosen';
    };

/** A person waits, and the function has 29 s for the exchange, this work, and the end of the former grant. */
const WORK_MS = 9_000;
const STOP_MS = 4_000;
const REVOCATION_MS = 3_000;

/**
 * Completes a consent (interface, "GET /api/oauth/crm-b/callback"). Every check precedes the one write that stores the
 * grant. A grant that is not stored is revoked.
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
  return connect(deps, connection, {
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
async function connect(deps: CompleteConsentDeps, connection: Connection, granted: Granted): Promise<ConsentResult> {
  const { connection_id } = connection;
  const apiDomain = listedApiDomain(granted.apiDomain, deps.hosts);
  const stored = apiDomain !== undefined && (await store(deps, connection, { ...granted, apiDomain }));
  if (!stored) {
    await revoke(deps, granted.server, granted.refreshToken);
    return failed(apiDomain === undefined ? 'unexpected_api_domain' : 'connection_not_found');
  }
  const { armChannel, chooseOrganization } = deps;
  const channel = armChannel && ((await isDone(deps, armChannel(connection_id), WORK_MS)) ? 'armed' : 'failed');
  const organization =
    chooseOrganization && ((await isDone(deps, chooseOrganization(connection_id), WORK_MS)) ? 'chosen' : 'not_chosen');
  if (stored.former) await endFormer(deps, connection, stored.former, granted.refreshToken);
  return {
    kind: 'connected',
    connectionId: connection_id,
    channel: channel ?? 'none',
    ...(organization && { organization }),
  };
}

/** Consents to one connection at the same time are rare. */
const MOST_TRIES = 4;

/** @returns the replaced grant, if any; undefined if the connection is gone */
async function store(
  deps: CompleteConsentDeps,
  { connection_id }: Connection,
  {
    state,
    refreshToken,
    accessToken,
    apiDomain,
    expiresInSeconds,
    dataCenter,
    server,
    requestedAt,
  }: Granted & { apiDomain: string },
): Promise<{ former: FormerGrant | undefined } | undefined> {
  const [sealedRefresh, sealedAccess] = await Promise.all(
    [refreshToken, accessToken].map((token) => deps.tokens.seal(connection_id, token)),
  );
  const grant: Grant = {
    id: newToken(),
    data_center: dataCenter,
    accounts_server: server,
    api_domain: apiDomain,
    refresh_token: sealedRefresh as string,
    granted_at: requestedAt.toISOString(),
  };
  const access: AccessToken = {
    version: 1,
    token: sealedAccess as string,
    expires_at: secondsAfter(requestedAt, expiresInSeconds),
  };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const connection = await deps.connections.get(connection_id);
    if (!connection) return undefined;
    const { committed } = await deps.transact({
      connection: deps.grants.storing(connection, grant, access),
      audit: auditConnection(deps, state.begun_by ?? unknownOperator, connection, 'connection.connected', {
        after: { data_center: dataCenter },
      }),
    });
    if (committed) return { former: connection.grant && { grant: connection.grant, access: connection.access } };
  }
  return undefined;
}

/** Began a consent before its state named who did. */
const unknownOperator: Actor = { kind: 'operator', name: 'operator' };

/**
 * Returns whether the work succeeded in time. The person is connected either way: check-watch-channels arms a missing
 * channel, and the next ticket requests the organizations.
 */
const isDone = (deps: CompleteConsentDeps, work: Promise<boolean>, milliseconds: number): Promise<boolean> =>
  Promise.race([work.catch(() => false), deps.sleep(milliseconds).then(() => false)]);

/**
 * Stops the channel of the replaced grant, then revokes the grant: stopping may require it. If the vendor refuses, the
 * channel stays there until it expires, and the grant stays unused.
 */
async function endFormer(deps: CompleteConsentDeps, connection: Connection, former: FormerGrant, refreshToken: string) {
  const { accounts_server, refresh_token } = former.grant;
  const token = await deps.tokens.open(connection.connection_id, refresh_token).catch(() => undefined);
  if (token === undefined || token === refreshToken) return;
  if (deps.stopFormerChannel) await isDone(deps, deps.stopFormerChannel(connection, former), STOP_MS);
  await revoke(deps, accounts_server, token);
}

const revoke = (deps: CompleteConsentDeps, server: string, token: string): Promise<unknown> =>
  Promise.race([deps.accounts.revoke(server, token).catch(() => false), deps.sleep(REVOCATION_MS)]);

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
