import { type DynamoDBDocumentClient, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

/**
 * Yields every item of a table, and reads the next page only when the caller needs it: for operators, because no
 * function may scan a table.
 * @param input `Limit`: items that one request reads.
 */
export async function* scan(db: DynamoDBDocumentClient, input: ScanCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client: db }, input)) yield* Items;
}
