import type { Connection } from '../../domain/connections/connection.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';
import { auditedGrant } from './steps/connect-grant.ts';
import type { RevokeGrantDeps } from './steps/revoke-grant.ts';
import { revokePending } from './steps/revoke-grant.ts';

export type RefuseConsentDeps = AuditConnectionDeps &
  RevokeGrantDeps & { grants: Pick<ConnectionGrants, 'removingPending'> };

/**
 * Refuses a pending consent: removes and revokes it. The connection keeps its own grant.
 * @param consentId the consent that the person saw; undefined for the pending one
 * @returns whether the vendor confirmed the revocation; undefined if the consent is no longer pending
 */
export async function refuseConsent(
  deps: RefuseConsentDeps,
  connection: Connection,
  { by, consentId }: { by: Actor; consentId: string | undefined },
): Promise<{ isRevoked: boolean } | undefined> {
  const { connection_id, pending_consent: pending } = connection;
  if (!pending || (consentId !== undefined && pending.id !== consentId)) return undefined;
  const { committed } = await deps.transact({
    connection: deps.grants.removingPending(connection_id, pending.id),
    audit: auditConnection(deps, by, connection, 'connection.consent_refused', { after: auditedGrant(pending.grant) }),
  });
  if (!committed) return undefined;
  return { isRevoked: (await revokePending(deps, connection, connection.grant)) === 'revoked' };
}
