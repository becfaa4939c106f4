import type { Grant } from '../../../domain/connections/access/grant.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { ZohoAccounts } from '../../../integrations/zoho-accounts/accounts.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';

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

/** Revokes a refresh token in plain text, such as one that was never stored. */
const revokeToken = (
  { accounts, sleep }: Pick<RevokeGrantDeps, 'accounts' | 'sleep'>,
  accountsServer: string,
  token: string,
): Promise<boolean> => isDoneWithin(REVOCATION_MS, accounts.revoke(accountsServer, token), sleep);

type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;

/**
 * Returns whether the work succeeded in time. The wait ends with the work, because an operator's command ends when no
 * timer is left.
 */
export async function isDoneWithin(milliseconds: number, work: Promise<boolean>, sleep: Sleep): Promise<boolean> {
  const isOver = new AbortController();
  const isLate = sleep(milliseconds, isOver.signal).then(() => false);
  try {
    return await Promise.race([work.catch(() => false), isLate]);
  } finally {
    isOver.abort();
  }
}

/** The result at the vendor. `in_use`: a remaining grant has the same refresh token. */
type Revocation = 'revoked' | 'not_revoked' | 'in_use';

/**
 * Revokes a pending consent that will not be confirmed. The vendor may issue one refresh token twice, so nothing is
 * revoked if a remaining grant has the same token, or may have it because its token cannot be opened.
 * @param connection as read before the consent was removed from it
 * @param staying the grants that remain in use
 */
export async function revokePending(
  deps: RevokeGrantDeps,
  { connection_id, pending_consent }: Pick<Connection, 'connection_id' | 'pending_consent'>,
  ...staying: (Grant | undefined)[]
): Promise<Revocation> {
  if (!pending_consent) return 'not_revoked';
  const { accounts_server } = pending_consent.grant;
  const grants = [pending_consent.grant, ...staying].filter((grant) => grant !== undefined);
  const [token, ...others] = await opened(
    deps,
    connection_id,
    grants.map(({ refresh_token }) => refresh_token),
  );
  if (token === undefined || others.includes(undefined)) return 'not_revoked';
  if (others.includes(token)) return 'in_use';
  return (await revokeToken(deps, accounts_server, token)) ? 'revoked' : 'not_revoked';
}

/**
 * Revokes a refresh token that was not stored, unless a grant of the connection has the same one, or may have it
 * because its token cannot be opened.
 * @param connection as last read
 */
export async function revokeUnstored(
  deps: RevokeGrantDeps,
  { connection_id, grant, pending_consent }: Pick<Connection, 'connection_id' | 'grant' | 'pending_consent'>,
  accountsServer: string,
  refreshToken: string,
): Promise<void> {
  const stored = [grant, pending_consent?.grant].filter((each) => each !== undefined);
  const tokens = await opened(
    deps,
    connection_id,
    stored.map(({ refresh_token }) => refresh_token),
  );
  if (tokens.includes(undefined) || tokens.includes(refreshToken)) return;
  await revokeToken(deps, accountsServer, refreshToken);
}

/** Compares two sealed tokens. A token that cannot be opened counts as equal, so that it is not revoked. */
export async function isSameToken(
  deps: Pick<RevokeGrantDeps, 'tokens'>,
  connectionId: string,
  ...sealed: [one: string, other: string]
): Promise<boolean> {
  const [one, other] = await opened(deps, connectionId, sealed);
  return one === undefined || other === undefined || one === other;
}

/** Opens sealed tokens. @returns undefined for a token that cannot be opened */
const opened = (
  { tokens }: Pick<RevokeGrantDeps, 'tokens'>,
  connectionId: string,
  sealed: readonly string[],
): Promise<(string | undefined)[]> =>
  Promise.all(sealed.map((token) => tokens.open(connectionId, token).catch(() => undefined)));
