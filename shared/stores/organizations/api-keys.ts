import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { tookPlace } from '../dynamodb/conditional-write.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Item } from '../dynamodb/transaction.ts';

/** What is kept of an API key: never its value. */
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

/** The ApiKeys table. Nothing is cached: a revoked key fails on the next request. */
export function apiKeyStore(db: DynamoDBDocumentClient, table: string) {
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

    async create(key: ApiKey): Promise<void> {
      await db.send(
        new PutCommand({ TableName: table, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' }),
      );
    },

    listOfOrg: (orgId: string): Promise<ApiKey[]> => readAll(by(apiKeyIndexes.byOrg, 'org_id', orgId), parse),

    find: async (keyId: string): Promise<ApiKey | undefined> =>
      (await readAll(by(apiKeyIndexes.byId, 'key_id', keyId), parse, 1))[0],

    /** The first revocation stands. */
    async revoke(keyHash: string, now: string): Promise<void> {
      const change = new UpdateCommand({
        TableName: table,
        Key: { key_hash: keyHash },
        UpdateExpression: 'SET revoked_at = :now',
        ConditionExpression: 'attribute_exists(key_hash) AND attribute_not_exists(revoked_at)',
        ExpressionAttributeValues: { ':now': now },
      });
      await tookPlace(db.send(change));
    },
  };
}
