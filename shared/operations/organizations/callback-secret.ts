import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import {
  FORMER_SECRET_SECONDS,
  HINT_CHARACTERS,
  newCallbackSecret,
} from '../../domain/organizations/callback-secret.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type RevealCallbackSecretDeps = AuditedChangeDeps & {
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
  const thing = { id: orgId, name: org.name };
  const { committed } = await deps.transact({
    audit: audited(deps, { org_id: orgId, actor, action: 'callback_secret.revealed', thing }),
  });
  if (!committed) throw new Error('the audit entry already exists');
  return { kind: 'revealed', secret };
}

export type RotateCallbackSecretDeps = AuditedChangeDeps & {
  organizations: Pick<OrganizationStore, 'get' | 'replacingSecrets'>;
  /** Encrypts a callback secret for its organization. */
  seal: (orgId: string, secret: string) => Promise<string>;
};

export type RotatingSecret =
  /** `former_until`: until when the former secret also signs; ISO 8601. */
  | { kind: 'rotated'; secret: string; former_until: string | undefined }
  | { kind: 'org_not_found' }
  /** Another person replaced the secret at the same time. */
  | { kind: 'changed_meanwhile' };

/**
 * Replaces the secret. The old one also signs for 24 hours, so that receivers have time to switch
 * (docs/rest-api.md, "Callbacks").
 */
export async function rotateCallbackSecret(
  deps: RotateCallbackSecretDeps,
  actor: Actor,
  orgId: string,
): Promise<RotatingSecret> {
  const org = await deps.organizations.get(orgId);
  if (!org) return { kind: 'org_not_found' };
  const [current, ...former] = org.callback_secrets;
  const now = deps.now().toISOString();
  const until = current && secondsAfter(now, FORMER_SECRET_SECONDS);
  const secret = newCallbackSecret();
  const hint = secret.slice(-HINT_CHARACTERS);
  const secrets = [
    { ciphertext: await deps.seal(orgId, secret), hint },
    ...(current ? [{ ...current, until }] : []),
    ...former.filter((one) => one.until !== undefined && one.until > now),
  ];
  const result = await deps.transact({
    org: deps.organizations.replacingSecrets(org, secrets),
    audit: audited(deps, {
      org_id: orgId,
      actor,
      action: 'callback_secret.rotated',
      thing: { id: orgId, name: org.name },
      before: { hint: current?.hint },
      after: { hint, former_until: until },
    }),
  });
  return result.committed ? { kind: 'rotated', secret, former_until: until } : { kind: 'changed_meanwhile' };
}
