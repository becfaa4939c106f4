import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type CostlyKind, costlyKinds, minuteOf, type RateCounters } from '../../domain/organizations/rate-limit.ts';

export type RateLimitStore = ReturnType<typeof rateLimitStore>;

/** After the hour that the key names. */
const KEPT_SECONDS = 600;
/** Longer than the day that the key names. */
const CLAIM_KEPT_SECONDS = 2 * 24 * 60 * 60;

const MINUTES = 60;
/** Short, so that all counters of an hour fit into the kilobyte that one write unit pays for. */
const prefixes = { requests: 'r', outbound: 'o', analyses: 'a', uploads: 'u' } as const satisfies Record<
  keyof RateCounters,
  string
>;

/** The RateLimits table: one item for each clock hour of what is counted, with counters for each of its minutes. */
export function rateLimitStore(db: DynamoDBDocumentClient, table: string) {
  /** @param condition on the item of the hour. */
  const add = async (subject: string, kind: CostlyKind | undefined, epochMs: number, condition?: string) => {
    const minute = minuteOf(epochMs);
    const hour = Math.floor(minute / MINUTES);
    const attribute = (of: keyof RateCounters) => `${prefixes[of]}${minute % MINUTES}`;
    const { Attributes = {} } = await db.send(
      new UpdateCommand({
        TableName: table,
        Key: { key_minute: `${subject}#${hour}` },
        UpdateExpression: `ADD ${attribute('requests')} :one${kind ? `, ${attribute(kind)} :one` : ''} SET expires_at = :expires_at`,
        ConditionExpression: condition,
        ExpressionAttributeValues: { ':one': 1, ':expires_at': (hour + 1) * MINUTES * 60 + KEPT_SECONDS },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return {
      requests: Number(Attributes[attribute('requests')]),
      ...Object.fromEntries(costlyKinds.map((each) => [each, Number(Attributes[attribute(each)] ?? 0)])),
    };
  };

  return {
    /**
     * Counts a request. @param subject whose requests have one limit: an API key's hash, or an organization and a kind
     * of request. @param kind counted on its own, too. @returns the counters of the clock minute including it.
     */
    count: (subject: string, kind: CostlyKind | undefined, epochMs: number): Promise<RateCounters> =>
      add(subject, kind, epochMs),

    /**
     * Counts a request of a subject that may not exist. @returns undefined, and writes nothing, unless `count` has
     * counted another one in this clock hour.
     */
    async countAgain(
      subject: string,
      kind: CostlyKind | undefined,
      epochMs: number,
    ): Promise<RateCounters | undefined> {
      try {
        return await add(subject, kind, epochMs, 'attribute_exists(key_minute)');
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return undefined;
        throw error;
      }
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
