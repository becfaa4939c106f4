import { type DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

/** Yields every item of a query, and reads the next page only when the caller needs it. */
export async function* query(db: DynamoDBDocumentClient, input: QueryCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateQuery({ client: db }, input)) yield* Items;
}

/** Reads the first `most` items of a query. */
export async function readAll<T>(
  items: AsyncIterable<Item>,
  parse: (item: Item) => T,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) {
    read.push(parse(item));
    if (read.length >= most) break;
  }
  return read;
}
