import { compareOrganizations } from '../../domain/connections/access/consent-identity.ts';
import { mayConfirm, type PendingConsent, pendingOf } from '../../domain/connections/access/pending-consent.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionGrants } from '../../stores/connections/connection-grants.ts';
import type { ReadIdentity } from './access/identity-readers.ts';
import { type Connected, type ConnectGrantDeps, connectGrant } from './steps/connect-grant.ts';

export type ConfirmConsentDeps = ConnectGrantDeps & {
  readIdentity: ReadIdentity;
  grants: Pick<ConnectionGrants, 'storing' | 'noteIdentity'>;
};

export type Confirmation = {
  by: Actor;
  /** The consent that the person saw. */
  consentId: string;
  /** The organization of the remote system that the person saw. */
  organizationId: string;
  /** Whether the person confirms a different organization than before. */
  isOtherMeant: boolean;
  /** The hash of the cookie of the person's browser; undefined at the command line. */
  browserHash: string | undefined;
};

export type ConfirmingConsent =
  | Connected
  /** It was confirmed, refused or replaced, or an hour has passed. */
  | { kind: 'no_pending_consent' }
  /** Another person or browser began it. */
  | { kind: 'begun_elsewhere' }
  /** The remote system has not named who consented. */
  | { kind: 'identity_unknown' }
  /** The person confirmed a different organization than the one that consented. */
  | { kind: 'wrong_organization' }
  /** Another organization must be confirmed explicitly. */
  | { kind: 'another_organization' };

/**
 * Confirms a pending consent, and connects with it (docs/crm-b.md, "Confirming a consent"). Only one of two concurrent
 * confirmations connects. If the identity was unknown, it is read and stored first, so that a person sees it before
 * confirming.
 */
export async function confirmConsent(
  deps: ConfirmConsentDeps,
  connection: Connection,
  { by, consentId, organizationId, isOtherMeant, browserHash }: Confirmation,
): Promise<ConfirmingConsent> {
  const pending = pendingOf(connection, deps.now());
  if (pending?.id !== consentId) return { kind: 'no_pending_consent' };
  if (!mayConfirm(connection, by, browserHash, deps.now())) return { kind: 'begun_elsewhere' };
  const { grant, access } = pending;
  if (!grant.identity?.user) {
    await readAgain(deps, connection, pending);
    return { kind: 'identity_unknown' };
  }
  if (!grant.identity.organizations.some(({ id }) => id === organizationId)) return { kind: 'wrong_organization' };
  const isMeant = (now: Connection) =>
    pendingOf(now, deps.now())?.id === consentId &&
    (isOtherMeant || compareOrganizations(now, grant.identity) !== 'another');
  if (!isMeant(connection)) return { kind: 'another_organization' };
  const connected = await connectGrant(deps, connection, { grant, access, by }, isMeant);
  return connected ?? { kind: 'no_pending_consent' };
}

async function readAgain(
  deps: ConfirmConsentDeps,
  { connection_id }: Connection,
  pending: PendingConsent,
): Promise<void> {
  const token = await deps.tokens.open(connection_id, pending.access.token);
  const identity = await deps.readIdentity(pending.grant, token).catch(() => undefined);
  if (identity) await deps.grants.noteIdentity(connection_id, { ...pending, grant: { ...pending.grant, identity } });
}
