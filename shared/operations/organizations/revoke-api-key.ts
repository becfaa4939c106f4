import { mayBeId } from '../../domain/ids.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ApiKey } from '../../stores/organizations/admission.ts';
import type { ApiKeyStore } from '../../stores/organizations/api-keys.ts';
import type { KeyCounterStore } from '../../stores/organizations/key-counters.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';
import { withLastUse } from './steps/with-last-use.ts';

export type RevokeApiKeyDeps = AuditedChangeDeps & {
  apiKeys: Pick<ApiKeyStore, 'find' | 'get' | 'revoking'>;
  keyCounters: Pick<KeyCounterStore, 'lastUse' | 'end'>;
};

export type RevokingApiKey =
  | { kind: 'revoked'; key: ApiKey }
  /** Also returned if the key belongs to another organization. */
  | { kind: 'key_not_found' };

/**
 * Revokes an API key: the next request with it is refused. The first revocation counts; a repeat changes nothing.
 * @param org_id the organization that must own the key; undefined for any, for operators only
 */
export async function revokeApiKey(
  deps: RevokeApiKeyDeps,
  actor: Actor,
  { org_id, key_id }: { org_id?: string; key_id: string },
): Promise<RevokingApiKey> {
  const found = mayBeId(key_id) ? await deps.apiKeys.find(key_id) : undefined;
  if (!found || (org_id !== undefined && found.org_id !== org_id)) return { kind: 'key_not_found' };
  const { last_used_at } = await withLastUse(deps, found);
  const at = deps.now();
  const revoked_at = at.toISOString();
  const audit = audited(
    deps,
    {
      org_id: found.org_id,
      actor,
      action: 'key.revoked',
      thing: { id: key_id, name: found.name },
      after: { revoked_at },
    },
    at,
  );
  const result = await deps.transact({
    key: deps.apiKeys.revoking(found.key_hash, revoked_at, last_used_at),
    audit,
  });
  // Not in the transaction: the key's requests, which write to the same item, could delay the revocation.
  await deps.keyCounters.end(found.key_hash);
  if (result.committed)
    return { kind: 'revoked', key: { ...found, revoked_at, ...(last_used_at !== undefined && { last_used_at }) } };
  // Revoked before. Read by hash: the index of key IDs is eventually consistent.
  return { kind: 'revoked', key: (await deps.apiKeys.get(found.key_hash)) ?? found };
}
