import { dataCenterHosts } from '../../../domain/connections/access/data-center.ts';
import type { AccessToken, Grant } from '../../../domain/connections/access/grant.ts';
import {
  isRefreshDue,
  isRefreshedTooOften,
  isUsable,
  recentRefreshes,
} from '../../../domain/connections/access/refresh-policy.ts';
import type { NoToken, TokenResult } from '../../../domain/connections/access/token-result.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { undeliveredSince } from '../../../domain/connections/deliveries/watch-channel.ts';
import { organizationOf } from '../../../domain/connections/help-desk-organization.ts';
import { storedHelpDeskSettings } from '../../../domain/connections/help-desk-settings.ts';
import { newToken } from '../../../domain/ids.ts';
import type { Count } from '../../../domain/metric.ts';
import { demandedWait } from '../../../domain/time/demanded-wait.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import type { TokenOutcome, ZohoAccounts } from '../../../integrations/zoho-accounts/accounts.ts';
import type { ConnectionGrants } from '../../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { OauthClientReader } from '../../../stores/connections/oauth-clients.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';

export type AccessTokenProviderDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  grants: Pick<ConnectionGrants, 'takeLease' | 'recordRefresh' | 'backOff' | 'markReconnectNeeded'>;
  tokens: OauthTokens;
  accounts: Pick<ZohoAccounts, 'refresh'>;
  clientOf: OauthClientReader;
  now: () => Date;
  count: Count;
  sleep: (milliseconds: number) => Promise<unknown>;
};

/** Longer than the request and the write after it, so that no other worker refreshes at the same time. */
const LEASE_SECONDS = 30;
/** The least pause after a failed refresh. */
const BACKOFF_AFTER_FAILURE_SECONDS = 5;
const THROTTLED_SECONDS = 60;
/** The intervals between reads while another worker refreshes: 3 s in total. */
const WAITS_MS = [100, 200, 300, 400, 500, 500, 500, 500];

export type AccessTokenProvider = {
  /** The connection as last read. The last token belongs to its grant, which may have changed since the first read. */
  readonly connection: Connection;
  /**
   * Returns a valid access token, or the reason why there is none. Sends no request if the grant is known to be gone.
   * @param rejected the token that was just refused. Another one is returned
   */
  token: (rejected?: string) => Promise<TokenResult>;
};

/**
 * Provides the access tokens of a connection. Request a token for each piece of work. It is refreshed five minutes
 * before it expires, by one worker at a time; the others use the current token or wait up to three seconds.
 */
export const accessTokenProvider =
  (deps: AccessTokenProviderDeps) =>
  (connection: Connection): AccessTokenProvider => {
    let current = connection;
    return {
      get connection() {
        return current;
      },
      async token(rejected) {
        const readAgain = () => deps.connections.get(connection.connection_id);
        let latest = rejected === undefined ? current : await readAgain();
        for (const wait of [...WAITS_MS, undefined]) {
          if (!latest) return reconnectNeeded('the connection is gone');
          current = latest;
          const got = await findToken(deps, current, rejected);
          if (got.kind === 'token') {
            current = got.connection;
            return { kind: 'token', token: got.token };
          }
          if (got.kind === 'reconnect_needed' || got.kind === 'unavailable') return got;
          if (wait === undefined) break;
          if (got.kind === 'elsewhere') await deps.sleep(wait);
          latest = await readAgain();
        }
        return unavailable('another request refreshes the access token');
      },
    };
  };

type Got =
  | { kind: 'token'; token: string; connection: Connection }
  | NoToken
  /** Another worker refreshes. */
  | { kind: 'elsewhere' }
  /** The connection has changed since it was read. */
  | { kind: 'outdated' };

async function findToken(
  deps: AccessTokenProviderDeps,
  connection: Connection,
  rejected: string | undefined,
): Promise<Got> {
  const { connection_id, grant, access, reconnect_needed, refresh_lease, refreshes = [] } = connection;
  if (!grant) return reconnectNeeded('the connection is not connected');
  if (reconnect_needed) return reconnectNeeded(reconnect_needed.reason);

  const now = deps.now();
  const opened = access && isUsable(access, now) ? await deps.tokens.open(connection_id, access.token) : undefined;
  // The stored token may be newer than the rejected one.
  const usable: Got | undefined =
    opened !== undefined && opened !== rejected ? { kind: 'token', token: opened, connection } : undefined;
  if (usable && access && !isRefreshDue(access, now)) return usable;
  if (refresh_lease && refresh_lease.until > now.toISOString()) return usable ?? { kind: 'elsewhere' };
  if (isRefreshedTooOften(refreshes, now))
    return usable ?? unavailable('the access token was refreshed too often in ten minutes');

  const outcome = await refresh(deps, connection, grant);
  return outcome.kind === 'unavailable' || outcome.kind === 'elsewhere' ? (usable ?? outcome) : outcome;
}

