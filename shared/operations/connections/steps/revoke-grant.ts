import type { Grant } from '../../../domain/connections/access/grant.ts';
import type { ZohoAccounts } from '../../../integrations/zoho-accounts/accounts.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';
import { isDoneWithin, type Sleep } from './done-within.ts';

export type RevokeGrantDeps = {
  accounts: Pick<ZohoAccounts, 'revoke'>;
  tokens: Pick<OauthTokens, 'open'>;
  sleep: Sleep;
};

const REVOCATION_MS = 3_000;

/**
 * Revokes a grant at the vendor, if the vendor can be reached in 3 s.
 * @returns whether the vendor confirmed it
 */
export async function revokeGrant(
  deps: RevokeGrantDeps,
  connectionId: string,
  { accounts_server, refresh_token }: Pick<Grant, 'accounts_server' | 'refresh_token'>,
): Promise<boolean> {
  const token = await deps.tokens.open(connectionId, refresh_token).catch(() => undefined);
  return token !== undefined && revokeToken(deps, accounts_server, token);
}

/** Revokes a refresh token in clear, such as one that was never stored. */
export const revokeToken = (
  { accounts, sleep }: Pick<RevokeGrantDeps, 'accounts' | 'sleep'>,
  accountsServer: string,
  token: string,
): Promise<boolean> => isDoneWithin(REVOCATION_MS, accounts.revoke(accountsServer, token), sleep);
