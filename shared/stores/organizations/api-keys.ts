import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, query, readAll, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type ApiKey, apiKeySchema, presentedKey } from './admission.ts';

export type ApiKeyStore = ReturnType<typeof apiKeyStore>;

export const apiKeyIndexes = { byOrg: 'by-org', byId: 'by-id' } as const;

/** Accesses the ApiKeys table. It has no cache, so that a revoked key fails on the next request. */
export function apiKeyStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const by = (index: string, attribute: string, value: string) => ({
    TableName: table,
    IndexName: index,
    KeyConditionExpression: '#attribute = :value',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':value': value },
  });
  const parse = (item: Item) => apiKeySchema.parse(item);

  return {
    /** Reads consistently, so that a revocation applies at once. */
    get: presentedKey(db, table),

    /** Refused if the key exists; the refusal reveals its item. */
    adding: (key: ApiKey): Write => writes.put(key, [{ expression: 'attribute_not_exists(key_hash)' }], 'ALL_OLD'),

    listOfOrg: (orgId: string): Promise<ApiKey[]> =>
      readAll(query(db, by(apiKeyIndexes.byOrg, 'org_id', orgId)), parse),

    /** Reads a page of an organization's keys, newest first. @param before the last key of the previous page. */
    page: (orgId: string, limit: number, before?: Pick<ApiKey, 'key_hash' | 'created_at'>): Promise<Page<ApiKey>> =>
      readPage(
        db,
        {
          ...by(apiKeyIndexes.byOrg, 'org_id', orgId),
          ScanIndexForward: false,
          Limit: limit,
          ...(before && {
            ExclusiveStartKey: { org_id: orgId, key_hash: before.key_hash, created_at: before.created_at },
          }),
        },
        parse,
      ),

    find: async (keyId: string): Promise<ApiKey | undefined> =>
      (await readAll(query(db, by(apiKeyIndexes.byId, 'key_id', keyId)), parse, 1))[0],

    /**
     * Refused if the key is already revoked or does not exist: the first revocation counts.
     * @param last_used_at the key's last use, if there was one.
     */
    revoking: (keyHash: string, now: string, last_used_at?: string): Write =>
      writes.update({ key_hash: keyHash }, { set: { revoked_at: now, last_used_at } }, [
        { expression: 'attribute_exists(key_hash) AND attribute_not_exists(revoked_at)' },
      ]),
  };
}
