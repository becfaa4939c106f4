import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Item } from '../dynamodb/transaction.ts';

/** An API key as it is stored: without its value. */
const apiKeySchema = z.object({
  key_hash: z.string(),
  key_id: z.string(),
  org_id: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  created_at: z.string(),
  revoked_at: z.optional(z.string()),
});

export type ApiKey = z.infer<typeof apiKeySchema>;
export type ApiKeyStore = ReturnType<typeof apiKeyStore>;

export const apiKeyIndexes = { byOrg: 'by-org', byId: 'by-id' } as const;

/** The ApiKeys table. It has no cache, so that a revoked key fails on the next request. */
export function apiKeyStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const by = (index: string, attribute: string, value: string) =>
    query(db, {
      TableName: table,
      IndexName: index,
      KeyConditionExpression: '#attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    });
  const parse = (item: Item) => apiKeySchema.parse(item);

  return {
    /** Reads consistently, so that a revocation counts at once. */
    async get(keyHash: string): Promise<ApiKey | undefined> {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { key_hash: keyHash }, ConsistentRead: true }),
      );
      return Item && apiKeySchema.parse(Item);
    },

    /** @throws if the key exists. */
    async create(key: ApiKey): Promise<void> {
      if (!(await writes.tryPut(key, [{ expression: 'attribute_not_exists(key_hash)' }])))
        throw new Error(`API key ${key.key_id} exists already`);
    },

    listOfOrg: (orgId: string): Promise<ApiKey[]> => readAll(by(apiKeyIndexes.byOrg, 'org_id', orgId), parse),

    find: async (keyId: string): Promise<ApiKey | undefined> =>
      (await readAll(by(apiKeyIndexes.byId, 'key_id', keyId), parse, 1))[0],

    /** The first revocation counts. */
    async revoke(keyHash: string, now: string): Promise<void> {
      await writes.tryUpdate({ key_hash: keyHash }, { set: { revoked_at: now } }, [
        { expression: 'attribute_exists(key_hash) AND attribute_not_exists(revoked_at)' },
      ]);
    },
  };
}
