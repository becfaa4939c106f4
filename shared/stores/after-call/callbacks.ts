import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Callback, type CallbackAttempt, callbackSchema } from '../../domain/after-call/callback.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Condition } from '../dynamodb/update.ts';

export type CallbackStore = ReturnType<typeof callbackStore>;

/** The Callbacks table: the notifications of a call and their attempts, kept 30 days. */
export function callbackStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Keeps a new notification. @returns false where it is kept already: a repeated event is no second notification. */
    create: (callback: Callback): Promise<boolean> =>
      writes.tryPut(callback, [{ expression: 'attribute_not_exists(webhook_id)' }]),

    /** All notifications of a call: a dozen at most. */
    listOfCall: (callId: string): Promise<Callback[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'call_id = :call',
          ExpressionAttributeValues: { ':call': callId },
          ConsistentRead: true,
        }),
        (item) => callbackSchema.parse(item),
      ),

    /**
     * Adds what an attempt brought. @param callback as it was read: refused where another attempt was added since.
     * @returns whether it was written.
     */
    recordAttempt: (
      callback: Callback,
      attempt: CallbackAttempt,
      { state, next_attempt_at }: Pick<Callback, 'state' | 'next_attempt_at'>,
    ): Promise<boolean> =>
      writes.tryUpdate(
        keyOf(callback),
        {
          set: { state, next_attempt_at },
          append: { attempts: [attempt] },
          ...(next_attempt_at === undefined && { remove: ['next_attempt_at'] }),
        },
        [pending, { expression: 'size(attempts) = :count', values: { count: callback.attempts.length } }],
      ),

    /** Drops a pending notification: a later one was delivered, or the receiver wants no more. */
    async drop(callback: Callback, state: 'superseded' | 'failed'): Promise<void> {
      await writes.tryUpdate(keyOf(callback), { set: { state }, remove: ['next_attempt_at'] }, [pending]);
    },
  };
}

const keyOf = ({ call_id, webhook_id }: Callback) => ({ call_id, webhook_id });

const pending: Condition = { expression: '#state = :pending', values: { pending: 'pending' } };
