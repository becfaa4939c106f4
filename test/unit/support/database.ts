import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type TableName, tableRow, tables as tableRows } from '../../../lib/tables.ts';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';
import { attributesOf, checkPlaceholders, holds, type Item, type Placeholders, updated } from './expression.ts';

/** The initial items of the tables. */
export type Contents = Partial<Record<TableName, readonly object[]>>;
export type Send = (command: never) => Promise<unknown>;

type Keys = { partitionKey: string; sortKey?: string };
type QueryInput = Placeholders & {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression: string;
  FilterExpression?: string;
  ScanIndexForward?: boolean;
  Limit?: number;
  ConsistentRead?: boolean;
  ExclusiveStartKey?: Item;
};

/** So small that a reader that takes only the first page fails. */
const PAGE_ITEMS = 3;
const MOST_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem
const MOST_WRITES_OF_A_TRANSACTION = 100; // DynamoDB, TransactWriteItems

const namesOf = ({ partitionKey, sortKey }: Keys): string[] => (sortKey ? [partitionKey, sortKey] : [partitionKey]);

/** Counts the items of an answer to a read. */
const itemsOf = (answer: { Item?: Item; Items?: Item[]; Responses?: Record<string, Item[]> }): number =>
  (answer.Item ? 1 : 0) + (answer.Items?.length ?? 0) + Object.values(answer.Responses ?? {}).flat().length;

/** Stores an item as the document client does. */
const stored = (item: object): Item => unmarshall(marshall(item, { removeUndefinedValues: true }));

/** Copies an item. The sets that structuredClone makes are no instances of jest's Set. */
function clone<Value>(value: Value): Value {
  if (value instanceof Set) return new Set(value) as Value;
  if (Array.isArray(value)) return value.map(clone) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, clone(member)])) as Value;
}

