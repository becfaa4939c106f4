import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mayBeId } from '../../domain/ids.ts';
import { type Assistant, assistantSchema, type KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import { tookPlace } from '../dynamodb/conditional-write.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { updateExpression } from '../dynamodb/update.ts';

export type AssistantStore = ReturnType<typeof assistantStore>;

export const assistantIndexes = { byOrg: 'by-org' } as const;

/** The Assistants table. */
export function assistantStore(db: DynamoDBDocumentClient, table: string) {
  return {
    async get(assistantId: string): Promise<Assistant | undefined> {
      if (!mayBeId(assistantId)) return undefined;
      const key = { assistant_id: assistantId };
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
      return Item && assistantSchema.parse(Item);
    },

    async create(assistant: Assistant): Promise<void> {
      const condition = 'attribute_not_exists(assistant_id)';
      await db.send(new PutCommand({ TableName: table, Item: assistant, ConditionExpression: condition }));
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
     * The write that appends to the knowledge base of an org's assistant, behind whatever others have appended meanwhile.
     * @param most entries that there may be afterwards.
     */
    appending({ assistant_id, org_id }: Assistant, entries: readonly KnowledgeEntry[], most: number): Write {
      return {
        Update: {
          TableName: table,
          Key: { assistant_id },
          UpdateExpression: 'SET knowledge_base = list_append(knowledge_base, :entries)',
          ConditionExpression: 'org_id = :org AND size(knowledge_base) <= :room',
          ExpressionAttributeValues: { ':entries': entries, ':org': org_id, ':room': most - entries.length },
        },
      };
    },

    /** @returns false where there is no such assistant. */
    async update(
      assistantId: string,
      set: Partial<Omit<Assistant, 'assistant_id' | 'org_id' | 'knowledge_base'>>,
      remove: readonly (keyof Assistant)[] = [],
    ): Promise<boolean> {
      const change = updateExpression({ set, remove }, [{ expression: 'attribute_exists(assistant_id)' }]);
      return tookPlace(db.send(new UpdateCommand({ TableName: table, Key: { assistant_id: assistantId }, ...change })));
    },
  };
}
