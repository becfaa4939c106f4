import { newKeyId } from '../../domain/ids.ts';
import { hashApiKey, createApiKey as newApiKey, type Permission } from '../../domain/organizations/api-key.ts';
import type { ApiKey, ApiKeyStore } from '../../stores/organizations/api-keys.ts';

export type CreateApiKeyDeps = { apiKeys: Pick<ApiKeyStore, 'create'>; now: () => Date };

/** Creates an API key of an organization. @returns the stored key, and its value, which is never available again. */
export async function createApiKey(
  deps: CreateApiKeyDeps,
  { org_id, name, permissions }: { org_id: string; name: string; permissions: Permission[] },
): Promise<{ key: ApiKey; value: string }> {
  const value = newApiKey(org_id);
  const key: ApiKey = {
    key_hash: hashApiKey(value),
    key_id: newKeyId(),
    org_id,
    name,
    permissions,
    created_at: deps.now().toISOString(),
  };
  await deps.apiKeys.create(key);
  return { key, value };
}
