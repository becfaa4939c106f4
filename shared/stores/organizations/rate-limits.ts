import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type CostlyKind, costlyKinds, minuteOf, type RateCounters } from '../../domain/organizations/rate-limit.ts';

export type RateLimitStore = ReturnType<typeof rateLimitStore>;

const KEPT_SECONDS = 600;
/** Longer than the day that the key names. */
const CLAIM_KEPT_SECONDS = 2 * 24 * 60 * 60;

/** The RateLimits table: one item per API key and clock minute counts for all limits. */
export function rateLimitStore(db: DynamoDBDocumentClient, table: string) {
  return {
    /** Counts a request. @param kind counted on its own, too. @returns the counters including it. */
    async count(keyHash: string, kind: CostlyKind | undefined, epochMs: number): Promise<RateCounters> {
      const minute = minuteOf(epochMs);
      const { Attributes = {} } = await db.send(
        new UpdateCommand({
          TableName: table,
          Key: { key_minute: `${keyHash}#${minute}` },
          UpdateExpression: `ADD requests :one${kind ? `, ${kind} :one` : ''} SET expires_at = :expires_at`,
          ExpressionAttributeValues: { ':one': 1, ':expires_at': minute * 60 + KEPT_SECONDS },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return {
        requests: Number(Attributes.requests),
        ...Object.fromEntries(costlyKinds.map((each) => [each, Number(Attributes[each] ?? 0)])),
      };
    },

    /**
     * Claims one of a day's requests about a thing.
     * @param key names thing and day. @returns false if the last one was claimed less than `spacing` seconds ago, or
     * all `most` are used up; a refused claim counts nothing.
     */
    async claim(key: string, { spacing, most }: { spacing: number; most: number }, epochMs: number): Promise<boolean> {
      const second = Math.floor(epochMs / 1_000);
      try {
        await db.send(
          new UpdateCommand({
            TableName: table,
            Key: { key_minute: key },
            UpdateExpression: 'ADD requests :one SET claimed_at = :now, expires_at = :expires_at',
            ConditionExpression: 'attribute_not_exists(claimed_at) OR (claimed_at <= :spaced AND requests < :most)',
            ExpressionAttributeValues: {
              ':one': 1,
              ':now': second,
              ':spaced': second - spacing,
              ':most': most,
              ':expires_at': second + CLAIM_KEPT_SECONDS,
            },
          }),
        );
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}
