import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type CallbackHosts, callbackHostsSchema } from '../../domain/after-call/callbacks/callback-hosts.ts';
import { type Receiver, receiverSchema } from '../../domain/after-call/receiver.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { readItem } from '../dynamodb/reads.ts';

export type ReceiverStore<Item> = {
  get(receiver: string): Promise<Item | undefined>;
  /** Replaces an item. @returns false if it has changed since it was read as `before`. */
  replace(before: Item | undefined, after: Item): Promise<boolean>;
};

/**
 * Accesses the connections in the Receivers table: their attempts under way and their breakers. Items expire after an
 * idle day.
 */
export const connectionReceivers = (db: DynamoDBDocumentClient, table: string): ReceiverStore<Receiver> =>
  receiverStore(db, table, (item) => receiverSchema.parse(item));

/** Accesses each organization's callback hosts in the Receivers table. Otherwise like `connectionReceivers`. */
export const callbackReceivers = (db: DynamoDBDocumentClient, table: string): ReceiverStore<CallbackHosts> =>
  receiverStore(db, table, (item) => callbackHostsSchema.parse(item));

function receiverStore<Item extends { version: number }>(
  db: DynamoDBDocumentClient,
  table: string,
  parse: (item: unknown) => Item,
): ReceiverStore<Item> {
  const writes = conditionalTable(db, table);
  return {
    async get(receiver) {
      const item = await readItem(db, table, { receiver });
      return item && parse(item);
    },

    replace: (before, after) =>
      writes.tryPut(after, [
        before
          ? { expression: '#version = :before', values: { before: before.version } }
          : { expression: 'attribute_not_exists(receiver)' },
      ]),
  };
}
