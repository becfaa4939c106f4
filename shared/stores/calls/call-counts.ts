import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSchema } from '../../domain/calls/call.ts';
import { shownSchemaOf } from '../../domain/newer-values.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import { callIndexes } from './calls.ts';

export type CallCounts = ReturnType<typeof callCounts>;

const recentAttributes = {
  call_id: true,
  org_id: true,
  created_at: true,
  status: true,
  lead: true,
  tested_by: true,
  callback_status: true,
} as const;
const recentSchema = shownSchemaOf(z.pick(callSchema, recentAttributes));
const names = Object.keys(recentAttributes);

/** The attributes of a call for the overview. */
export type RecentCall = z.infer<typeof recentSchema>;

/**
 * The slots, and credit in units, that a call holds. An erased call holds nothing. An unreadable value counts as none,
 * so that one call does not prevent the comparison of all counters.
 */
const holdingsSchema = z.object({
  slots: z.catch(z.optional(z.array(z.string())), undefined),
  slots_at: z.catch(z.optional(z.string()), undefined),
  held: z.catch(z._default(z.number(), 0), 0),
});
type Holdings = z.infer<typeof holdingsSchema>;

/** Reads of the Calls table whose cost does not grow with the number of calls. Indexes lag by seconds. */
export function callCounts(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Counts calls that hold slots and are not dialed yet. It also reads older reservations, of which there are at most
     * as many as slots.
     * @param since ISO 8601: older reservations do not count. @param most how many to count
     */
    async reserved(since: string, most: number): Promise<number> {
      const reservations = await readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.unfinished,
          KeyConditionExpression: 'unfinished = :work',
          FilterExpression: 'progress_at > :since',
          ExpressionAttributeValues: { ':work': 'reserved', ':since': since },
          ProjectionExpression: 'call_id',
          Limit: most,
        }),
        ({ call_id }) => call_id,
        most,
      );
      return reservations.length;
    },

    /** Reads a call's slots and credit consistently, even if the rest of it cannot be read. */
    async holdings(callId: string): Promise<Holdings | undefined> {
      const { Item } = await db.send(
        new GetCommand({
          TableName: table,
          Key: { call_id: callId },
          ProjectionExpression: 'slots, slots_at, held',
          ConsistentRead: true,
        }),
      );
      return Item && holdingsSchema.parse(Item);
    },

    /** Reads the newest calls of an organization, in part. */
    recent: (orgId: string, most: number): Promise<RecentCall[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ProjectionExpression: names.map((name) => `#${name}`).join(', '),
          ExpressionAttributeValues: { ':org': orgId },
          ScanIndexForward: false,
          Limit: most,
        }),
        (item) => recentSchema.parse(item),
        most,
      ),
  };
}
