import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  type ActivityEntry,
  activityEntrySchema,
  erasedEntry,
  type Outcome,
} from '../../domain/connections/activity.ts';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, query, readAll, readItem, readPage } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, isStill } from '../dynamodb/update.ts';

export type ActivityStore = ReturnType<typeof activityStore>;

export const activityIndexes = { byTime: 'by-time', byPhone: 'by-phone', byLead: 'by-lead' } as const;

/** The key of an entry. */
export type EntryKey = Pick<ActivityEntry, 'connection_id' | 'event_id'>;

/** The keys of entries, and whether there are more. */
type FoundKeys = { keys: EntryKey[]; hasMore: boolean };

/** A position in a connection's entries by time. */
export type EntryPosition = Pick<ActivityEntry, 'event_id' | 'at'>;

/** An entry as it is stored, perhaps by a newer version. */
export type StoredEntry = Shown<ActivityEntry>;

/** An entry for display: without the stored event, which contains the lead's fields. */
export type ShownEntry = Omit<StoredEntry, 'retryable'>;

/** Even a lead that is edited ten times a day has fewer entries in 90 days. */
const MAX_OF_A_LEAD = 1000;

const MAX_TRIES = 5;

/** A time range (ISO 8601, both inclusive), and in `before` the last entry of the previous page, within the range. */
export type EntryRange = { from?: string; to?: string; limit: number; before?: EntryPosition };

const entrySchema = shownSchemaOf(activityEntrySchema);
const briefAttributes = {
  connection_id: true,
  event_id: true,
  at: true,
  lead_id: true,
  outcome: true,
  test: true,
  superseded_by: true,
} as const;
const briefSchema = shownSchemaOf(z.pick(activityEntrySchema, briefAttributes));

/** The attributes that counts and filters read: a fifth of an entry's bytes. */
export type EntryBrief = z.infer<typeof briefSchema>;

