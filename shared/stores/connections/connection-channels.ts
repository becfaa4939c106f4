import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../domain/connections/connection.ts';
import type { MissedSweep } from '../../domain/connections/missed-sweep.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';
import type { Condition, ItemChange } from '../dynamodb/update.ts';

export type ConnectionChannelStore = ReturnType<typeof connectionChannelStore>;

const MAX_TRIES = 4;

export type Channel = NonNullable<Connection['channel']>;
export type ChannelCheck = NonNullable<Connection['channel_check']>;

/** A connection with the id of the grant under which it was read. */
export type Granted = { connectionId: string; grantId: string };

/** The attributes that exist because the connection is connected. */
const attributesOfConsent = [
  'grant',
  'access',
  'refresh_lease',
  'refreshes',
  'reconnect_needed',
  'pending_consent',
  'token_hash',
  'pending_token_hashes',
  'former_token',
  'channel',
  'channel_check',
  'silent_since',
  'catch_up_from',
  'catch_up_to',
  'crm_breaker',
  'missed_sweep',
] as const satisfies (keyof Connection)[];

/**
 * Accesses the watch channels and their tokens in the Connections table. Every write except those about a visit, a
 * missed sweep or the start of a gap is conditional on the grant, so that work under a former grant writes nothing.
 */
export function connectionChannelStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = (connectionId: string, change: ItemChange, conditions: Condition[]) =>
    writes.tryUpdate({ connection_id: connectionId }, change, [exists, ...conditions]);
  const update = ({ connectionId, grantId }: Granted, change: ItemChange, conditions: Condition[] = []) =>
    tryUpdate(connectionId, change, [under(grantId), ...conditions]);

  return {
    /**
     * Replaces the hashes of unfinished armings.
     * @returns false if they, or the grant, have changed since they were read as `before`
     */
    setPending: (granted: Granted, before: readonly string[] | undefined, pending: readonly string[]) =>
      update(
        granted,
        pending.length > 0 ? { set: { pending_token_hashes: pending } } : { remove: ['pending_token_hashes'] },
        [either(pendingAre(before, 'before'), pendingAre(pending, 'after'))],
      ),

    /**
     * Makes an armed channel and its pending token the connection's own and discards all other pending tokens.
     * @param former the former token and its remaining validity; undefined if it ends now
     * @returns false if another arming or a new consent was faster
     */
    promote: (granted: Granted, ...armed: Armed) => writes.tryUpdate(...promotion(granted, ...armed)),

    /** Builds the write of `promote` as part of a transaction. */
    promoting: (granted: Granted, ...armed: Armed): Write => writes.update(...promotion(granted, ...armed)),

    /** Stores a new expiry. @returns false if the connection has another channel */
    noteExpiry: (granted: Granted, channel: Channel, expires_at: string) =>
      update(granted, { set: { channel: { ...channel, expires_at } } }, [
        { expression: '#channel.#id = :channel', values: { channel: channel.id } },
      ]),

    /** Records the start of a visit by check-watch-channels, under any grant. */
    noteVisit: (connectionId: string, at: string) => tryUpdate(connectionId, { set: { channel_visited_at: at } }, []),

    noteCheck: (granted: Granted, channel_check: ChannelCheck) => update(granted, { set: { channel_check } }),

    /** Records the start of a silence. An earlier start is kept. */
    noteSilence: (granted: Granted, since: string) =>
      update(granted, { set: { silent_since: since } }, [{ expression: 'attribute_not_exists(silent_since)' }]),

    /** Records the start of a gap under any grant, but not after a disconnect. An earlier start is kept. */
    openGap: (connectionId: string, from: string) =>
      tryUpdate(connectionId, { set: { catch_up_from: from } }, [
        hasGrant,
        { expression: 'attribute_not_exists(catch_up_from)' },
      ]),

    /**
     * Leaves a lead to the catch-up: records the start of its gap, unless an earlier one is stored, and the current
     * time, before which the gap is not closed.
     * @param options.isConnected whether the connection must have a grant. The webhook may not name grants
     * @throws if the connection was disconnected, or other writers keep changing the gap
     */
    async leaveToCatchUp(connectionId: string, from: string, now: string, { isConnected = false } = {}): Promise<void> {
      const values = { from };
      const isOutside = { expression: 'attribute_not_exists(catch_up_from) OR catch_up_from > :from', values };
      const isWithin = { expression: 'catch_up_from <= :from', values };
      const always = isConnected ? [hasGrant] : [];
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const gap = { catch_up_from: from, catch_up_to: now };
        if (await tryUpdate(connectionId, { set: gap }, [...always, isOutside])) return;
        if (await tryUpdate(connectionId, { set: { catch_up_to: now } }, [...always, isWithin])) return;
      }
      throw new Error('the connection was disconnected, or other workers kept changing the gap');
    },

    /** Records that a Sunday sweep got no answer, under any grant, in place of an earlier record. */
    noteMissedSweep: (connectionId: string, missed_sweep: MissedSweep) =>
      tryUpdate(connectionId, { set: { missed_sweep } }, []),

    /** Records how far a missed sweep has been queued. @returns false if it has ended, or another sweep was missed */
    noteQueuedSweep: (connectionId: string, missed_sweep: MissedSweep) =>
      tryUpdate(connectionId, { set: { missed_sweep } }, [missedAt(missed_sweep.at)]),

    /**
     * Records that a missed sweep is given up. @returns false if it was given up before or has ended, or another sweep
     * was missed
     */
    giveUpSweep: (connectionId: string, at: string, given_up_at: string) =>
      tryUpdate(connectionId, { set: { missed_sweep: { at, given_up_at } satisfies MissedSweep } }, [
        missedAt(at),
        { expression: 'attribute_not_exists(missed_sweep.given_up_at)' },
      ]),

    /** Removes the record of a missed sweep. @returns false if it has ended, or another sweep was missed */
    endMissedSweep: (connectionId: string, at: string) =>
      tryUpdate(connectionId, { remove: ['missed_sweep'] }, [missedAt(at)]),

    /** Moves the start of a gap from `from` to `next`. */
    narrowGap: (granted: Granted, from: string, next: string) =>
      update(granted, { set: { catch_up_from: next } }, [{ expression: 'catch_up_from = :from', values: { from } }]),

    /**
     * Closes a gap that began at `from`.
     * @param before the instant until which leads that were left to the catch-up have been caught up on
     * @returns false if the gap has changed, or a lead was left later
     */
    closeGap: (granted: Granted, from: string, before: string) =>
      update(granted, { remove: ['catch_up_from', 'catch_up_to'] }, [
        { expression: 'catch_up_from = :from', values: { from } },
        { expression: 'attribute_not_exists(catch_up_to) OR catch_up_to < :before', values: { before } },
      ]),

    /**
     * Removes the grant, a pending consent, and everything that derives from them. Refused if the connection has
     * another grant or another pending consent than when it was read, or does not exist.
     */
    disconnecting: ({ connection_id, grant, pending_consent }: Consented): Write =>
      writes.update({ connection_id }, { remove: attributesOfConsent }, [
        exists,
        grant ? under(grant.id) : { expression: 'attribute_not_exists(#grant)' },
        pending_consent
          ? { expression: 'pending_consent.#id = :pending', values: { pending: pending_consent.id } }
          : { expression: 'attribute_not_exists(pending_consent)' },
      ]),
  };
}

