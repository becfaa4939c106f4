import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type SlotStore = ReturnType<typeof slotStore>;

/** The scope of the whole stage. Its limit is the concurrency of the platform account. */
export const STAGE_SCOPE = 'stage';

const ORG_PREFIX = 'org#';

export const orgScope = (orgId: string): string => `${ORG_PREFIX}${orgId}`;

/** The Slots table: live calls per scope, and whether dialing is paused. */
export function slotStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Refused where the scope is full or paused. @param limit undefined = the slot is counted only. */
    taking: (scope: string, limit: number | undefined): Write =>
      writes.update({ scope }, { add: { live: 1 } }, [
        { expression: 'attribute_not_exists(paused_at)' },
        ...(limit === undefined ? [] : [{ expression: belowLimit(limit), values: { limit } }]),
      ]),

    /** Gives back a slot that a call had taken. */
    givingBack: (scope: string): Write => writes.update({ scope }, { add: { live: -1 } }),

    async stage(): Promise<{ live: number; paused: boolean }> {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { scope: STAGE_SCOPE }, ConsistentRead: true }),
      );
      return { live: Number(Item?.live ?? 0), paused: Item?.paused_at !== undefined };
    },

    /** @param orgIds at most 100. @returns live calls by organization; one that never had a call is absent. */
    async liveOfOrgs(orgIds: readonly string[]): Promise<Map<string, number>> {
      const keys = [...new Set(orgIds)].map((orgId) => ({ scope: orgScope(orgId) }));
      if (keys.length === 0) return new Map();
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: keys } } }),
      );
      if (UnprocessedKeys?.[table]) throw new Error('DynamoDB throttled the read of slots');
      return new Map(
        (Responses?.[table] ?? []).map(({ scope, live }) => [String(scope).slice(ORG_PREFIX.length), Number(live)]),
      );
    },

    /** The first pause counts. */
    async pause(now: string): Promise<void> {
      await db.send(
        new UpdateCommand({
          TableName: table,
          Key: { scope: STAGE_SCOPE },
          UpdateExpression: 'SET paused_at = if_not_exists(paused_at, :now)',
          ExpressionAttributeValues: { ':now': now },
        }),
      );
    },

    async resume(): Promise<void> {
      await db.send(
        new UpdateCommand({ TableName: table, Key: { scope: STAGE_SCOPE }, UpdateExpression: 'REMOVE paused_at' }),
      );
    },
  };
}

/** A scope without a counter has no live call. */
const belowLimit = (limit: number): string =>
  limit > 0 ? 'attribute_not_exists(live) OR live < :limit' : 'live < :limit';
