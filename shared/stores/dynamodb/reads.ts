import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  paginateScan,
  QueryCommand,
  type QueryCommandInput,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

/** `mayBeOld`: reads at half the price, but perhaps as the item was a second ago. */
export type ReadOptions = { mayBeOld?: boolean };

/** Reads the item with a key; consistently, unless it may be old. */
export const readItem = async (
  db: DynamoDBDocumentClient,
  table: string,
  Key: Readonly<Record<string, string>>,
  { mayBeOld = false }: ReadOptions = {},
): Promise<Item | undefined> =>
  (await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: !mayBeOld }))).Item;

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

/** Queries all items of an organization in a table whose partition key is the organization's id. Reads consistently. */
export const ofOrg = (db: DynamoDBDocumentClient, table: string, orgId: string): AsyncGenerator<Item> =>
  query(db, {
    TableName: table,
    KeyConditionExpression: 'org_id = :org',
    ExpressionAttributeValues: { ':org': orgId },
    ConsistentRead: true,
  });

/** Items of a list, and the key after which the rest follows, of type `Position`; absent at the end. */
export type Page<T, Position = Item> = { items: T[]; last?: Position };

/**
 * Reads one page of a query: at most 1 MB, and no more than `input.Limit` items before filters.
 * @param input `ExclusiveStartKey` is the `last` of the previous page.
 */
export async function readPage<T, Position = Item>(
  db: DynamoDBDocumentClient,
  input: QueryCommandInput,
  parse: (item: Item) => T,
): Promise<Page<T, Position>> {
  const { Items = [], LastEvaluatedKey } = await db.send(new QueryCommand(input));
  return { items: Items.map(parse), ...(LastEvaluatedKey && { last: LastEvaluatedKey as Position }) };
}

/**
 * Yields every item of a table, and reads the next page only when the caller needs it: for operators, because no
 * function may scan a table.
 * @param input `Limit`: items that one request reads.
 */
export async function* scan(db: DynamoDBDocumentClient, input: ScanCommandInput): AsyncGenerator<Item> {
  for await (const { Items = [] } of paginateScan({ client: db }, input)) yield* Items;
}
