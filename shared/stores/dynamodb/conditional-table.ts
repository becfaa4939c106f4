import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item, Write } from './transaction.ts';
import { type Condition, conditionExpression, type ItemChange, updateExpression } from './update.ts';

/** Attribute values of the primary key. */
export type Key = Readonly<Record<string, string>>;

/** The data that a transaction reveals about a refused write: the stored item, or none. */
export type IfRefused = 'ALL_OLD' | 'NONE';

/**
 * Builds conditional writes to one table: as parts of a transaction (`put`, `update`, `delete`, `check`), or alone
 * (`tryPut`, `tryUpdate`), where a refusal is a result and not an error.
 */
export function conditionalTable(db: DynamoDBDocumentClient, table: string) {
  const putting = (item: object, conditions: readonly Condition[]) => ({
    TableName: table,
    Item: item as Item,
    ...conditionExpression(conditions),
  });

  const updating = (key: Key, change: ItemChange, conditions: readonly Condition[]) => ({
    TableName: table,
    Key: key,
    ...updateExpression(change, conditions),
  });

  return {
    put: (item: object, conditions: readonly Condition[], ifRefused: IfRefused = 'NONE'): Write => ({
      Put: { ...putting(item, conditions), ReturnValuesOnConditionCheckFailure: ifRefused },
    }),

    update: (
      key: Key,
      change: ItemChange,
      conditions: readonly Condition[] = [],
      ifRefused: IfRefused = 'NONE',
    ): Write => ({
      Update: { ...updating(key, change, conditions), ReturnValuesOnConditionCheckFailure: ifRefused },
    }),

    delete: (key: Key, conditions: readonly Condition[]): Write => ({
      Delete: { TableName: table, Key: key, ...conditionExpression(conditions) },
    }),

    /** Writes nothing: the transaction is refused unless the conditions hold. */
    check: (key: Key, conditions: readonly Condition[]): Write => {
      const { ConditionExpression = '', ...placeholders } = conditionExpression(conditions);
      return { ConditionCheck: { TableName: table, Key: key, ConditionExpression, ...placeholders } };
    },

    /** @returns false if a condition does not hold. */
    tryPut: (item: object, conditions: readonly Condition[]): Promise<boolean> =>
      tookPlace(db.send(new PutCommand(putting(item, conditions)))),

    /** @returns false if a condition does not hold. */
    tryUpdate: (key: Key, change: ItemChange, conditions: readonly Condition[]): Promise<boolean> =>
      tookPlace(db.send(new UpdateCommand(updating(key, change, conditions)))),

    /** @returns the stored item if a condition does not hold. */
    async tryUpdateTelling(
      key: Key,
      change: ItemChange,
      conditions: readonly Condition[],
    ): Promise<{ isWritten: true } | { isWritten: false; item: Item }> {
      const update = { ...updating(key, change, conditions), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
      try {
        await db.send(new UpdateCommand(update));
        return { isWritten: true };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // The document client leaves the items of errors as they arrive.
        return { isWritten: false, item: error.Item ? unmarshall(error.Item) : {} };
      }
    },

    /** @returns the attributes that `returned` names; undefined if a condition does not hold. */
    async tryUpdateReturning(
      returned: 'ALL_NEW' | 'UPDATED_OLD',
      key: Key,
      change: ItemChange,
      conditions: readonly Condition[],
    ): Promise<Item | undefined> {
      let attributes: Item = {};
      const update = async () => {
        const command = new UpdateCommand({ ...updating(key, change, conditions), ReturnValues: returned });
        attributes = (await db.send(command)).Attributes ?? {};
      };
      return (await tookPlace(update())) ? attributes : undefined;
    },
  };
}

/** @returns false if the write's condition did not hold. @throws every other error. */
async function tookPlace(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
