import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { mayBeId } from '../../domain/ids.ts';
import { type Assistant, assistantSchema, type KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type AssistantStore = ReturnType<typeof assistantStore>;

export const assistantIndexes = { byOrg: 'by-org' } as const;

/** The Assistants table. */
export function assistantStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. */
    async get(assistantId: string): Promise<Assistant | undefined> {
      if (!mayBeId(assistantId)) return undefined;
      const key = { assistant_id: assistantId };
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
      return Item && assistantSchema.parse(Item);
    },

    /** @throws if the id is taken. */
    async create(assistant: Assistant): Promise<void> {
      if (!(await writes.tryPut(assistant, [{ expression: 'attribute_not_exists(assistant_id)' }])))
        throw new Error(`assistant ${assistant.assistant_id} exists already`);
    },

    listOfOrg: (orgId: string): Promise<Assistant[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: assistantIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeValues: { ':org': orgId },
        }),
        (item) => assistantSchema.parse(item),
      ),

    /**
     * Appends to the knowledge base, after the entries of concurrent uploads.
     * @param most entries allowed afterwards.
     */
    appending: ({ assistant_id, org_id }: Assistant, entries: readonly KnowledgeEntry[], most: number): Write =>
      writes.update({ assistant_id }, { append: { knowledge_base: entries } }, [
        { expression: 'org_id = :org', values: { org: org_id } },
        { expression: 'size(knowledge_base) <= :room', values: { room: most - entries.length } },
      ]),

    /** @returns false where the assistant does not exist. */
    update: (
      assistantId: string,
      set: Partial<Omit<Assistant, 'assistant_id' | 'org_id' | 'knowledge_base'>>,
      remove: readonly (keyof Assistant)[] = [],
    ): Promise<boolean> =>
      writes.tryUpdate({ assistant_id: assistantId }, { set, remove }, [
        { expression: 'attribute_exists(assistant_id)' },
      ]),
  };
}
