import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../domain/connections/connection.ts';
import { connectionSchema } from '../../domain/connections/connection-schema.ts';
import { parseNewerConnection, type ShownConnections } from '../../domain/connections/newer-connection.ts';
import { mayBeId } from '../../domain/ids.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll, readItem } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, type ItemChange, isStill } from '../dynamodb/update.ts';

export type ConnectionStore = ReturnType<typeof connectionStore>;

export const connectionIndexes = { byOrg: 'by-org', byType: 'by-type' } as const;

/** Accesses the Connections table. */
export function connectionStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = (connectionId: string, change: ItemChange, conditions: Condition[] = []) =>
    writes.tryUpdate({ connection_id: connectionId }, change, [
      { expression: 'attribute_exists(connection_id)' },
      ...conditions,
    ]);

  const ofOrg = (orgId: string) =>
    query(db, {
      TableName: table,
      IndexName: connectionIndexes.byOrg,
      KeyConditionExpression: 'org_id = :org',
      ExpressionAttributeValues: { ':org': orgId },
    });

  return {
    /** Reads consistently, so that a replaced token is refused at once. */
    async get(connectionId: string): Promise<Connection | undefined> {
      if (!mayBeId(connectionId)) return undefined;
      const item = await readItem(db, table, { connection_id: connectionId });
      return item && parseConnection(item);
    },

    /** Creates a connection. Refused if the organization already has one of this type. */
    creating: (connection: Connection): Write =>
      writes.put(connection, [{ expression: 'attribute_not_exists(connection_id)' }]),

    listOfOrg: (orgId: string): Promise<Connection[]> => readAll(ofOrg(orgId), parseConnection),

    /**
     * Lists the connections, only to show them. A connection that only a newer version can read does not prevent the
     * others from being shown.
     */
    async listToShow(orgId: string): Promise<ShownConnections> {
      const shown: ShownConnections = { known: [], newer: [] };
      for (const item of await readAll(ofOrg(orgId), (read) => read)) {
        const { data } = connectionSchema.safeParse(item);
        if (data) shown.known.push(data);
        else shown.newer.push(parseNewerConnection(item));
      }
      return shown;
    },

    /** Lists the ids of all connections of a type. The index may lag by seconds. */
    async *idsOfType(type: Connection['type']): AsyncGenerator<string> {
      const items = query(db, {
        TableName: table,
        IndexName: connectionIndexes.byType,
        KeyConditionExpression: '#type = :type',
        ExpressionAttributeNames: { '#type': 'type' },
        ExpressionAttributeValues: { ':type': type },
      });
      for await (const { connection_id } of items) yield String(connection_id);
    },

    /**
     * Changes the editable settings. Refused if they, or the chosen organization, have changed since they were read.
     */
    updating: (
      { connection_id, revision: before, settings }: Connection,
      set: EditableAttributes,
      remove: readonly (keyof EditableAttributes)[] = [],
    ): Write =>
      writes.update({ connection_id }, { set, remove }, [
        { expression: 'attribute_exists(connection_id)' },
        isStill('revision', before),
        ...(set.settings ? [settingsAre(settings)] : []),
      ]),

    /** Replaces the webhook token of CRM-A. @param next undefined for none, so that every delivery is refused. */
    replacingToken: (connectionId: string, next: { hash: string; at: string } | undefined): Write =>
      writes.update(
        { connection_id: connectionId },
        next ? { set: { token_hash: next.hash, token_replaced_at: next.at } } : { remove: ['token_hash'] },
        [{ expression: 'attribute_exists(connection_id)' }],
      ),

    /** Refused if the connection names the assistant. */
    requiringUnused: (connectionId: string, assistantId: string): Write =>
      writes.check({ connection_id: connectionId }, [
        {
          expression: 'attribute_not_exists(assistant_id) OR assistant_id <> :assistant',
          values: { assistant: assistantId },
        },
      ]),

    /** Records a refused delivery unless another one was recorded since the connection was read. */
    noteRejection: (
      { connection_id, rejection: before }: Connection,
      rejection: NonNullable<Connection['rejection']>,
    ): Promise<boolean> =>
      tryUpdate(connection_id, { set: { rejection }, add: { rejected_minutes: 1 } }, [isStill('rejection', before)]),

    /**
     * Records an accepted delivery, which ends a silence. It never moves back in time.
     * @param rhythm the gaps between deliveries, including this one; undefined if unchanged
     */
    noteDelivery: (connectionId: string, at: string, rhythm?: Connection['delivery_rhythm']): Promise<boolean> =>
      tryUpdate(
        connectionId,
        { set: { last_delivery_at: at, ...(rhythm && { delivery_rhythm: rhythm }) }, remove: ['silent_since'] },
        [{ expression: 'attribute_not_exists(last_delivery_at) OR last_delivery_at < :at', values: { at } }],
      ),

    /**
     * Records that deliveries are missing, unless one has arrived since the connection was read, or a silence is
     * already recorded.
     */
    noteSilence: ({ connection_id, last_delivery_at: last }: Connection, at: string): Promise<boolean> =>
      tryUpdate(connection_id, { set: { silent_since: at } }, [
        { expression: 'last_delivery_at = :last', values: { last } },
        { expression: 'attribute_not_exists(silent_since)' },
      ]),
  };
}

/** The editable part of a connection. */
export type EditableAttributes = Partial<
  Pick<
    Connection,
    | 'auto_call'
    | 'off_times'
    | 'assistant_id'
    | 'trigger_owner_user_id'
    | 'settings'
    | 'revision'
    | 'updated_at'
    | 'updated_by'
  >
>;

/**
 * The settings have not changed since they were read: another writer may have chosen the only organization of a grant.
 */
export const settingsAre = (settings: Connection['settings']): Condition =>
  settings
    ? { expression: '#settings = :settings', values: { settings } }
    : { expression: 'attribute_not_exists(#settings)' };

export const parseConnection = (item: Item): Connection => connectionSchema.parse(item);
