import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSchema } from '../../domain/calls/call.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import { callIndexes } from './calls.ts';

export type CallCounts = ReturnType<typeof callCounts>;

/** `isAll`: whether there are no more than were read. */
export type Count = { count: number; isAll: boolean };

const recentAttributes = {
  call_id: true,
  org_id: true,
  created_at: true,
  status: true,
  lead: true,
  tested_by: true,
  callback_url: true,
  callback_status: true,
} as const;
const recentSchema = z.pick(callSchema, recentAttributes);
const names = Object.keys(recentAttributes);

/** What the overview needs of a call. */
export type RecentCall = z.infer<typeof recentSchema>;

/** Bounded reads of the Calls table, whatever the number of calls. A count reads one page. Indexes lag by seconds. */
export function callCounts(db: DynamoDBDocumentClient, table: string) {
  const count = async (input: Omit<QueryCommandInput, 'TableName'>): Promise<Count> => {
    const { Count: found = 0, LastEvaluatedKey } = await db.send(
      new QueryCommand({ TableName: table, Select: 'COUNT', ...input }),
    );
    return { count: found, isAll: LastEvaluatedKey === undefined };
  };
  return {
    /** Counts the calls of an organization that wait for a slot. */
    waiting: (orgId: string): Promise<Count> =>
      count({
        IndexName: callIndexes.waiting,
        KeyConditionExpression: 'waiting_org = :org',
        ExpressionAttributeValues: { ':org': orgId },
      }),

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

    /** Counts the scheduled calls of an organization, among those of the stage that are scheduled for the soonest. */
    scheduled: (orgId: string): Promise<Count> =>
      count({
        IndexName: callIndexes.unfinished,
        KeyConditionExpression: 'unfinished = :work',
        FilterExpression: 'org_id = :org',
        ExpressionAttributeValues: { ':work': 'scheduled', ':org': orgId },
      }),

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
