import { isUsable } from '../../../domain/connections/access/refresh-policy.ts';
import type { TokenResult } from '../../../domain/connections/access/token-result.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../../integrations/crm-b/watch.ts';
import type { ZohoAccounts } from '../../../integrations/zoho-accounts/accounts.ts';
import type { FormerGrant } from '../../../stores/connections/connection-grants.ts';
import type { OauthClientReader } from '../../../stores/connections/oauth-clients.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';

type StopChannelDeps = {
  watch: Pick<CrmBWatch, 'stop'>;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/**
 * Stops an obsolete watch channel at CRM-B. A failure is only logged, because the next check finds the channel again.
 * @returns whether the channel has ended
 */
export async function stopChannel(
  deps: StopChannelDeps,
  { connection_id }: Connection,
  access: CrmBAccess,
  channelId: string,
): Promise<boolean> {
  const outcome = await deps.watch
    .stop(access, channelId)
    .catch(({ message }: Error) => ({ kind: 'refused' as const, reason: message }));
  if (outcome.kind === 'stopped' || outcome.kind === 'gone') return true;
  deps.warn('a watch channel could not be stopped', { connection_id, reason: outcome.reason });
  return false;
}

export type StopFormerChannelDeps = StopChannelDeps & {
  accounts: Pick<ZohoAccounts, 'refresh'>;
  tokens: Pick<OauthTokens, 'open'>;
  clientOf: OauthClientReader;
  now: () => Date;
};

/**
 * Stops the channel of a replaced grant, under that grant. The new grant cannot reach it if the person has connected
 * another organization of CRM-B (docs/crm-b.md, "The watch channel").
 * @param connection as it was before the new consent
 * @returns whether the channel has ended
 */
export async function stopFormerChannel(
  deps: StopFormerChannelDeps,
  connection: Connection,
  former: FormerGrant,
): Promise<boolean> {
  const { connection_id, channel } = connection;
  if (!channel || channel.expires_at <= deps.now().toISOString()) return true;
  const access = {
    apiDomain: former.grant.api_domain,
    token: (rejected?: string) => formerToken(deps, connection_id, former, rejected),
  };
  return stopChannel(deps, connection, access, channel.id);
}

/** @returns the last access token of the former grant, or a new one, which is not stored. */
async function formerToken(
  { accounts, tokens, clientOf, now }: StopFormerChannelDeps,
  connectionId: string,
  { grant, access }: FormerGrant,
  rejected: string | undefined,
): Promise<TokenResult> {
  const opened = access && isUsable(access, now()) ? await tokens.open(connectionId, access.token) : undefined;
  if (opened !== undefined && opened !== rejected) return { kind: 'token', token: opened };
  const client = await clientOf(grant.data_center);
  const refreshToken = await tokens.open(connectionId, grant.refresh_token);
  const outcome = client && (await accounts.refresh(grant.accounts_server, client, refreshToken));
  return outcome?.kind === 'granted'
    ? { kind: 'token', token: outcome.accessToken }
    : { kind: 'unavailable', reason: 'the former grant gives no access token' };
}
