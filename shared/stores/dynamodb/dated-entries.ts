import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Page, readPage } from './reads.ts';
import type { Item } from './transaction.ts';

/** Entries between two instants (ISO 8601, both inclusive), after the last entry of the previous page. */
export type EntryRange = { from?: string; to?: string; limit: number; before?: string };

/** Returns whether an entry with this sort key belongs to a range. */
export const isInRange = (entry: string, { from = '0', to = '9999', before }: Omit<EntryRange, 'limit'>): boolean =>
  entry >= from && entry <= lastOf(to) && (before === undefined || entry < before);

/** Sorts after all entries of the instant. */
const lastOf = (to: string): string => `${to}~`;

/**
 * Reads a page of an organization's entries, newest first, from a table whose sort key `entry` begins with the time and
 * "#". Returns no entries for a range or start that DynamoDB would reject, because people may enter any range.
 */
export async function pageOfEntries<T>(
  db: DynamoDBDocumentClient,
  table: string,
  orgId: string,
  { from = '0', to = '9999', limit, before }: EntryRange,
  parse: (item: Item) => T,
): Promise<Page<T>> {
  const last = lastOf(to);
  if (from > last || (before !== undefined && (before < from || before > last))) return { items: [] };
  return await readPage(
    db,
    {
      TableName: table,
      KeyConditionExpression: 'org_id = :org AND #entry BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#entry': 'entry' },
      ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': last },
      ScanIndexForward: false,
      Limit: limit,
      ...(before !== undefined && { ExclusiveStartKey: { org_id: orgId, entry: before } }),
    },
    parse,
  );
}