const unavailable = (reason: string): NoToken => ({ kind: 'unavailable', reason });
const reconnectNeeded = (reason: string): NoToken => ({ kind: 'reconnect_needed', reason });

/** Refreshes once under a single-holder lease. Slow preparations come before the lease. */
async function refresh(deps: AccessTokenProviderDeps, connection: Connection, grant: Grant): Promise<Got> {
  const { connection_id, access, refreshes: before = [] } = connection;
  const client = await deps.clientOf(grant.data_center);
  if (!client) return unavailable(`no client is set for the data center ${grant.data_center}`);
  const refreshToken = await deps.tokens.open(connection_id, grant.refresh_token);

  const now = deps.now();
  const holder = newToken();
  const counted = recentRefreshes(before, now);
  const refreshes = [...counted, now.toISOString()];
  const lease = { holder, until: secondsAfter(now, LEASE_SECONDS) };
  if (!(await deps.grants.takeLease(connection, grant.id, { lease, refreshes, now }))) return { kind: 'elsewhere' };

  const outcome = await deps.accounts.refresh(grant.accounts_server, client, refreshToken);
  if (outcome.kind === 'granted') {
    const next: AccessToken = {
      version: (access?.version ?? 0) + 1,
      token: await deps.tokens.seal(connection_id, outcome.accessToken),
      expires_at: secondsAfter(now, outcome.expiresInSeconds),
    };
    if (!(await deps.grants.recordRefresh(connection_id, grant.id, holder, next))) return { kind: 'outdated' };
    const { refresh_lease: _, ...rest } = connection;
    return { kind: 'token', token: outcome.accessToken, connection: { ...rest, access: next, refreshes } };
  }
  if (outcome.kind === 'refused' && outcome.error === 'invalid_code') {
    const reason = 'the grant is no longer valid (invalid_code): connect again';
    // Leads that change before the next consent are caught up on then.
    const gap = connection.type === 'crm-b' ? undeliveredSince(connection, now, now) : undefined;
    const needed = { at: now.toISOString(), reason };
    const marked = await deps.grants.markReconnectNeeded(connection_id, grant.id, needed, gap);
    if (marked) deps.count('GrantGone');
    return marked ? reconnectNeeded(reason) : { kind: 'outdated' };
  }
  // A request that never arrived does not count against the vendor's limit.
  const isCounted = outcome.kind !== 'unavailable' || outcome.isSent;
  const demanded = 'retryAfterSeconds' in outcome ? demandedWait(outcome.retryAfterSeconds) : 0;
  const seconds = Math.max(demanded, outcome.kind === 'throttled' ? THROTTLED_SECONDS : BACKOFF_AFTER_FAILURE_SECONDS);
  // A time-out may have taken longer than the pause.
  const pause = { holder, until: secondsAfter(deps.now(), seconds) };
  await deps.grants.backOff(connection_id, grant.id, pause, isCounted ? refreshes : counted);
  return unavailable(reasonOf(outcome));
}

function reasonOf(outcome: Exclude<TokenOutcome, { kind: 'granted' }>): string {
  switch (outcome.kind) {
    case 'refused':
      return `the accounts server refused the refresh: ${outcome.error}`;
    case 'throttled':
      return 'the accounts server throttles requests';
    default:
      return `the accounts server gave no token: ${outcome.reason}`;
  }
}

/** Gives a connection access to CRM-B at the API domain of its grant. */
export const crmBAccess =
  (deps: AccessTokenProviderDeps) =>
  (connection: Connection): CrmBAccess => {
    const provider = accessTokenProvider(deps)(connection);
    return {
      get apiDomain() {
        return provider.connection.grant?.api_domain ?? '';
      },
      token: provider.token,
    };
  };

type HelpDeskAccessDeps = AccessTokenProviderDeps & {
  /** The stage's help desk, in place of every data center's real one. */
  helpDeskUrl: string | undefined;
};

/**
 * Gives a connection access to the help desk of its grant's data center (not at the grant's `api_domain`), for the
 * organization of its settings unless that is known not to belong to the grant.
 */
export const helpDeskAccess =
  (deps: HelpDeskAccessDeps) =>
  (connection: Connection): HelpDeskAccess => {
    const provider = accessTokenProvider(deps)(connection);
    return {
      get host() {
        const { grant } = provider.connection;
        return deps.helpDeskUrl ?? (grant ? dataCenterHosts[grant.data_center].helpDesk : '');
      },
      get orgId() {
        // The token may belong to a newer grant, which may lack the organization of the settings.
        if (organizationOf(provider.connection).kind === 'not_chosen') return undefined;
        return storedHelpDeskSettings.safeParse(provider.connection.settings).data?.orgId;
      },
      token: provider.token,
    };
  };
