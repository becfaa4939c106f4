import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../domain/connections/connection.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Change, Condition } from '../dynamodb/update.ts';

export type ConnectionChannelStore = ReturnType<typeof connectionChannelStore>;

export type Channel = NonNullable<Connection['channel']>;
export type ChannelCheck = NonNullable<Connection['channel_check']>;

/** A connection under the grant that it had when it was read. */
export type Granted = { connectionId: string; grantId: string };

/** All that stands on a connection because it is connected. */
const connected = [
  'grant',
  'access',
  'refresh_lease',
  'refreshes',
  'reconnect_needed',
  'token_hash',
  'pending_token_hashes',
  'former_token',
  'channel',
  'channel_check',
  'silent_since',
  'catch_up_from',
] as const satisfies (keyof Connection)[];

/**
 * What the Connections table knows of watch channels and of the tokens that they deliver with. Every write but a gap's
 * beginning holds only under the grant that it was begun under: after a new consent it writes nothing.
 */
export function connectionChannelStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = (connectionId: string, change: Change, conditions: Condition[]) =>
    writes.tryUpdate({ connection_id: connectionId }, change, [
      { expression: 'attribute_exists(connection_id)' },
      ...conditions,
    ]);
  const update = ({ connectionId, grantId }: Granted, change: Change, conditions: Condition[] = []) =>
    tryUpdate(connectionId, change, [{ expression: '#grant.#id = :grant', values: { grant: grantId } }, ...conditions]);

  return {
    /**
     * Replaces the hashes of the tokens that channels are being armed with.
     * @param before as they were read. @returns false where they, or the grant, have changed since.
     */
    setPending: (granted: Granted, before: readonly string[] | undefined, pending: readonly string[]) =>
      update(
        granted,
        pending.length > 0 ? { set: { pending_token_hashes: pending } } : { remove: ['pending_token_hashes'] },
        [either(pendingAre(before, 'before'), pendingAre(pending, 'after'))],
      ),

    /**
     * Makes an armed channel the connection's own: its token counts from now on, and no other that was pending.
     * @param tokenHash pending until now. @param former the token before and how long it still counts; undefined = it ends now.
     * @returns false where another arming, or a new consent, came between.
     */
    promote: (granted: Granted, tokenHash: string, channel: Channel, former: Connection['former_token']) =>
      update(
        granted,
        {
          set: {
            token_hash: tokenHash,
            channel,
            channel_check: { at: channel.armed_at, status: 'active' } satisfies ChannelCheck,
            former_token: former,
          },
          remove: ['pending_token_hashes', ...(former ? [] : ['former_token'])],
        },
        [{ expression: 'contains(pending_token_hashes, :hash) OR token_hash = :hash', values: { hash: tokenHash } }],
      ),

    /** @returns false where the connection has another channel by now. */
    noteExpiry: (granted: Granted, channel: Channel, expires_at: string) =>
      update(granted, { set: { channel: { ...channel, expires_at } } }, [
        { expression: '#channel.#id = :channel', values: { channel: channel.id } },
      ]),

    noteCheck: (granted: Granted, channel_check: ChannelCheck) => update(granted, { set: { channel_check } }),

    /** @param since ISO 8601. The first finding stands. */
    noteSilence: (granted: Granted, since: string) =>
      update(granted, { set: { silent_since: since } }, [{ expression: 'attribute_not_exists(silent_since)' }]),

    /**
     * Remembers that changes since then are to be caught up on, under whichever grant. An earlier start stands.
     * @param from ISO 8601.
     */
    openGap: (connectionId: string, from: string) =>
      tryUpdate(connectionId, { set: { catch_up_from: from } }, [
        { expression: 'attribute_not_exists(catch_up_from)' },
      ]),

    /**
     * Notes that a gap was caught up on. @param from as it was read. @param next from where it goes on; undefined = it is closed.
     */
    narrowGap: (granted: Granted, from: string, next: string | undefined) =>
      update(granted, next ? { set: { catch_up_from: next } } : { remove: ['catch_up_from'] }, [
        { expression: 'catch_up_from = :from', values: { from } },
      ]),

    /**
     * Takes the grant and all that came of it away. @param grantId as it was read; undefined = it had none.
     * @returns false where it was connected anew meanwhile, or there is no such connection.
     */
    disconnect: (connectionId: string, grantId: string | undefined) =>
      tryUpdate(connectionId, { remove: connected }, [
        grantId === undefined
          ? { expression: 'attribute_not_exists(#grant)' }
          : { expression: '#grant.#id = :grant', values: { grant: grantId } },
      ]),
  };
}

/** What was to be written counts as well: the SDK has repeated a write whose answer was lost. */
const either = (one: Condition, other: Condition): Condition => ({
  expression: `${one.expression} OR ${other.expression}`,
  values: { ...one.values, ...other.values },
});

const pendingAre = (hashes: readonly string[] | undefined, name: string): Condition =>
  hashes?.length
    ? { expression: `pending_token_hashes = :${name}`, values: { [name]: hashes } }
    : { expression: 'attribute_not_exists(pending_token_hashes)' };