/** The tables of the service in memory, with their keys and indexes. The real stores use it. */
export function database(contents: Contents = {}) {
  const tables = new Map<string, Map<string, Item>>(Object.keys(tableRows).map((name) => [name, new Map()]));
  const table = (name: string): Map<string, Item> => {
    const found = tables.get(name);
    if (!found) throw new Error(`there is no table ${name}`);
    return found;
  };
  const idOf = (name: string, key: object): string => {
    const parts = namesOf(tableRow(name as TableName)).map((attribute) => (key as Item)[attribute]);
    if (!parts.every((part) => typeof part === 'string' && part !== '')) throw new Error(`no key of ${name}`);
    return parts.join(' | ');
  };
  const put = (name: TableName, item: object) => table(name).set(idOf(name, item), stored(item));
  for (const [name, items] of Object.entries(contents)) for (const item of items) put(name as TableName, item);

  const requests: string[] = [];
  /** Run before and after a request; an error that they throw is the answer. */
  const hooks: Partial<Record<'before' | 'after', (operation: string, input: Item) => void>> = {};
  const snapshot = () => new Map([...tables].map(([name, items]) => [name, [...items.values()].map(clone)]));
  /** The items of the indexes where they lag behind the tables. */
  let indexed: ReturnType<typeof snapshot> | undefined;

  /** Evaluates a write, with the item before it and, if its condition holds, after it. */
  const evaluate = ({ Put, Update, Delete, ...rest }: Write) => {
    if (Object.keys(rest).length > 0) throw new Error('the database knows puts, updates and deletes');
    const write = { ...Put, ...Update, ...Delete } as Placeholders & {
      TableName: string;
      ConditionExpression?: string;
      ReturnValuesOnConditionCheckFailure?: string;
    };
    const items = table(write.TableName);
    const key = (Put?.Item ?? Update?.Key ?? Delete?.Key) as Item;
    const id = idOf(write.TableName, key);
    const before = items.get(id);
    checkPlaceholders([write.ConditionExpression, Update?.UpdateExpression], write);
    const isAllowed = holds(write.ConditionExpression, before ?? {}, write);
    const { next, touched } =
      Update && isAllowed
        ? updated(Update.UpdateExpression ?? '', before ?? key, {
            ...write,
            ...(write.ExpressionAttributeValues && {
              ExpressionAttributeValues: stored(write.ExpressionAttributeValues),
            }),
          })
        : { next: Put && stored(key), touched: new Set<string>() };
    if (Update) for (const name of Object.keys(key)) if (touched.has(name)) throw new Error(`${name} is in the key`);
    const commit = () => (next ? items.set(id, next) : items.delete(id));
    return { write, place: `${write.TableName} ${id}`, isAllowed, before, next, touched, commit };
  };

  const transact = (writes: Write[]): object => {
    const all = writes.map(evaluate);
    const places = all.map(({ place }) => place);
    if (new Set(places).size < places.length) throw new Error(`a transaction writes an item twice: ${places}`);
    if (places.length > MOST_WRITES_OF_A_TRANSACTION) throw new Error('too many writes');
    if (all.some(({ isAllowed }) => !isAllowed)) {
      const CancellationReasons = all.map(({ write, isAllowed, before }) => {
        if (isAllowed) return { Code: 'None' };
        const isReturned = write.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
        return { Code: 'ConditionalCheckFailed', ...(isReturned && before && { Item: marshall(before) }) };
      });
      throw new TransactionCanceledException({ $metadata: {}, message: 'canceled', CancellationReasons });
    }
    for (const { commit } of all) commit();
    return {};
  };

  const writeOne = (write: Write, returns = 'NONE'): object => {
    const { isAllowed, before = {}, next, touched, commit } = evaluate(write);
    if (!isAllowed) throw new ConditionalCheckFailedException({ $metadata: {}, message: 'refused' });
    commit();
    switch (returns) {
      case 'NONE':
        return {};
      case 'ALL_NEW':
        return { Attributes: clone(next) };
      case 'UPDATED_OLD':
        return { Attributes: Object.fromEntries(Object.entries(before).filter(([name]) => touched.has(name))) };
      default:
        throw new Error(`the database does not return ${returns}`);
    }
  };

  /** @returns the keys of a query's table or index, and its visible items. */
  const sourceOf = ({ TableName, IndexName, ConsistentRead }: QueryInput) => {
    const row = tableRow(TableName as TableName);
    if (!IndexName) return { keys: row as Keys, shown: [...table(TableName).values()] };
    const index = row.indexes?.find(({ name }) => name === IndexName);
    if (!index) throw new Error(`${TableName} has no index ${IndexName}`);
    if (ConsistentRead) throw new Error('an index has no consistent reads');
    const members = indexed?.get(TableName) ?? [...table(TableName).values()];
    const shows = new Set([...namesOf(row), ...namesOf(index), ...(index.attributes ?? [])]);
    const shown = members
      .filter((item) => namesOf(index).every((name) => item[name] !== undefined))
      .map((item) =>
        index.attributes ? Object.fromEntries(Object.entries(item).filter(([name]) => shows.has(name))) : item,
      );
    return { keys: index as Keys, shown };
  };

  const query = (input: QueryInput): object => {
    const { KeyConditionExpression: condition, FilterExpression: filter, Limit = PAGE_ITEMS } = input;
    checkPlaceholders([condition, filter], input);
    const { keys, shown } = sourceOf(input);
    const [partition, ...others] = attributesOf(condition, input);
    if (partition !== keys.partitionKey || !/^#?\w+ = /.test(condition) || others.some((name) => name !== keys.sortKey))
      throw new Error(`no key condition of ${input.TableName} ${input.IndexName ?? ''}: ${condition}`);
    if (filter && attributesOf(filter, input).some((name) => namesOf(keys).includes(name)))
      throw new Error(`a filter on a key: ${filter}`);
    const sorted = shown
      .filter((item) => holds(condition, item, input))
      .sort((one, other) => (keys.sortKey && String(one[keys.sortKey]) < String(other[keys.sortKey]) ? -1 : 1));
    if (input.ScanIndexForward === false) sorted.reverse();
    const idOfItem = (item: Item) => idOf(input.TableName, item);
    const last = input.ExclusiveStartKey && idOfItem(input.ExclusiveStartKey);
    const start = last === undefined ? 0 : sorted.findIndex((item) => idOfItem(item) === last) + 1;
    const page = sorted.slice(start, start + Math.min(Limit, PAGE_ITEMS));
    return {
      Items: clone(page.filter((item) => holds(filter, item, input))),
      ...(start + page.length < sorted.length && { LastEvaluatedKey: page.at(-1) }),
    };
  };

  const batchGet = (wanted: Record<string, { Keys: Item[] }>): object => {
    const ids = Object.entries(wanted).flatMap(([name, { Keys }]) => Keys.map((key) => `${name} ${idOf(name, key)}`));
    if (ids.length === 0 || ids.length > MOST_KEYS_OF_A_BATCH || new Set(ids).size < ids.length)
      throw new Error(`no batch of keys: ${ids}`);
    const read = (name: string, key: Item) => clone(table(name).get(idOf(name, key))) ?? [];
    return {
      Responses: Object.fromEntries(
        Object.entries(wanted).map(([name, { Keys }]) => [name, Keys.flatMap((key) => read(name, key))]),
      ),
    };
  };

  // biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands differ
  const answer = (operation: string, input: any): object => {
    switch (operation) {
      case 'Get':
        return { Item: clone(table(input.TableName).get(idOf(input.TableName, input.Key))) };
      case 'BatchGet':
        return batchGet(input.RequestItems);
      case 'Query':
        return query(input);
      case 'Put':
      case 'Update':
      case 'Delete':
        return writeOne({ [operation]: input }, input.ReturnValues);
      case 'TransactWrite':
        return transact(input.TransactItems);
      default:
        throw new Error(`the database does not know ${operation}`);
    }
  };

  let onRead: ((items: number) => void) | undefined;

  const send = async (command: { input: Item }): Promise<object> => {
    const operation = command.constructor.name.replace(/Command$/, '');
    requests.push(`${operation} ${command.input.TableName ?? ''}`.trim());
    await Promise.resolve();
    hooks.before?.(operation, command.input);
    const result = answer(operation, command.input);
    onRead?.(itemsOf(result));
    hooks.after?.(operation, command.input);
    return result;
  };

  return {
    /** @returns a function that returns how many items were read since. */
    countReads: () => {
      let items = 0;
      onRead = (count) => {
        items += count;
      };
      return () => items;
    },
    send: send as unknown as Send,
    put,
    remove: (name: TableName, key: object) => table(name).delete(idOf(name, key)),
    all: (name: TableName): Item[] => [...table(name).values()],
    requests,
    hooks,
    snapshot,
    /** Freezes the indexes at the current items: an index may lag behind its table. */
    freezeIndexes: () => {
      indexed = snapshot();
    },
  };
}

/** Makes the document client of the stores. @param send answers its commands. */
export const clientOf = (send: Send): DynamoDBDocumentClient =>
  Object.assign(Object.create(DynamoDBDocumentClient.prototype), { send });
