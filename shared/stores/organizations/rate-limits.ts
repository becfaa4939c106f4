import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { minuteOf, type RateCounters } from '../../domain/organizations/rate-limit.ts';

export type RateLimitStore = ReturnType<typeof rateLimitStore>;

const KEPT_SECONDS = 600;

/** The RateLimits table: one item per API key and clock minute counts for both limits. */
export function rateLimitStore(db: DynamoDBDocumentClient, table: string) {
  return {
    /** Counts a request. @returns the counters including it. */
    async count(keyHash: string, outbound: boolean, epochMs: number): Promise<RateCounters> {
      const minute = minuteOf(epochMs);
      const { Attributes } = await db.send(
        new UpdateCommand({
          TableName: table,
          Key: { key_minute: `${keyHash}#${minute}` },
          UpdateExpression: 'ADD requests :one, outbound :outbound SET expires_at = :expires_at',
          ExpressionAttributeValues: {
            ':one': 1,
            ':outbound': outbound ? 1 : 0,
            ':expires_at': minute * 60 + KEPT_SECONDS,
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return { requests: Number(Attributes?.requests), outbound: Number(Attributes?.outbound) };
    },
  };
}
