import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../domain/calls/call.ts';
import { sumOfUsage, type Usage, type UsageDay } from '../../domain/calls/usage/usage.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll, readItem } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { staysWithin } from '../dynamodb/update.ts';

export type UsageStore = ReturnType<typeof usageStore>;

/** A day has several items, so that analyses and ends rarely write the same item concurrently. */
const SHARDS = 8;
const DAY_CHARACTERS = 'YYYY-MM-DD'.length;

/** Returns the shard of a call. The sums of the characters of ids spread evenly over the shards. */
const shardOf = (callId: string): number =>
  [...callId].reduce((sum, character) => sum + character.charCodeAt(0), 0) % SHARDS;

/**
 * Accesses the Usage table: counts of an organization's calls per IST day. The counts are written only in the
 * transactions that end a call or store its first analysis, so that they equal calls and ledger
 * (docs/decisions/0024-usage-is-counted-where-a-call-ends.md). Separate items store the committed spend.
 */
export function usageStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Adds to a day. Unconditional: the other write in the transaction decides whether it counts. */
    counting: ({ org_id, call_id }: Pick<Call, 'org_id' | 'call_id'>, day: string, counts: Partial<Usage>): Write =>
      writes.update({ org_id, day: `${day}#${shardOf(call_id)}` }, { add: counts }),

    /**
     * Adds to the committed spend of a scope on an IST day, stored beside the counters.
     * @param scope an organization, or the stage. @param amount in units; a negative one takes spend back
     * @param limit the maximum sum; infinite to count only
     */
    committing: (scope: string, day: string, amount: number, limit = Number.POSITIVE_INFINITY): Write =>
      writes.update(
        { org_id: scope, day: spendKey(day) },
        { add: { committed: amount } },
        Number.isFinite(limit) ? [staysWithin('committed', limit, amount)] : [],
      ),

    /** Reads the committed spend of an IST day consistently, in units. */
    async committed(scope: string, day: string): Promise<number> {
      const item = await readItem(db, table, { org_id: scope, day: spendKey(day) });
      return Number(item?.committed ?? 0);
    },

    /** Returns the days with calls, the earliest first. @param range IST days, both inclusive. */
    async ofDays(orgId: string, { from, to }: { from: string; to: string }): Promise<UsageDay[]> {
      const items = query(db, {
        TableName: table,
        KeyConditionExpression: 'org_id = :org AND #day BETWEEN :from AND :to',
        ExpressionAttributeNames: { '#day': 'day' },
        // Shards follow "#", which sorts before "~".
        ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': `${to}~` },
      });
      return sumOfShards(await readAll(items, (item) => item));
    },
  };
}

/** Sorts after all days, so that the counters' range contains none of these items. */
const SPEND = 'spend#';
const spendKey = (day: string): string => SPEND + day;

const isOfCounters = ({ day }: Item): boolean => !String(day).startsWith(SPEND);

/** Sums the items of each day, in order. */
export const sumOfShards = (items: readonly Item[]): UsageDay[] =>
  [...Map.groupBy(items.filter(isOfCounters), ({ day }) => String(day).slice(0, DAY_CHARACTERS))].map(
    ([day, shards]) => ({
      day,
      ...sumOfUsage(shards as Partial<Usage>[]),
    }),
  );
