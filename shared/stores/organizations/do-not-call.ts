import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { ofOrg, type Page, readAll, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';

const entrySchema = z.object({
  org_id: z.string(),
  /** E.164. */
  phone: z.string(),
  added_at: z.string(),
  /** The call in which the person requested it; absent where somebody else added the number. */
  call_id: z.optional(z.string()),
  /** The member's e-mail address, or the operator's name. */
  added_by: z.optional(z.string()),
});

export type DoNotCallEntry = z.infer<typeof entrySchema>;
export type DoNotCallStore = ReturnType<typeof doNotCallStore>;

const MOST_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem

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

    /** Refused where the list does not have the number. */
    removing: (orgId: string, phone: string): Write =>
      writes.delete({ org_id: orgId, phone }, [{ expression: 'attribute_exists(phone)' }]),

    /** Reads those of the numbers that are on the list, consistently. @param phones distinct, in E.164. */
    async getMany(orgId: string, phones: readonly string[]): Promise<DoNotCallEntry[]> {
      const found: DoNotCallEntry[] = [];
      let keys = phones.map((phone): Item => ({ org_id: orgId, phone }));
      while (keys.length > 0) {
        const Keys = keys.slice(0, MOST_KEYS_OF_A_BATCH);
        const answer = await db.send(
          new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
        );
        found.push(...(answer.Responses?.[table] ?? []).map((item) => entrySchema.parse(item)));
        keys = [...keys.slice(MOST_KEYS_OF_A_BATCH), ...(answer.UnprocessedKeys?.[table]?.Keys ?? [])];
      }
      return found;
    },

    /** Sorted by number. @param prefix how the numbers begin. @param after the last number of the page before. */
    page: (
      orgId: string,
      { prefix, limit, after }: { prefix: string; limit: number; after?: string },
    ): Promise<Page<DoNotCallEntry>> => {
      // DynamoDB refuses a start outside of the range.
      if (after !== undefined && !after.startsWith(prefix)) return Promise.resolve({ items: [] });
      return readPage(
        db,
        {
          TableName: table,
          KeyConditionExpression: 'org_id = :org AND begins_with(phone, :prefix)',
          ExpressionAttributeValues: { ':org': orgId, ':prefix': prefix },
          ConsistentRead: true,
          Limit: limit,
          ...(after && { ExclusiveStartKey: { org_id: orgId, phone: after } }),
        },
        (item) => entrySchema.parse(item),
      );
    },

    listOfOrg: (orgId: string): Promise<DoNotCallEntry[]> =>
      readAll(ofOrg(db, table, orgId), (item) => entrySchema.parse(item)),
  };
}
