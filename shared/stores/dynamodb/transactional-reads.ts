import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { TransactionContention } from '../../domain/contention.ts';
import type { Item } from './transaction.ts';

const MAX_TRIES = 4;
const FIRST_WAIT_MS = 25;

/**
 * Reads items of a table at one instant: unlike with a batch, a transaction that moves an item between keys is seen as
 * a whole or not at all. One round trip, unless it meets such a transaction.
 * @param keys distinct, at most 100.
 * @returns the items in the order of their keys.
 * @throws TransactionContention if each of four tries meets a transaction.
 */
export async function readInTransaction(
  db: Pick<DynamoDBDocumentClient, 'send'>,
  table: string,
  keys: readonly Item[],
): Promise<(Item | undefined)[]> {
  const TransactItems = keys.map((Key) => ({ Get: { TableName: table, Key } }));
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { Responses = [] } = await db.send(new TransactGetCommand({ TransactItems }));
      return keys.map((_, position) => Responses[position]?.Item);
    } catch (error) {
      const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
      if (!reasons.some(({ Code }) => Code === 'TransactionConflict')) throw error;
      if (attempt === MAX_TRIES) throw new TransactionContention(`${attempt} reads met conflicting transactions`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}
