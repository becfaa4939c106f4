import { newKeyId } from '../../domain/ids.ts';
import { hashApiKey, createApiKey as newApiKey } from '../../domain/organizations/api-key.ts';
import { type Actor, actorName, auditEntryOf } from '../../domain/organizations/audit/audit-entry.ts';
import type { Permission } from '../../domain/organizations/permission.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { ApiKey, ApiKeyStore } from '../../stores/organizations/api-keys.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import type { KeyCounterStore } from '../../stores/organizations/key-counters.ts';

export type CreateApiKeyDeps = {
  apiKeys: Pick<ApiKeyStore, 'adding'>;
  keyCounters: Pick<KeyCounterStore, 'beginning'>;
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

/** Creates an API key of an organization. @returns the stored key, and its value, which is never available again. */
export async function createApiKey(
  deps: CreateApiKeyDeps,
  actor: Actor,
  { org_id, name, permissions }: { org_id: string; name: string; permissions: Permission[] },
): Promise<{ key: ApiKey; value: string }> {
  const value = newApiKey(org_id);
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
  const entry = auditEntryOf(
    { org_id, actor, action: 'key.created', thing, after: { name, permissions } },
    at,
    deps.newToken(),
  );
  const result = await deps.transact({
    key: deps.apiKeys.adding(key),
    counters: deps.keyCounters.beginning(key.key_hash),
    audit: deps.audit.adding(entry),
  });
  if (!result.committed) throw new Error(`API key ${key.key_id} already exists`);
  return { key, value };
}