type Consented = Pick<Connection, 'connection_id' | 'grant' | 'pending_consent'>;
type Armed = [tokenHash: string, channel: Channel, former: Connection['former_token']];
type Update = [key: { connection_id: string }, change: ItemChange, conditions: Condition[]];

const exists: Condition = { expression: 'attribute_exists(connection_id)' };
const missedAt = (at: string): Condition => ({ expression: 'missed_sweep.#at = :missed', values: { missed: at } });
/** A disconnect ends all gaps. Leads that change before the next consent are not caught up on. */
const hasGrant: Condition = { expression: 'attribute_exists(#grant)' };
const under = (grant: string): Condition => ({ expression: '#grant.#id = :grant', values: { grant } });

const promotion = ({ connectionId, grantId }: Granted, ...[hash, channel, former]: Armed): Update => [
  { connection_id: connectionId },
  {
    set: {
      token_hash: hash,
      channel,
      channel_check: { at: channel.armed_at, status: 'active' } satisfies ChannelCheck,
      former_token: former,
    },
    remove: ['pending_token_hashes', ...(former ? [] : ['former_token'])],
  },
  [
    exists,
    under(grantId),
    { expression: 'contains(pending_token_hashes, :hash) OR token_hash = :hash', values: { hash } },
  ],
];

/** Combines two conditions. The second accepts a repeat of the same write by the SDK. */
const either = (one: Condition, other: Condition): Condition => ({
  expression: `${one.expression} OR ${other.expression}`,
  values: { ...one.values, ...other.values },
});

const pendingAre = (hashes: readonly string[] | undefined, name: string): Condition =>
  hashes?.length
    ? { expression: `pending_token_hashes = :${name}`, values: { [name]: hashes } }
    : { expression: 'attribute_not_exists(pending_token_hashes)' };
