import type { Connection } from '../../../domain/connections/connection.ts';
import { isChannelOf } from '../../../domain/connections/deliveries/watch-channel.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../../integrations/crm-b/watch.ts';
import type { ZohoAccounts } from '../../../integrations/zoho-accounts/accounts.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { RevokeGrantDeps } from './revoke-grant.ts';
import { revokePending } from './revoke-grant.ts';
import { stopChannel } from './stop-channel.ts';

export type EndConsentDeps = Pick<RevokeGrantDeps, 'sleep'> & {
  connections: Pick<ConnectionStore, 'get'>;
  channels: Pick<ConnectionChannelStore, 'disconnecting'>;
  transact: Transact;
  watch: Pick<CrmBWatch, 'list' | 'stop'>;
  accessTo: (connection: Connection) => CrmBAccess;
  accounts: Pick<ZohoAccounts, 'revoke'>;
  tokens: Pick<OauthTokens, 'open'>;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** The result for the channel and the grant at the vendor. `none`: there was none. */
export type Disconnected = {
  channel: 'stopped' | 'not_stopped' | 'none';
  grant: 'revoked' | 'not_revoked' | 'none';
};

/** Concurrent consents to one connection are rare. */
const MAX_TRIES = 4;

/**
 * Ends a consent: stops the watch channel and revokes the grant, if the vendor can be reached, and always removes all
 * their data from the connection, including a pending consent. Settings, Activity and the names of the organizations
 * stay. The stream of the connections table cancels the scheduled calls. A run that died can be repeated.
 * @param extraWrite a write of the transaction that removes the grant or the pending consent; left out if there is none
 * @returns undefined if a new consent was given in the meantime, or consents keep arriving
 */
export async function endConsent(
  deps: EndConsentDeps,
  connection: Connection,
  extraWrite?: Write,
): Promise<Disconnected | undefined> {
  const { connection_id, grant } = connection;
  // The channel first, because stopping it requires the grant.
  const channel = await stopChannels(deps, connection);
  const isRevoked = grant && (await revoke(deps, connection_id, grant));
  const ended: Disconnected = { channel, grant: grant ? (isRevoked ? 'revoked' : 'not_revoked') : 'none' };
  let latest = connection;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // First, because a revocation needs the token, which the write removes.
    await revokePending(deps, latest, grant);
    const hasConsent = latest.grant !== undefined || latest.pending_consent !== undefined;
    const { committed } = await deps.transact({
      connection: deps.channels.disconnecting(latest),
      extraWrite: hasConsent ? extraWrite : undefined,
    });
    const now = committed ? undefined : await deps.connections.get(connection_id);
    // Another disconnect, or a repeat of our own write, has removed them.
    if (!now?.grant && !now?.pending_consent) return ended;
    if (now.grant && now.grant.id !== grant?.id) return undefined;
    latest = now;
  }
  return undefined;
}

/** Stops every channel of the connection, including those that a crashed arming left behind. */
async function stopChannels(deps: EndConsentDeps, connection: Connection): Promise<Disconnected['channel']> {
  const { connection_id, type, grant, channel } = connection;
  if (type !== 'crm-b' || !grant) return 'none';
  const access = deps.accessTo(connection);
  const listed = await deps.watch
    .list(access)
    .catch(({ message }: Error) => ({ kind: 'refused' as const, reason: message }));
  if (listed.kind !== 'listed')
    deps.warn('the watch channels could not be listed', { connection_id, reason: listed.reason });
  const all = listed.kind === 'listed' ? listed.channels : [];
  const own = all.filter(({ notify_url }) => isChannelOf(connection_id, notify_url)).map(({ id }) => id);
  // CRM-B's list may omit the stored channel.
  const ids = new Set(channel ? [channel.id, ...own] : own);
  const ended = await Promise.all([...ids].map((id) => stopChannel(deps, connection, access, id)));
  if (ended.includes(false)) return 'not_stopped';
  if (ended.length > 0) return 'stopped';
  return listed.kind === 'listed' ? 'none' : 'not_stopped';
}

async function revoke(
  { accounts, tokens, warn }: EndConsentDeps,
  connection_id: string,
  { accounts_server, refresh_token }: NonNullable<Connection['grant']>,
): Promise<boolean> {
  try {
    return await accounts.revoke(accounts_server, await tokens.open(connection_id, refresh_token));
  } catch (error) {
    warn('the grant could not be revoked', { connection_id, reason: (error as Error).message });
    return false;
  }
}
