import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { openConditions } from '../../domain/after-call/callbacks/asked-callback.ts';
import { type Callback, type CallbackAttempt, callbackSchema } from '../../domain/after-call/callbacks/callback.ts';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, type ItemChange, isStill } from '../dynamodb/update.ts';

export type CallbackStore = ReturnType<typeof callbackStore>;

/** The lease to make or plan an attempt. `id` differs per worker, so that a repeated write recognizes its own lease. */
export type CallbackLease = NonNullable<Callback['lease']>;

const shownSchema = shownSchemaOf(callbackSchema);

const parse = (item: Item): Callback => callbackSchema.parse(item);

/** Accesses the Callbacks table: the notifications of a call and their attempts, stored for 30 days at most. */
export function callbackStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = ({ call_id, webhook_id }: Callback, change: ItemChange, conditions: Condition[]) =>
    writes.tryUpdate({ call_id, webhook_id }, change, [open, ...conditions]);
  const ofCall = (callId: string, webhookId?: string) =>
    query(db, {
      TableName: table,
      KeyConditionExpression: webhookId === undefined ? 'call_id = :call' : 'call_id = :call AND webhook_id = :webhook',
      ExpressionAttributeValues: { ':call': callId, ...(webhookId !== undefined && { ':webhook': webhookId }) },
      ConsistentRead: true,
    });
  return {
    /** Stores a new notification. @returns false if it exists, so that a repeated event adds no second notification. */
    create: (callback: Callback): Promise<boolean> =>
      writes.tryPut(callback, [{ expression: 'attribute_not_exists(webhook_id)' }]),

    /** Lists all notifications of a call: a dozen at most. */
    listOfCall: (callId: string): Promise<Callback[]> => readAll(ofCall(callId), parse),

    /** Lists the notifications of a call, only to show them. */
    listToShow: (callId: string): Promise<Shown<Callback>[]> =>
      readAll(ofCall(callId), (item) => shownSchema.parse(item)),

    /**
     * Begins an attempt, which counts from now on.
     * @param callback as read. @returns false if another worker has begun one since, or postponed it.
     */
    beginAttempt: (callback: Callback, at: string, lease: CallbackLease): Promise<boolean> =>
      tryUpdate(
        callback,
        {
          set: { attempts: [...callback.attempts, { at, ...(callback.asked && { asked: true }) }], lease },
          remove: ['put_off_since'],
        },
        [isFree(callback, at, lease)],
      ),

    /**
     * Stores the result of an attempt. If another attempt follows, the notification keeps its lease until
     * `notePlanned`. Otherwise the write removes the lease that it requires, so that a repeat of it by the SDK is
     * refused; the stored attempt then shows whether the write took place.
     * @param callback as read before the attempt.
     * @returns false if the lease has passed to another worker, or the notification was dropped.
     */
    async recordAttempt(
      callback: Callback,
      attempt: CallbackAttempt,
      { state, next_attempt_at }: Pick<Callback, 'state' | 'next_attempt_at'>,
      { id }: CallbackLease,
    ): Promise<boolean> {
      const isWritten = await tryUpdate(
        callback,
        {
          set: { state, next_attempt_at, attempts: [...callback.attempts, attempt] },
          remove: [
            ...(callback.asked ? ['asked'] : []),
            ...(next_attempt_at === undefined ? ['next_attempt_at', 'message_at', 'lease'] : []),
          ],
        },
        [{ expression: '#lease.#id = :lease', values: { lease: id } }],
      );
      if (isWritten) return true;
      // Reads only this notification, because another one of the call may be unreadable.
      const [stored] = await readAll(ofCall(callback.call_id, callback.webhook_id), parse);
      return hasResult(stored?.attempts[callback.attempts.length]);
    },

    /**
     * Postpones the next attempt, because the receiver accepts none now.
     * @param callback as read. @returns false if another worker has begun the attempt or postponed it since.
     */
    postpone: (callback: Callback, next_attempt_at: string, now: string, lease: CallbackLease): Promise<boolean> =>
      tryUpdate(callback, { set: { next_attempt_at, put_off_since: callback.put_off_since ?? now, lease } }, [
        isFree(callback, now, lease),
      ]),

    /**
     * Records that the message of the next attempt is sent, and ends the lease under which it was planned.
     * @param at when the attempt is due. @param messageAt when the message arrives.
     * @returns false if the notification has changed since.
     */
    notePlanned: (callback: Callback, at: string, messageAt: string, lease?: CallbackLease): Promise<boolean> =>
      tryUpdate(callback, { set: { message_at: messageAt }, ...(lease && { remove: ['lease'] }) }, [
        { expression: 'next_attempt_at = :at', values: { at } },
        ...(lease ? [{ expression: '#lease.#id = :lease', values: { lease: lease.id } }] : []),
      ]),

    /**
     * Records that the message of the next attempt is sent again, by recover-calls or at a person's request. A repeat
     * of this write by the SDK succeeds.
     * @param callback as read. @returns false if another message was sent since, or an attempt began.
     */
    noteResent: (callback: Callback, now: string): Promise<boolean> => {
      const unsent = isStill('message_at', callback.message_at);
      return tryUpdate(callback, { set: { message_at: now } }, [
        { expression: `message_at = :now OR ${unsent.expression}`, values: { now, ...unsent.values } },
        isStill('next_attempt_at', callback.next_attempt_at),
      ]);
    },

    /**
     * Records a requested attempt, which is due at once and whose message follows. Refused if an attempt is in
     * progress, or was made or requested since the notification was read.
     */
    asking: (callback: Callback, now: string): Write => {
      const { call_id, webhook_id, state, next_attempt_at } = callback;
      const asked = { at: now, ...(state === 'pending' && { next: next_attempt_at ?? now }) };
      return writes.update(
        { call_id, webhook_id },
        { set: { asked, next_attempt_at: now, message_at: now }, remove: ['put_off_since'] },
        [unasked(callback), { expression: unleased, values: { now } }],
      );
    },

    /**
     * Ends a requested attempt without a result.
     * @param callback as read. @returns false if it has ended, or an attempt is in progress.
     */
    endAsked: (
      callback: Callback,
      { state, next_attempt_at }: Pick<Callback, 'state' | 'next_attempt_at'>,
      now: string,
    ): Promise<boolean> =>
      tryUpdate(
        callback,
        {
          set: { state, next_attempt_at },
          remove: [
            'asked',
            'put_off_since',
            'lease',
            'message_at',
            ...(next_attempt_at === undefined ? ['next_attempt_at'] : []),
          ],
        },
        [
          { expression: 'asked.#at = :asked', values: { asked: callback.asked?.at } },
          { expression: unleased, values: { now } },
        ],
      ),

    /** Changes when a notification expires. @param expires_at epoch seconds. @returns false if it has expired. */
    keepUntil: ({ call_id, webhook_id }: Callback, expires_at: number): Promise<boolean> =>
      writes.tryUpdate({ call_id, webhook_id }, { set: { expires_at } }, [
        { expression: 'attribute_exists(webhook_id)' },
      ]),

    /** Removes the content of a notification of an erased call. @returns false if there is no such notification */
    blank: ({ call_id, webhook_id }: Pick<Callback, 'call_id' | 'webhook_id'>): Promise<boolean> =>
      writes.tryUpdate(
        { call_id, webhook_id },
        {
          set: { state: 'superseded', url: '', body: '' },
          remove: ['next_attempt_at', 'message_at', 'lease', 'asked'],
        },
        [{ expression: 'attribute_exists(webhook_id)' }],
      ),

    /** The write that removes a notification for good. */
    removing: ({ call_id, webhook_id }: Pick<Callback, 'call_id' | 'webhook_id'>): Write =>
      writes.delete({ call_id, webhook_id }, []),

    /**
     * Drops a pending notification: a later one was delivered, or the client is no longer notified.
     * @param callback as read. @returns false if an attempt is in progress, or was made or requested since
     */
    drop: (callback: Callback, state: 'superseded' | 'failed', now: string): Promise<boolean> =>
      tryUpdate(callback, { set: { state }, remove: ['next_attempt_at', 'message_at', 'lease'] }, [
        unasked(callback),
        { expression: unleased, values: { now } },
      ]),
  };
}

