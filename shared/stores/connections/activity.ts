import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type ActivityEntry, activityEntrySchema, type Outcome } from '../../domain/connections/activity.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import type { Condition } from '../dynamodb/update.ts';

export type ActivityStore = ReturnType<typeof activityStore>;

export const activityIndexes = { byTime: 'by-time' } as const;

/** Accesses the Activity table: the lead events of a connection with their outcomes, kept 90 days. */
export function activityStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const isFirst: Condition = { expression: 'attribute_not_exists(event_id)' };

  return {
    /** Returns whether the event has an entry, so that it is decided. Reads consistently. */
    async has(connectionId: string, eventId: string): Promise<boolean> {
      const { Item } = await db.send(
        new GetCommand({
          TableName: table,
          Key: { connection_id: connectionId, event_id: eventId },
          ProjectionExpression: 'event_id',
          ConsistentRead: true,
        }),
      );
      return Item !== undefined;
    },

    /** Reads the entry of an event. Reads consistently. */
    async get(connectionId: string, eventId: string): Promise<ActivityEntry | undefined> {
      const Key = { connection_id: connectionId, event_id: eventId };
      const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
      return Item && parse(Item);
    },

    /** Writes the entry of an event. @returns false if the event has an entry already, which is kept */
    record: (entry: ActivityEntry): Promise<boolean> => writes.tryPut(entry, [isFirst]),

    adding: (entry: ActivityEntry): Write => writes.put(entry, [isFirst]),

    /** Lists entries, newest first. The index may lag by seconds. */
    list: (connectionId: string, limit?: number): Promise<ActivityEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: activityIndexes.byTime,
          KeyConditionExpression: 'connection_id = :connection',
          ExpressionAttributeValues: { ':connection': connectionId },
          ScanIndexForward: false,
        }),
        parse,
        limit,
      ),

    /** Lists the entries of an outcome since an instant, oldest first. The index may lag by seconds. */
    listOfOutcome: (
      connectionId: string,
      { since, outcome }: { since: string; outcome: Outcome },
    ): Promise<ActivityEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: activityIndexes.byTime,
          KeyConditionExpression: 'connection_id = :connection AND #at >= :since',
          FilterExpression: 'outcome = :outcome',
          ExpressionAttributeNames: { '#at': 'at' },
          ExpressionAttributeValues: { ':connection': connectionId, ':since': since, ':outcome': outcome },
        }),
        parse,
      ),

    /** Lists the entries of an event, its retries and its releases. Reads consistently. */
    triesOf: (connectionId: string, eventId: string): Promise<ActivityEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'connection_id = :connection AND begins_with(event_id, :event)',
          ExpressionAttributeValues: { ':connection': connectionId, ':event': eventId },
          ConsistentRead: true,
        }),
        parse,
      ),
  };
}

const parse = (item: Item): ActivityEntry => activityEntrySchema.parse(item);
