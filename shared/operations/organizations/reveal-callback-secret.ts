import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type CallbackSecretDeps, callbackSecretEntry } from './steps/callback-secret-entry.ts';

export type RevealCallbackSecretDeps = CallbackSecretDeps & {
  organizations: Pick<OrganizationStore, 'get'>;
  /** Decrypts a callback secret of an organization. */
  unseal: (orgId: string, sealed: string) => Promise<string>;
};

export type RevealingSecret = { kind: 'revealed'; secret: string } | { kind: 'org_not_found' | 'no_callback_secret' };

/** Shows the secret that signs an organization's callbacks. The audit log records this first. */
export async function revealCallbackSecret(
  deps: RevealCallbackSecretDeps,
  actor: Actor,
  orgId: string,
): Promise<RevealingSecret> {
  const org = await deps.organizations.get(orgId);
  if (!org) return { kind: 'org_not_found' };
  const [current] = org.callback_secrets;
  if (!current) return { kind: 'no_callback_secret' };
  const secret = await deps.unseal(orgId, current.ciphertext);
  const { committed } = await deps.transact({
    audit: deps.audit.adding(callbackSecretEntry(deps, actor, org, 'callback_secret.revealed')),
  });
  if (!committed) throw new Error('the audit entry already exists');
  return { kind: 'revealed', secret };
}