/** Returns whether an attempt has a result, which only the worker that began the attempt stores. */
const hasResult = (attempt: CallbackAttempt | undefined): boolean =>
  attempt?.status_code !== undefined || attempt?.error !== undefined;

/** The stored notification has an attempt left. */
const open: Condition = {
  expression: openConditions
    .map(({ attribute, value }) => (value ? `#${attribute} = :${value}` : `attribute_exists(${attribute})`))
    .join(' OR '),
  values: Object.fromEntries(openConditions.flatMap(({ value }) => (value ? [[value, value]] : []))),
};

const unleased = 'attribute_not_exists(#lease) OR #lease.#until <= :now';

/** No attempt was made since the notification was read, and none is requested. */
const unasked = ({ attempts }: Callback): Condition => ({
  expression: 'attribute_not_exists(asked) AND size(attempts) = :count',
  values: { count: attempts.length },
});

/** The notification has not changed since it was read, except by this very write, whose answer may have been lost. */
const isFree = ({ attempts, next_attempt_at }: Callback, now: string, { id }: CallbackLease): Condition => {
  const isDue = isStill('next_attempt_at', next_attempt_at);
  return {
    expression: `#lease.#id = :lease OR (size(attempts) = :count AND ${isDue.expression} AND (${unleased}))`,
    values: { lease: id, count: attempts.length, now, ...isDue.values },
  };
};
