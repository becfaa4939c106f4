import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSchema } from '../../domain/calls/call.ts';
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
const recentSchema = z.pick(callSchema, recentAttributes);
const names = Object.keys(recentAttributes);

/** What the overview needs of a call. */
export type RecentCall = z.infer<typeof recentSchema>;

/** Bounded reads of the Calls table, whatever the number of calls. Indexes lag by seconds. */
export function callCounts(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Counts calls that hold slots and are not dialed yet. @param since ISO 8601: older reservations do not count.
     * @param most how many to read.
     */
    async reserved(since: string, most: number): Promise<number> {
      const reservations = await readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.unfinished,
          KeyConditionExpression: 'unfinished = :work',
          ExpressionAttributeValues: { ':work': 'reserved' },
          ProjectionExpression: 'progress_at',
          Limit: most,
        }),
        ({ progress_at }) => String(progress_at),
        most,
      );
      return reservations.filter((at) => at > since).length;
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
