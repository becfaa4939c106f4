import { type DynamoDBDocumentClient, paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

/** Every item of a query, page after page, as the caller takes them. */
export async function* query(db: DynamoDBDocumentClient, input: QueryCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateQuery({ client: db }, input)) yield* Items;
}

/** @returns the first items of a query, each as `parse` reads it. */
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
