import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Receiver, receiverSchema } from '../../domain/after-call/receiver.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';

export type ReceiverStore = ReturnType<typeof receiverStore>;

/** The Receivers table: each receiver's open attempts and its breaker. Items expire after an idle day. */
export function receiverStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    async get(receiver: string): Promise<Receiver | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: { receiver }, ConsistentRead: true }));
      return Item && receiverSchema.parse(Item);
    },

    /** Replaces a receiver. @returns false if it has changed since it was read as `before`. */
    replace: (before: Receiver | undefined, after: Receiver): Promise<boolean> =>
      writes.tryPut(after, [
        before
          ? { expression: '#version = :before', values: { before: before.version } }
          : { expression: 'attribute_not_exists(receiver)' },
      ]),
  };
}
