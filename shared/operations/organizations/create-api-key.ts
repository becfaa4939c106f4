import { newKeyId } from '../../domain/ids.ts';
import { apiKeyOfSeed, hashApiKey, newApiKey } from '../../domain/organizations/api-key.ts';
import { type Actor, actorKey, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import type { Permission } from '../../domain/organizations/permission.ts';
import { type ApiKey, apiKeySchema } from '../../stores/organizations/admission.ts';
import type { ApiKeyStore } from '../../stores/organizations/api-keys.ts';
import type { KeyCounterStore } from '../../stores/organizations/key-counters.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type CreateApiKeyDeps = AuditedChangeDeps & {
  apiKeys: Pick<ApiKeyStore, 'adding'>;
  keyCounters: Pick<KeyCounterStore, 'beginning'>;
};

export type CreatingApiKey =
  /** The value is available only now, and to a repeat with the same seed. */
  | { kind: 'created'; key: ApiKey; value: string }
  /** An earlier request with the seed had another name or other permissions, or its key was revoked. */
  | { kind: 'key_created_before' };

/**
 * Creates an API key of an organization.
 * @param seed random text of a person's request, from which the value derives; a repeat with the same seed returns the
 * same key. Absent if the request is never repeated
 */
export async function createApiKey(
  deps: CreateApiKeyDeps,
  actor: Actor,
  { org_id, name, permissions, seed }: { org_id: string; name: string; permissions: Permission[]; seed?: string },
): Promise<CreatingApiKey> {
  const value = seed === undefined ? newApiKey(org_id) : apiKeyOfSeed(org_id, actorKey(actor), seed);
  const at = deps.now();
  const key: ApiKey = {
    key_hash: hashApiKey(value),
    key_id: newKeyId(),
    org_id,
    name,
    permissions,
    created_at: at.toISOString(),
    created_by: actorName(actor),
  };
  const thing = { id: key.key_id, name };
  const audit = audited(deps, { org_id, actor, action: 'key.created', thing, after: { name, permissions } }, at);
  const result = await deps.transact(
    {
      key: deps.apiKeys.adding(key),
      counters: deps.keyCounters.beginning(key.key_hash),
      audit,
    },
    { decidedBy: ['key'] },
  );
  if (result.committed) return { kind: 'created', key, value };
  const created = apiKeySchema.parse(result.refused.key?.item);
  const isSame = created.name === name && sameTexts(created.permissions, permissions);
  return isSame && created.revoked_at === undefined
    ? { kind: 'created', key: created, value }
    : { kind: 'key_created_before' };
}

const sameTexts = (some: readonly string[], others: readonly string[]): boolean =>
  new Set(some).symmetricDifference(new Set(others)).size === 0;
