import type { ApiKey } from '../../../stores/organizations/admission.ts';
import type { KeyCounterStore } from '../../../stores/organizations/key-counters.ts';

/** Returns an API key with the time of its last use. A revoked key stores this time itself. */
export async function withLastUse(
  { keyCounters }: { keyCounters: Pick<KeyCounterStore, 'lastUse'> },
  key: ApiKey,
): Promise<ApiKey> {
  if (key.revoked_at) return key;
  // An older version has recorded uses on the key, and does so again while a stage is rolled back.
  const [last_used_at] = [await keyCounters.lastUse(key.key_hash), key.last_used_at]
    .filter((at) => at !== undefined)
    .toSorted()
    .reverse();
  return { ...key, ...(last_used_at && { last_used_at }) };
}
