import {
  accountsServerOf,
  dataCenterOf,
  listedApiDomain,
  type StageHosts,
} from '../../domain/connections/allowed-hosts.ts';
import { errorCode, type OauthType } from '../../domain/connections/consent.ts';
import type { DataCenter } from '../../domain/connections/data-center.ts';
import type { AccessToken, Grant } from '../../domain/connections/grant.ts';
import { newToken } from '../../domain/ids.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { TokenOutcome, Tokens, ZohoAccounts } from '../../integrations/zoho-accounts/accounts.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { OauthClientReader } from '../../stores/connections/oauth-clients.ts';
import type { OauthState, OauthStateStore } from '../../stores/connections/oauth-states.ts';
import type { OauthTokens } from '../../stores/connections/oauth-tokens.ts';

export type CompleteConsentDeps = {
  states: Pick<OauthStateStore, 'take'>;
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'store'>;
  tokens: OauthTokens;
  accounts: Pick<ZohoAccounts, 'exchange' | 'revoke'>;
  clientOf: OauthClientReader;
  hosts: StageHosts;
  /** CRM-B's: arms the watch channel; false = not yet, check-watch-channels will. */
  armChannel?: (connectionId: string) => Promise<boolean>;
  /** The help desk's: asks for the organizations of the new grant; whether one is chosen. */
  chooseOrganization?: (connectionId: string) => Promise<boolean>;
  /** Tells the log whose consent it is. */
  correlate: (ids: { org_id: string; connection_id: string }) => void;
  now: () => Date;
  /** Milliseconds. */
  sleep: (milliseconds: number) => Promise<unknown>;
};

/** What the vendor sends a person back with. */
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
      /** The help desk's: whether tickets have a place to go to. */
      organization?: 'chosen' | 'not_chosen';
    };

/** The person waits, and the function may run for 29 s: with the exchange and the revoking, either fits in. */
const WORK_MS = 9_000;
const REVOKING_MS = 3_000;

/**
 * Connects what a person has consented to (interface, "GET /api/oauth/crm-b/callback"). All is looked at before the one
 * write that stores it; a grant that is not stored is revoked again.
 * @param type of the callback's route: a state of another type is none.
 * @returns how it ended; `failed` with a code for the person, and nothing stored.
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
  // Read anew: the operator may have set it while the person consented.
  const client = await deps.clientOf(dataCenter, true);
  if (!client) return failed('client_not_set');
  if (!callback.code) return failed('invalid_code');

  const asked = deps.now();
  const server = accountsServerOf(dataCenter, deps.hosts);
  const outcome = await deps.accounts.exchange(server, client, {
    code: callback.code,
    redirectUri: state.redirect_uri,
    verifier: state.verifier,
  });
  if (outcome.kind !== 'granted') return failed(errorOf(outcome));
  if (outcome.refreshToken === undefined) return failed('missing_refresh_token');
  return connect(deps, state, { dataCenter, server, asked, ...outcome, refreshToken: outcome.refreshToken });
}

type Granted = Tokens & { refreshToken: string; dataCenter: DataCenter; server: string; asked: Date };

async function connect(deps: CompleteConsentDeps, state: OauthState, granted: Granted): Promise<ConsentResult> {
  const { connection_id } = state;
  const apiDomain = listedApiDomain(granted.apiDomain, deps.hosts);
  const stored = apiDomain !== undefined && (await store(deps, connection_id, { ...granted, apiDomain }));
  if (!stored) {
    await revoke(deps, granted.server, granted.refreshToken);
    return failed(apiDomain === undefined ? 'unexpected_api_domain' : 'connection_not_found');
  }
  const { armChannel, chooseOrganization } = deps;
  const channel = armChannel && ((await isDone(deps, armChannel(connection_id))) ? 'armed' : 'failed');
  const organization =
    chooseOrganization && ((await isDone(deps, chooseOrganization(connection_id))) ? 'chosen' : 'not_chosen');
  // Only now: the old channel is deleted with what is still granted.
  if (stored.former) await revokeFormer(deps, connection_id, stored.former, granted.refreshToken);
  return {
    kind: 'connected',
    connectionId: connection_id,
    channel: channel ?? 'none',
    ...(organization && { organization }),
  };
}

async function store(
  { tokens, grants }: CompleteConsentDeps,
  connectionId: string,
  {
    refreshToken,
    accessToken,
    apiDomain,
    expiresInSeconds,
    dataCenter,
    server,
    asked,
  }: Granted & { apiDomain: string },
) {
  const [sealedRefresh, sealedAccess] = await Promise.all(
    [refreshToken, accessToken].map((token) => tokens.seal(connectionId, token)),
  );
  const grant: Grant = {
    id: newToken(),
    data_center: dataCenter,
    accounts_server: server,
    api_domain: apiDomain,
    refresh_token: sealedRefresh as string,
    granted_at: asked.toISOString(),
  };
  const access: AccessToken = {
    version: 1,
    token: sealedAccess as string,
    expires_at: secondsAfter(asked, expiresInSeconds),
  };
  return grants.store(connectionId, grant, access);
}

/**
 * Whatever happens to it, the person is connected: check-watch-channels arms what is not armed, and the next ticket asks
 * for the organization.
 */
const isDone = (deps: CompleteConsentDeps, work: Promise<boolean>): Promise<boolean> =>
  Promise.race([work.catch(() => false), deps.sleep(WORK_MS).then(() => false)]);

/** What a consent replaces ends at the provider, too; where that does not work it lies there unused. */
async function revokeFormer(deps: CompleteConsentDeps, connectionId: string, former: Grant, refreshToken: string) {
  const token = await deps.tokens.open(connectionId, former.refresh_token).catch(() => undefined);
  if (token !== undefined && token !== refreshToken) await revoke(deps, former.accounts_server, token);
}

const revoke = (deps: CompleteConsentDeps, server: string, token: string): Promise<unknown> =>
  Promise.race([deps.accounts.revoke(server, token).catch(() => false), deps.sleep(REVOKING_MS)]);

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
