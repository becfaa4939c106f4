import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

const entrySchema = z.object({
  org_id: z.string(),
  /** E.164. */
  phone: z.string(),
  added_at: z.string(),
  /** The call in which the person requested it; absent where an operator added the number. */
  call_id: z.optional(z.string()),
});

export type DoNotCallEntry = z.infer<typeof entrySchema>;
export type DoNotCallStore = ReturnType<typeof doNotCallStore>;

const MOST_OF_A_BATCH = 25; // DynamoDB, BatchWriteItem
const MOST_TRIES = 8;

/** The DoNotCall table: numbers that the service never calls for an organization. */
export function doNotCallStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently, because a number that was just added must not be called. @param phone E.164. */
    async has(orgId: string, phone: string): Promise<boolean> {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { org_id: orgId, phone }, ConsistentRead: true }),
      );
      return Item !== undefined;
    },

    /** Refused where the list has the number. */
    adding: (entry: DoNotCallEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(phone)' }]),

    async add(entry: DoNotCallEntry): Promise<void> {
      await db.send(new PutCommand({ TableName: table, Item: entry }));
    },

    /** @throws if DynamoDB keeps refusing some. A retry adds them. */
    async addMany(entries: readonly DoNotCallEntry[]): Promise<void> {
      for (let start = 0; start < entries.length; start += MOST_OF_A_BATCH) {
        let puts: object[] = entries.slice(start, start + MOST_OF_A_BATCH).map((Item) => ({ PutRequest: { Item } }));
        for (let attempt = 1; puts.length > 0; attempt += 1) {
          const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
          puts = UnprocessedItems?.[table] ?? [];
          if (puts.length === 0) break;
          if (attempt === MOST_TRIES) throw new Error(`DynamoDB refused ${puts.length} of the numbers; try again`);
          await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
        }
      }
    },

    async remove(orgId: string, phone: string): Promise<boolean> {
      const { Attributes } = await db.send(
        new DeleteCommand({ TableName: table, Key: { org_id: orgId, phone }, ReturnValues: 'ALL_OLD' }),
      );
      return Attributes !== undefined;
    },

    listOfOrg: (orgId: string): Promise<DoNotCallEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeValues: { ':org': orgId },
          ConsistentRead: true,
        }),
        (item) => entrySchema.parse(item),
      ),
  };
}
