import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Callback, type CallbackAttempt, callbackSchema } from '../../domain/after-call/callback.ts';
import { tookPlace } from '../dynamodb/conditional-write.ts';
import { query, readAll } from '../dynamodb/reads.ts';

export type CallbackStore = ReturnType<typeof callbackStore>;

/** The Callbacks table: the notifications of a call and their attempts, stored for 30 days. */
export function callbackStore(db: DynamoDBDocumentClient, table: string) {
  return {
    /** Stores a new notification. @returns false if it exists: a repeated event makes no second notification. */
    async create(callback: Callback): Promise<boolean> {
      const creation = { TableName: table, Item: callback, ConditionExpression: 'attribute_not_exists(webhook_id)' };
      return tookPlace(db.send(new PutCommand(creation)));
    },

    /** Lists all notifications of a call: a dozen at most. */
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
     * Adds an attempt.
     * @param callback as read. @returns false if another attempt was added since.
     */
    async recordAttempt(
      callback: Callback,
      attempt: CallbackAttempt,
      next: Pick<Callback, 'state' | 'next_attempt_at'>,
    ): Promise<boolean> {
      return tookPlace(
        db.send(
          new UpdateCommand({
            TableName: table,
            Key: { call_id: callback.call_id, webhook_id: callback.webhook_id },
            UpdateExpression: next.next_attempt_at
              ? 'SET attempts = list_append(attempts, :attempt), #state = :state, next_attempt_at = :next'
              : 'SET attempts = list_append(attempts, :attempt), #state = :state REMOVE next_attempt_at',
            ConditionExpression: '#state = :pending AND size(attempts) = :count',
            ExpressionAttributeNames: { '#state': 'state' },
            ExpressionAttributeValues: {
              ':attempt': [attempt],
              ':state': next.state,
              ':pending': 'pending',
              ':count': callback.attempts.length,
              ...(next.next_attempt_at && { ':next': next.next_attempt_at }),
            },
          }),
        ),
      );
    },

    /** Drops a pending notification: a later one was delivered, or the receiver answered 410. */
    async drop(callback: Callback, state: 'superseded' | 'failed'): Promise<void> {
      await tookPlace(
        db.send(
          new UpdateCommand({
            TableName: table,
            Key: { call_id: callback.call_id, webhook_id: callback.webhook_id },
            UpdateExpression: 'SET #state = :state REMOVE next_attempt_at',
            ConditionExpression: '#state = :pending',
            ExpressionAttributeNames: { '#state': 'state' },
            ExpressionAttributeValues: { ':state': state, ':pending': 'pending' },
          }),
        ),
      );
    },
  };
}