/** Returns a projection with placeholders, because DynamoDB reserves some names. */
const projection = (names: readonly string[]) => ({
  ProjectionExpression: names.map((name) => `#${name}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
});

/** All attributes except the stored event. */
const shown = projection(Object.keys(activityEntrySchema.shape).filter((name) => name !== 'retryable'));
const inBrief = projection(Object.keys(briefAttributes));

/** Accesses the Activity table: the lead events of a connection with their outcomes, stored for 90 days at most. */
export function activityStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const isFirst: Condition = { expression: 'attribute_not_exists(event_id)' };
  const startOf = (connectionId: string, { at, event_id }: EntryPosition) => ({
    ExclusiveStartKey: { connection_id: connectionId, at, event_id },
  });

  const byTime = (connectionId: string, { from = '0', to = '9999', limit, before }: EntryRange) => ({
    TableName: table,
    IndexName: activityIndexes.byTime,
    KeyConditionExpression: 'connection_id = :connection AND #at BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':connection': connectionId, ':from': from, ':to': to },
    ScanIndexForward: false,
    Limit: limit,
    ...(before && startOf(connectionId, before)),
  });

  async function read(keys: readonly EntryKey[], wanted: Partial<typeof shown>): Promise<StoredEntry[]> {
    const names = keys.map(({ connection_id, event_id }) => ({ connection_id, event_id }));
    return (await readByKeys(db, table, names, wanted)).map(parse);
  }

  async function get(connectionId: string, eventId: string): Promise<StoredEntry | undefined> {
    const item = await readItem(db, table, { connection_id: connectionId, event_id: eventId });
    return item && parse(item);
  }

  return {
    /** Returns whether the event has an entry, which means that it is decided. Reads consistently. */
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
    get,

    /** Writes the entry of an event. @returns false if the event already has an entry, which is kept */
    record: (entry: StoredEntry): Promise<boolean> => writes.tryPut(entry, [isFirst]),

    adding: (entry: ActivityEntry): Write => writes.put(entry, [isFirst]),

    /**
     * Stores the id of the entry that supersedes this one, unless an id is already stored or this entry has expired.
     * @param superseded_by the event id of the other entry
     */
    supersede: ({ connection_id, event_id }: EntryKey, superseded_by: string): Promise<boolean> =>
      writes.tryUpdate({ connection_id, event_id }, { set: { superseded_by } }, [
        { expression: 'attribute_exists(event_id) AND attribute_not_exists(superseded_by)' },
      ]),

    /** Records when the next message about a followed call was sent. @returns false if another one was sent since */
    follow: ({ connection_id, event_id }: EntryKey, from: string, to: string): Promise<boolean> =>
      writes.tryUpdate({ connection_id, event_id }, { set: { followed_at: to } }, [
        { expression: 'followed_at = :from', values: { from } },
      ]),

    /**
     * Replaces an entry by its version without personal data, and keeps the changes of other writers since it was read.
     * @returns false if it has expired
     * @throws if other writers keep changing the entry
     */
    async forget(entry: ShownEntry): Promise<boolean> {
      let read: ShownEntry | undefined = entry;
      for (let attempt = 0; attempt < MAX_TRIES && read; attempt += 1) {
        if (await writes.tryPut(erasedEntry(read), unchangedSince(read))) return true;
        read = await get(entry.connection_id, entry.event_id);
      }
      if (read) throw new Error(`entry ${entry.event_id} of Activity changed in each of ${MAX_TRIES} tries`);
      return false;
    },

    /**
     * Removes the stored event, so that it cannot be retried.
     * @param phone_hash the hash of the number, by which the entry can still be found: the event may have been the only
     * attribute that named the number
     * @returns false if the entry has expired
     */
    removeStoredEvent: ({ connection_id, event_id }: EntryKey, phone_hash: string): Promise<boolean> =>
      writes.tryUpdate({ connection_id, event_id }, { set: { phone_hash }, remove: ['retryable'] }, [
        { expression: 'attribute_exists(event_id)' },
      ]),

    /** Changes when an entry expires. @param expires_at epoch seconds. @returns false if it has expired */
    keepUntil: ({ connection_id, event_id }: EntryKey, expires_at: number): Promise<boolean> =>
      writes.tryUpdate({ connection_id, event_id }, { set: { expires_at } }, [
        { expression: 'attribute_exists(event_id)' },
      ]),

    /** Lists entries, newest first. The index may lag by seconds. */
    list: (connectionId: string, limit?: number): Promise<StoredEntry[]> =>
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

    /** Yields the stored events of a connection, with the keys of their entries. The index may lag by seconds. */
    async *storedEvents(connectionId: string): AsyncGenerator<EntryKey & { retryable: string }> {
      const items = query(db, {
        TableName: table,
        IndexName: activityIndexes.byTime,
        KeyConditionExpression: 'connection_id = :connection',
        FilterExpression: 'attribute_exists(retryable)',
        ProjectionExpression: 'connection_id, event_id, retryable',
        ExpressionAttributeValues: { ':connection': connectionId },
      });
      for await (const item of items) yield { ...keyOf(item), retryable: String(item.retryable) };
    },

    /** Reads a page of a connection's entries, newest first. The index may lag by seconds. */
    page: (connectionId: string, range: EntryRange): Promise<Page<ShownEntry, EntryPosition>> =>
      readPage(db, { ...byTime(connectionId, range), ...shown }, parse),

    /** Reads a page for counts and filters, which read many entries. */
    pageInBrief: (connectionId: string, range: EntryRange): Promise<Page<EntryBrief, EntryPosition>> =>
      readPage(db, { ...byTime(connectionId, range), ...inBrief }, (item) => briefSchema.parse(item)),

    /**
     * Reads a page of the entries in a time range (ISO 8601, both inclusive), oldest first, and returns those with an
     * outcome. The index may lag by seconds.
     * @param limit the number of entries to read. @param after the last entry of the previous page.
     */
    async pageOfOutcome(
      connectionId: string,
      { since, until = '9999', outcome }: { since: string; until?: string | undefined; outcome: Outcome },
      { limit, after }: { limit: number; after?: EntryPosition | undefined },
    ): Promise<Page<StoredEntry, EntryPosition>> {
      // DynamoDB refuses a range that ends before it begins, and a start key outside of it.
      if (since > until || (after && (after.at < since || after.at > until))) return { items: [] };
      return readPage(
        db,
        {
          TableName: table,
          IndexName: activityIndexes.byTime,
          KeyConditionExpression: 'connection_id = :connection AND #at BETWEEN :since AND :until',
          FilterExpression: 'outcome = :outcome',
          ExpressionAttributeNames: { '#at': 'at' },
          ExpressionAttributeValues: {
            ':connection': connectionId,
            ':since': since,
            ':until': until,
            ':outcome': outcome,
          },
          Limit: limit,
          ...(after && startOf(connectionId, after)),
        },
        parse,
      );
    },

    /**
     * Lists the entries of an event and those whose ids derive from it, such as its retries, releases and dials. Reads
     * consistently.
     */
    triesOf: (connectionId: string, eventId: string): Promise<StoredEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'connection_id = :connection AND begins_with(event_id, :event)',
          ExpressionAttributeValues: { ':connection': connectionId, ':event': eventId },
          ConsistentRead: true,
        }),
        parse,
      ),

    /** Finds the newest entries of a number. The index may lag by seconds. */
    async ofPhone(phoneHash: string, most: number): Promise<FoundKeys> {
      const found = query(db, {
        TableName: table,
        IndexName: activityIndexes.byPhone,
        KeyConditionExpression: 'phone_hash = :phone',
        ExpressionAttributeValues: { ':phone': phoneHash },
        ScanIndexForward: false,
        Limit: most + 1,
      });
      return firstOf(await readAll(found, keyOf, most + 1), most);
    },

    /**
     * Finds the newest entries of a lead among the first thousand that the index returns, or the first `most` if that
     * is more. The index may lag by seconds.
     */
    async ofLead(connectionId: string, leadId: string, most: number): Promise<FoundKeys> {
      const found = query(db, {
        TableName: table,
        IndexName: activityIndexes.byLead,
        KeyConditionExpression: 'connection_id = :connection AND lead_id = :lead',
        ExpressionAttributeValues: { ':connection': connectionId, ':lead': leadId },
      });
      const all = await readAll(
        found,
        (item) => ({ ...keyOf(item), at: String(item.at) }),
        Math.max(MAX_OF_A_LEAD, most),
      );
      return firstOf(
        all.sort((one, other) => (one.at < other.at ? 1 : -1)),
        most,
      );
    },

    /** Reads entries by their keys, in no order. */
    entriesOf: (keys: readonly EntryKey[]): Promise<ShownEntry[]> => read(keys, shown),

    /** Reads entries with their stored events, which no page shows. Otherwise like `entriesOf`. */
    wholeEntriesOf: (keys: readonly EntryKey[]): Promise<StoredEntry[]> => read(keys, {}),
  };
}

/**
 * The entry's successor and expiry are still those that were read; otherwise a replacement would undo a change of them.
 */
const unchangedSince = ({ superseded_by, expires_at }: ShownEntry): Condition[] => [
  { expression: 'expires_at = :expiry', values: { expiry: expires_at } },
  isStill('superseded_by', superseded_by),
];

const parse = (item: Item): StoredEntry => entrySchema.parse(item);

const keyOf = (item: Item): EntryKey => ({
  connection_id: String(item.connection_id),
  event_id: String(item.event_id),
});

const firstOf = (found: readonly EntryKey[], most: number): FoundKeys => ({
  keys: found.slice(0, most),
  hasMore: found.length > most,
});
