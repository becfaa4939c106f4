import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { mayBeId } from '../../domain/ids.ts';
import {
  type Assistant,
  assistantSchema,
  type KnowledgeEntry,
} from '../../domain/organizations/assistants/assistant.ts';
import type { Definition, RemovableMember } from '../../domain/organizations/assistants/assistant-definition.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, query, type ReadOptions, readAll, readItem, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { isStill } from '../dynamodb/update.ts';

export type AssistantStore = ReturnType<typeof assistantStore>;

const namesSchema = z.pick(assistantSchema, { assistant_id: true, name: true });

/** The attributes by which others refer to an assistant. */
export type AssistantName = z.infer<typeof namesSchema>;

export const assistantIndexes = { byOrg: 'by-org' } as const;

/** Accesses the Assistants table: assistants, and briefly the remains of deleted ones. */
export function assistantStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const read = async (assistantId: string, options?: ReadOptions): Promise<Item | undefined> => {
    if (!mayBeId(assistantId)) return undefined;
    return readItem(db, table, { assistant_id: assistantId }, options);
  };
  const get = async (assistantId: string, options?: ReadOptions): Promise<Assistant | undefined> => {
    const item = await read(assistantId, options);
    return item?.org_id === undefined ? undefined : assistantSchema.parse(item);
  };
  return {
    /** Reads consistently. */
    get: (assistantId: string) => get(assistantId),

    /**
     * Reads at half the price, perhaps as the assistant was a second ago. An assistant that seems to be absent may be
     * new, so it is read again, consistently.
     */
    getRecent: async (assistantId: string) => (await get(assistantId, { mayBeOld: true })) ?? (await get(assistantId)),

    /** Reads the entries that a deleted assistant of the organization has left. */
    async remains(assistantId: string, orgId: string): Promise<KnowledgeEntry[] | undefined> {
      const item = await read(assistantId);
      return item?.deleted_of === orgId ? assistantSchema.shape.knowledge_base.parse(item.knowledge_base) : undefined;
    },

    /** Refused if the id is taken; the refusal reveals the item. */
    adding: (assistant: Assistant): Write =>
      writes.put(assistant, [{ expression: 'attribute_not_exists(assistant_id)' }], 'ALL_OLD'),

    /**
     * Checks the assistant in a transaction that begins to use it. Refused if the organization does not, or no longer,
     * have it.
     */
    existing: ({ assistant_id, org_id }: Pick<Assistant, 'assistant_id' | 'org_id'>): Write =>
      writes.check({ assistant_id }, [{ expression: 'org_id = :org', values: { org: org_id } }]),

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

    /** Reads all assistants of an organization without their scripts and knowledge, which are long. */
    namesOfOrg: (orgId: string): Promise<AssistantName[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: assistantIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ProjectionExpression: 'assistant_id, #name',
          ExpressionAttributeNames: { '#name': 'name' },
          ExpressionAttributeValues: { ':org': orgId },
        }),
        (item) => namesSchema.parse(item),
      ),

    /** Reads a page of an organization's assistants, oldest first. @param after the last one of the previous page. */
    page: (
      orgId: string,
      limit: number,
      after?: Pick<Assistant, 'assistant_id' | 'created_at'>,
    ): Promise<Page<Assistant>> =>
      readPage(
        db,
        {
          TableName: table,
          IndexName: assistantIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeValues: { ':org': orgId },
          Limit: limit,
          ...(after && {
            ExclusiveStartKey: { org_id: orgId, assistant_id: after.assistant_id, created_at: after.created_at },
          }),
        },
        (item) => assistantSchema.parse(item),
      ),

    /**
     * Appends to the knowledge base, after the entries of concurrent uploads.
     * @param most the maximum number of entries afterwards. Refused beyond it.
     */
    appending: ({ assistant_id, org_id }: Assistant, entries: readonly KnowledgeEntry[], most: number): Write =>
      writes.update({ assistant_id }, { append: { knowledge_base: entries } }, [
        { expression: 'org_id = :org', values: { org: org_id } },
        { expression: 'size(knowledge_base) <= :room', values: { room: most - entries.length } },
      ]),

    /** Replaces the entries of the knowledge base. Refused if they have changed since they were read. */
    replacingKnowledge: (
      { assistant_id, org_id, knowledge_base: before }: Assistant,
      knowledge_base: readonly KnowledgeEntry[],
    ): Write =>
      writes.update({ assistant_id }, { set: { knowledge_base } }, [
        { expression: 'org_id = :org', values: { org: org_id } },
        { expression: 'knowledge_base = :before', values: { before } },
      ]),

    /** Changes the definition. Refused if the assistant's revision has changed since it was read. */
    changing: (
      { assistant_id, org_id, revision }: Assistant,
      set: Definition & Pick<Assistant, 'revision' | 'updated_at' | 'updated_by' | 'edits'>,
      remove: readonly RemovableMember[],
    ): Write =>
      writes.update({ assistant_id }, { set, remove }, [
        { expression: 'org_id = :org', values: { org: org_id } },
        isStill('revision', revision),
      ]),

    /**
     * Replaces an assistant by the entries of its knowledge base. No list shows them, because they have no `org_id`.
     * Refused if the knowledge base has changed, or the assistant is gone.
     */
    removing: ({ assistant_id, org_id, knowledge_base }: Assistant): Write =>
      writes.put({ assistant_id, deleted_of: org_id, knowledge_base }, [
        { expression: 'org_id = :org', values: { org: org_id } },
        { expression: 'knowledge_base = :before', values: { before: knowledge_base } },
      ]),

    /** Removes the remains of a deleted assistant, whose id is never reused. */
    removingRemains: (assistant_id: string): Write => writes.delete({ assistant_id }, []),
  };
}
