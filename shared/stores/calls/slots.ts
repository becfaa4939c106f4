import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Write } from '../dynamodb/transaction.ts';

export type SlotStore = ReturnType<typeof slotStore>;

/** The scope of the whole stage: what the platform account allows. */
export const STAGE_SCOPE = 'stage';

export const orgScope = (orgId: string): string => `org#${orgId}`;

/** The Slots table: live calls per scope, and whether the stage dials at all. */
export function slotStore(db: DynamoDBDocumentClient, table: string) {
  return {
    /** Takes one; refused where the scope is full, or the stage is paused. @param limit undefined = counted only. */
    taking: (scope: string, limit: number | undefined): Write => ({
      Update: {
        TableName: table,
        Key: { scope },
        UpdateExpression: 'ADD live :one',
        ConditionExpression: [
          'attribute_not_exists(paused_at)',
          // A scope without a counter has none live.
          ...(limit === undefined
            ? []
            : [limit > 0 ? '(attribute_not_exists(live) OR live < :limit)' : 'live < :limit']),
        ].join(' AND '),
        ExpressionAttributeValues: { ':one': 1, ...(limit !== undefined && { ':limit': limit }) },
      },
    }),

    /** Gives back one that a call had taken. */
    givingBack: (scope: string): Write => ({
      Update: {
        TableName: table,
        Key: { scope },
        UpdateExpression: 'ADD live :minus_one',
        ExpressionAttributeValues: { ':minus_one': -1 },
      },
    }),

    async stage(): Promise<{ live: number; paused: boolean }> {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { scope: STAGE_SCOPE }, ConsistentRead: true }),
      );
      return { live: Number(Item?.live ?? 0), paused: Item?.paused_at !== undefined };
    },

    /** @returns live calls by org; orgs that never had one are absent. @param orgIds at most 100. */
    async liveOfOrgs(orgIds: readonly string[]): Promise<Map<string, number>> {
      const keys = [...new Set(orgIds)].map((orgId) => ({ scope: orgScope(orgId) }));
      if (keys.length === 0) return new Map();
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: keys } } }),
      );
      if (UnprocessedKeys?.[table]) throw new Error('DynamoDB throttled the read of slots');
      return new Map(
        (Responses?.[table] ?? []).map(({ scope, live }) => [String(scope).slice('org#'.length), Number(live)]),
      );
    },

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
