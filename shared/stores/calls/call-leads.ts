import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Call, UnfinishedWork } from '../../domain/calls/call.ts';
import { phoneKeyOf } from '../../domain/calls/phone-key.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { asRead, leadAsRead, type MakeWrite, reservedAt, waiting } from './call-conditions.ts';

/** The position at which a page of calls ended. */
export type PageEnd = { call_id: string; dial_by: string };

type ChangedTerm =
  | 'phone_number'
  | 'claims_day'
  | 'lead'
  | 'assistant_id'
  | 'assistant_name'
  | 'max_duration_seconds'
  | 'rate'
  | 'held'
  | 'holds';

/** The number of index entries that one page reads. The index spans all connections. */
const PAGE_ENTRIES = 200;

/** Accesses the calls of leads in the Calls table. @param index the index of unfinished calls */
export function callLeads(db: DynamoDBDocumentClient, table: string, index: string, makeWrite: MakeWrite) {
  return {
    /**
     * Reads one page of a connection's unfinished calls. The index may lag by seconds.
     * @param after the end of the former page
     * @returns the calls' ids, and where the next page begins unless this was the last one
     */
    async pageOfConnection(
      work: UnfinishedWork,
      connectionId: string,
      after?: PageEnd,
    ): Promise<{ callIds: string[]; next?: PageEnd }> {
      const { Items = [], LastEvaluatedKey: last } = await db.send(
        new QueryCommand({
          TableName: table,
          IndexName: index,
          KeyConditionExpression: 'unfinished = :work',
          FilterExpression: 'connection_id = :connection',
          ExpressionAttributeValues: { ':work': work, ':connection': connectionId },
          Limit: PAGE_ENTRIES,
          ...(after && { ExclusiveStartKey: { ...after, unfinished: work } }),
        }),
      );
      return {
        callIds: Items.map(({ call_id }) => String(call_id)),
        ...(last && { next: { call_id: String(last.call_id), dial_by: String(last.dial_by) } }),
      };
    },

    /**
     * Gives a waiting call another phone or another assistant, with the terms that belong to it. Refused if the call
     * was dialed, or has another phone or hold by now.
     */
    changingTerms: (call: Call, set: Partial<Pick<Call, ChangedTerm>>, remove: readonly 'spend'[] = []): Write =>
      makeWrite(call.call_id, { set: { ...set, org_phone: phoneKeyOf({ ...call, ...set }) }, remove }, [
        waiting,
        reservedAt(call.reserved_at),
        asRead(call),
        leadAsRead(call),
      ]),
  };
}
