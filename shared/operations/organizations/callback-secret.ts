import { type Actor, type AuditAction, type AuditEntry, auditEntryOf } from '../../domain/organizations/audit-entry.ts';
import {
  FORMER_SECRET_SECONDS,
  HINT_CHARACTERS,
  newCallbackSecret,
} from '../../domain/organizations/callback-secret.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

type CallbackSecretDeps = {
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

export type RevealCallbackSecretDeps = CallbackSecretDeps & {
  organizations: Pick<OrganizationStore, 'get'>;
  /** Decrypts a callback secret of an organization. */
  unseal: (orgId: string, sealed: string) => Promise<string>;
};

export type RotateCallbackSecretDeps = CallbackSecretDeps & {
  organizations: Pick<OrganizationStore, 'get' | 'replacingSecrets'>;
  /** Encrypts a callback secret for its organization. */
  seal: (orgId: string, secret: string) => Promise<string>;
};

export type RevealingSecret = { kind: 'revealed'; secret: string } | { kind: 'org_not_found' | 'no_callback_secret' };

export type RotatingSecret =
  /** `former_until`: until when the former secret signs, too; ISO 8601. */
  | { kind: 'rotated'; secret: string; former_until: string | undefined }
  | { kind: 'org_not_found' }
  /** Somebody else replaced the secret at the same time. */
  | { kind: 'changed_meanwhile' };

/** Shows the secret that signs an organization's callbacks. That it was shown is in the audit log before it is. */
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
    audit: deps.audit.adding(entryOf(deps, actor, org, 'callback_secret.revealed')),
  });
  if (!committed) throw new Error('the audit entry exists already');
  return { kind: 'revealed', secret };
}

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
    audit: deps.audit.adding(
      entryOf(deps, actor, org, 'callback_secret.rotated', {
        before: { hint: current?.hint },
        after: { hint, former_until: until },
      }),
    ),
  });
  return result.committed ? { kind: 'rotated', secret, former_until: until } : { kind: 'changed_meanwhile' };
}

const entryOf = (
  { now, newToken }: CallbackSecretDeps,
  actor: Actor,
  { org_id, name }: Organization,
  action: AuditAction,
  change: Pick<AuditEntry, 'before' | 'after'> = {},
) => auditEntryOf({ org_id, actor, action, thing: { id: org_id, name }, ...change }, now(), newToken());
