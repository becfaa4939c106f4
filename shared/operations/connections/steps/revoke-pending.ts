import type { Grant } from '../../../domain/connections/access/grant.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { type RevokeGrantDeps, revokeGrant } from './revoke-grant.ts';

/**
 * Revokes a pending consent that will not be confirmed. The vendor may issue one refresh token twice, so nothing is
 * revoked if a remaining grant has the same token.
 * @param connection as read before the consent was removed from it
 * @returns whether the vendor confirmed it
 */
export async function revokePending(
  deps: RevokeGrantDeps,
  { connection_id, pending_consent }: Pick<Connection, 'connection_id' | 'pending_consent'>,
  ...staying: (Grant | undefined)[]
): Promise<boolean> {
  if (!pending_consent) return false;
  const { refresh_token } = pending_consent.grant;
  for (const grant of staying)
    if (grant && (await isSameToken(deps, connection_id, refresh_token, grant.refresh_token))) return false;
  return revokeGrant(deps, connection_id, pending_consent.grant);
}

/** Compares two sealed tokens. A token that cannot be opened counts as equal, so that it is not revoked. */
export async function isSameToken(
  { tokens }: Pick<RevokeGrantDeps, 'tokens'>,
  connectionId: string,
  ...sealed: [one: string, other: string]
): Promise<boolean> {
  const [one, other] = await Promise.all(
    sealed.map((token) => tokens.open(connectionId, token).catch(() => undefined)),
  );
  return one === undefined || one === other;
}
