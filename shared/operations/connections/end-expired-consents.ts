import { isOauthType } from '../../domain/connections/access/consent.ts';
import { isExpired, isKeptTooLong } from '../../domain/connections/access/pending-consent.ts';
import { connectionTypes } from '../../domain/connections/connection-type.ts';
import type { Author } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { type VisitDeps, type Visits, visitEach } from './runs/visit-each.ts';
import { type AuditConnectionDeps, auditConnection } from './steps/audit-connection.ts';
import { auditedGrant } from './steps/connect-grant.ts';
import type { RevokeGrantDeps } from './steps/revoke-grant.ts';
import { revokePending } from './steps/revoke-grant.ts';

export type EndExpiredConsentsDeps = AuditConnectionDeps &
  RevokeGrantDeps &
  VisitDeps & {
    connections: Pick<ConnectionStore, 'get' | 'idsOfType'>;
    grants: Pick<ConnectionGrants, 'removingPending'>;
    warn: (message: string, facts: { connection_id: string; reason: string }) => void;
  };

/**
 * The report of a run. `ended`: consents that it removed. `not_revoked`: revocations that failed. Operators see its
 * members under these names.
 */
export type ExpiredConsentsReport = Visits & { ended: number; not_revoked: number };

const SERVICE: Author = { kind: 'service', name: 'check-connections' };

/**
 * Ends the pending consents whose hour is over (docs/crm-b.md, "Confirming a consent"): revokes each at the vendor,
 * then removes it. A revocation needs the token, so after a failure the token stays, and the next runs try again, until
 * it is removed anyway. A run that died can be repeated, because a revoked token can be revoked again.
 */
export async function endExpiredConsents(deps: EndExpiredConsentsDeps): Promise<ExpiredConsentsReport> {
  const counts = { ended: 0, not_revoked: 0 };
  const visits = await visitEach(
    deps,
    idsOfConsented(deps),
    async (connectionId) => {
      const { isEnded, isRevoked } = await endIfExpired(deps, connectionId);
      if (isEnded) counts.ended += 1;
      if (!isRevoked) counts.not_revoked += 1;
    },
    (connection_id, reason) => deps.warn('an expired consent could not be ended', { connection_id, reason }),
  );
  return { ...visits, ...counts };
}

async function* idsOfConsented({ connections }: EndExpiredConsentsDeps): AsyncGenerator<string> {
  for (const type of connectionTypes.filter(isOauthType)) yield* connections.idsOfType(type);
}

/** @returns `isEnded` if it removed a consent; `isRevoked` false only if a revocation failed */
async function endIfExpired(
  deps: EndExpiredConsentsDeps,
  connectionId: string,
): Promise<{ isEnded: boolean; isRevoked: boolean }> {
  const connection = await deps.connections.get(connectionId);
  const pending = connection?.pending_consent;
  if (!pending || !isExpired(pending, deps.now())) return { isEnded: false, isRevoked: true };
  const revocation = await revokePending(deps, connection, connection.grant);
  const isRevoked = revocation !== 'not_revoked';
  if (!isRevoked) {
    const isLast = isKeptTooLong(pending, deps.now());
    const reason = isLast ? 'its token is removed' : 'the next run tries again';
    deps.warn('an expired consent could not be revoked', { connection_id: connectionId, reason });
    if (!isLast) return { isEnded: false, isRevoked };
  }
  // The write fails if a person has refused or replaced the consent since; that also revokes it.
  const { committed } = await deps.transact({
    connection: deps.grants.removingPending(connectionId, pending.id),
    audit: auditConnection(deps, SERVICE, connection, 'connection.consent_expired', {
      after: { ...auditedGrant(pending.grant), revocation },
    }),
  });
  return { isEnded: committed, isRevoked };
}
