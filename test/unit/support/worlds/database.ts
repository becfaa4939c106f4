import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { type TableName, tableRow, tables as tableRows } from '../../../../lib/tables.ts';
import { marshallOptions } from '../../../../shared/runtime/dynamodb.ts';
import type { Write } from '../../../../shared/stores/dynamodb/transaction.ts';
import { attributesOf, checkExpressions, type Expressions, holds, type Item, updated } from './expression.ts';
import { type Keys, namesOf, TableIndex } from './table-index.ts';

/** The initial items of the tables. */
export type Contents = Partial<Record<TableName, readonly object[]>>;
export type Send = (command: never) => Promise<unknown>;

type QueryInput = Expressions & {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression: string;
  ScanIndexForward?: boolean;
  Limit?: number;
  ConsistentRead?: boolean;
  ExclusiveStartKey?: Item;
};

const nothing: ReadonlyMap<string, unknown> = new Map();

const PAGE_ITEMS = 3;
const MAX_BYTES_OF_A_KEY = 2048; // Limits of DynamoDB's partition keys; sort keys have half of it
const MAX_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem
const MAX_WRITES_OF_A_TRANSACTION = 100; // DynamoDB, TransactWriteItems

const operations = new Map<unknown, string>();

/** Names the operation of a command: `Get` of a `GetCommand`. */
function operationOf({ constructor: kind }: object): string {
  const operation = operations.get(kind) ?? kind.name.replace(/Command$/, '');
  operations.set(kind, operation);
  return operation;
}

/** Counts the items of an answer to a read. */
const itemsOf = (answer: { Item?: Item; Items?: Item[]; Responses?: Record<string, Item[]> }): number =>
  (answer.Item ? 1 : 0) + (answer.Items?.length ?? 0) + Object.values(answer.Responses ?? {}).flat().length;

/** Stores a value as the document client does, which omits undefined members. */
function stored<Value>(value: Value): Value {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Number.isSafeInteger(value)) return value;
  if (Array.isArray(value)) return value.filter((member) => member !== undefined).map(stored) as Value;
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return unmarshall(marshall({ value }, marshallOptions())).value;
  const members: Item = {};
  for (const name in value) if (value[name] !== undefined) members[name] = stored(value[name]);
  return members as Value;
}

/** Copies an item. The sets that structuredClone creates are not instances of jest's Set. */
function clone<Value>(value: Value): Value {
  if (value instanceof Set) return new Set(value) as Value;
  if (Array.isArray(value)) return value.map(clone) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members: Item = {};
  for (const name in value) members[name] = clone(value[name]);
  return members as Value;
}

/** The attributes of an item that an index contains. */
function projected(item: Item, shows: readonly string[]): Item {
  const shown: Item = {};
  for (const name of shows) if (item[name] !== undefined) shown[name] = item[name];
  return shown;
}

export type DatabaseOptions = {
  /** Items per page, so small by default that a reader that takes only the first page fails. */
  pageItems?: number;
  /** Runs the update of an index, now or later: an index may lag behind its table. */
  reindex?: (update: () => void) => void;
  /** Called with each write. `before` is undefined for a new item, `after` for a deleted one. */
  onChange?: (table: TableName, before: Item | undefined, after: Item | undefined) => void;
};

/** The tables of the service in memory, with their keys and indexes. The real stores use it. */
export function database(contents: Contents = {}, options: DatabaseOptions = {}) {
  const { pageItems = PAGE_ITEMS, reindex = (update) => update(), onChange } = options;
  const tables = new Map<string, Map<string, Item>>(Object.keys(tableRows).map((name) => [name, new Map()]));
  const table = (name: string): Map<string, Item> => {
    const found = tables.get(name);
    if (!found) throw new Error(`there is no table ${name}`);
    return found;
  };
  const idOf = (name: string, key: object): string => {
    const { partitionKey, sortKey } = tableRow(name as TableName);
    const part = (attribute: string): string => {
      const value = (key as Item)[attribute];
      if (typeof value !== 'string' || value === '') throw new Error(`no key of ${name}`);
      if (
        value.length > MAX_BYTES_OF_A_KEY / 2 &&
        Buffer.byteLength(value) > (attribute === sortKey ? MAX_BYTES_OF_A_KEY / 2 : MAX_BYTES_OF_A_KEY)
      )
        throw new Error(`a key of ${name} is too long`);
      return value;
    };
    return sortKey === undefined ? part(partitionKey) : `${part(partitionKey)} | ${part(sortKey)}`;
  };
  const indexes = new Map(
    (Object.keys(tableRows) as TableName[]).map((name) => {
      const row = tableRow(name);
      const secondary = (row.indexes ?? []).map((index) => ({
        name: index.name,
        items: new TableIndex(index),
        // The projected attributes, if it does not project all.
        shows: index.attributes && [...new Set([...namesOf(row), ...namesOf(index), ...index.attributes])],
      }));
      return [name as string, { primary: row.sortKey ? new TableIndex(row as Keys) : undefined, secondary }];
    }),
  );
  let isFrozen = false;
  const write = (name: string, id: string, next: Item | undefined): void => {
    const items = table(name);
    const before = items.get(id);
    if (next) items.set(id, next);
    else items.delete(id);
    const { primary, secondary } = indexes.get(name) ?? { secondary: [] };
    primary?.show(id, next);
    // Uses the item's state at the time when the index catches up.
    if (!isFrozen) for (const index of secondary) reindex(() => index.items.show(id, items.get(id)));
    onChange?.(name as TableName, before, next);
  };
  const put = (name: TableName, item: object) => write(name, idOf(name, item), stored(item as Item));
  for (const [name, items] of Object.entries(contents)) for (const item of items) put(name as TableName, item);

  const requests: string[] = [];
  /** Run before and after a request; an error that they throw is the answer. */
  const hooks: Partial<Record<'before' | 'after', (operation: string, input: Item) => unknown>> = {};
  const snapshot = () => new Map([...tables].map(([name, items]) => [name, [...items.values()].map(clone)]));

  /** Evaluates a write on the item, and returns the new item if its condition holds. */
  const evaluate = ({ Put, Update, Delete, ConditionCheck }: Write) => {
    const request = (Put ?? Update ?? Delete ?? ConditionCheck) as Expressions & {
      TableName: string;
      ReturnValuesOnConditionCheckFailure?: string;
    };
    const name = request.TableName;
    const key = (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key) as Item;
    const id = idOf(name, key);
    const before = table(name).get(id);
    checkExpressions(request);
    const isAllowed = holds(request.ConditionExpression, before ?? {}, request);
    const { next, touched } =
      Update && isAllowed
        ? updated(Update.UpdateExpression ?? '', before ?? key, {
            ExpressionAttributeNames: request.ExpressionAttributeNames,
            ExpressionAttributeValues: request.ExpressionAttributeValues && stored(request.ExpressionAttributeValues),
          })
        : { next: Put && stored(key), touched: nothing };
    if (Update) for (const part in key) if (touched.has(part)) throw new Error(`${part} is in the key`);
    const commit = () => ConditionCheck === undefined && write(name, id, next);
    return { request, place: `${name} ${id}`, isAllowed, before, next, touched, commit };
  };

  const transact = (writes: Write[]): object => {
    const all = writes.map(evaluate);
    const places = all.map(({ place }) => place);
    if (new Set(places).size < places.length) throw new Error(`a transaction writes an item twice: ${places}`);
    if (places.length > MAX_WRITES_OF_A_TRANSACTION) throw new Error('too many writes');
    if (all.some(({ isAllowed }) => !isAllowed)) {
      const CancellationReasons = all.map(({ request, isAllowed, before }) => {
        if (isAllowed) return { Code: 'None' };
        const isReturned = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
        return { Code: 'ConditionalCheckFailed', ...(isReturned && before && { Item: marshall(before) }) };
      });
      throw new TransactionCanceledException({ $metadata: {}, message: 'canceled', CancellationReasons });
    }
    for (const { commit } of all) commit();
    return {};
  };

  const writeOne = (one: Write, returns = 'NONE'): object => {
    const { request, isAllowed, before = {}, next, touched, commit } = evaluate(one);
    if (!isAllowed) {
      const isReturned = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && Object.keys(before).length > 0;
      const told = { message: 'refused', ...(isReturned && { Item: marshall(before) }) };
      throw new ConditionalCheckFailedException({ $metadata: {}, ...told });
    }
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

  const sourceOf = ({ TableName, IndexName, ConsistentRead }: QueryInput) => {
    const { primary, secondary = [] } = indexes.get(TableName) ?? {};
    if (!IndexName) {
      if (!primary) throw new Error(`${TableName} has no sort key`);
      return { items: primary, shows: undefined };
    }
    const index = secondary.find(({ name }) => name === IndexName);
    if (!index) throw new Error(`${TableName} has no index ${IndexName}`);
    if (ConsistentRead) throw new Error('an index has no consistent reads');
    return index;
  };

  const query = (input: QueryInput): object => {
    const { KeyConditionExpression: condition, FilterExpression: filter, Limit = pageItems } = input;
    const { ProjectionExpression: wanted } = input;
    checkExpressions(input);
    const { items, shows } = sourceOf(input);
    const { keys } = items;
    const [partition, ...others] = attributesOf(condition, input);
    const [, placeholder] = /^#?\w+ = (:\w+)/.exec(condition) ?? [];
    if (partition !== keys.partitionKey || !placeholder || others.some((name) => name !== keys.sortKey))
      throw new Error(`no key condition of ${input.TableName} ${input.IndexName ?? ''}: ${condition}`);
    if (filter && attributesOf(filter, input).some((name) => namesOf(keys).includes(name)))
      throw new Error(`a filter on a key: ${filter}`);
    const last = input.ExclusiveStartKey;
    const [, lower = '', upper = ''] = /BETWEEN (:\w+) AND (:\w+)/.exec(condition) ?? [];
    const values = input.ExpressionAttributeValues ?? {};
    if (String(values[lower]) > String(values[upper])) throw new Error('a range must not end before it begins');
    if (last && !holds(condition, last, input)) throw new Error('the start key is outside of the query');
    const after = last && { id: idOf(input.TableName, last), item: last };
    const most = Math.min(Limit, pageItems);
    const page: Item[] = [];
    let hasMore = false;
    const partitionKey = input.ExpressionAttributeValues?.[placeholder];
    for (const item of items.read(partitionKey, input.ScanIndexForward !== false, after)) {
      if (others.length > 0 && !holds(condition, item, input)) continue;
      hasMore = page.length === most;
      if (hasMore) break;
      page.push(shows ? projected(item, shows) : item);
    }
    const matching = page.filter((item) => holds(filter, item, input));
    return {
      Items: clone(wanted ? matching.map((item) => projected(item, attributesOf(wanted, input))) : matching),
      Count: matching.length,
      ...(hasMore && { LastEvaluatedKey: page.at(-1) }),
    };
  };

  const scan = (input: Omit<QueryInput, 'KeyConditionExpression'>): object => {
    const { TableName, FilterExpression: filter, ProjectionExpression: wanted, Limit = pageItems } = input;
    checkExpressions(input);
    const last = input.ExclusiveStartKey;
    const ids = [...table(TableName).keys()].toSorted();
    const rest = last ? ids.filter((id) => id > idOf(TableName, last)) : ids;
    const page = rest.slice(0, Math.min(Limit, pageItems)).map((id) => table(TableName).get(id) as Item);
    const { partitionKey, sortKey } = tableRow(TableName as TableName);
    const matching = page.filter((item) => holds(filter, item, input));
    return {
      Items: clone(wanted ? matching.map((item) => projected(item, attributesOf(wanted, input))) : matching),
      Count: matching.length,
      ...(page.length < rest.length && {
        LastEvaluatedKey: projected(page.at(-1) as Item, [partitionKey, ...(sortKey ? [sortKey] : [])]),
      }),
    };
  };

  const batchGet = (wanted: Record<string, Expressions & { Keys: Item[] }>): object => {
    const ids = Object.entries(wanted).flatMap(([name, { Keys }]) => Keys.map((key) => `${name} ${idOf(name, key)}`));
    if (ids.length === 0 || ids.length > MAX_KEYS_OF_A_BATCH || new Set(ids).size < ids.length)
      throw new Error(`no batch of keys: ${ids}`);
    const read = (name: string, key: Item) => {
      const item = table(name).get(idOf(name, key));
      const request = wanted[name];
      checkExpressions(request ?? {});
      if (!item || !request?.ProjectionExpression) return clone(item) ?? [];
      return clone(projected(item, attributesOf(request.ProjectionExpression, request)));
    };
    return {
      Responses: Object.fromEntries(
        Object.entries(wanted).map(([name, { Keys }]) => [name, Keys.flatMap((key) => read(name, key))]),
      ),
    };
  };

  const get = (request: Expressions & { TableName: string; Key: Item }): object => {
    checkExpressions(request);
    return { Item: clone(table(request.TableName).get(idOf(request.TableName, request.Key))) };
  };

  // biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands differ
  const answer = (operation: string, input: any): object => {
    switch (operation) {
      case 'Get':
        return get(input);
      case 'TransactGet':
        return { Responses: input.TransactItems.map(({ Get }: { Get: Parameters<typeof get>[0] }) => get(Get)) };
      case 'BatchGet':
        return batchGet(input.RequestItems);
      case 'Query':
        return query(input);
      case 'Scan':
        return scan(input);
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
    const operation = operationOf(command);
    const { TableName } = command.input;
    requests.push(TableName === undefined ? operation : `${operation} ${TableName}`);
    await Promise.resolve();
    await hooks.before?.(operation, command.input);
    const result = answer(operation, command.input);
    if (onRead) onRead(itemsOf(result));
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
    remove: (name: TableName, key: object) => write(name, idOf(name, key), undefined),
    find: (name: TableName, key: object): Item | undefined => table(name).get(idOf(name, key)),
    all: (name: TableName): Item[] => [...table(name).values()],
    requests,
    hooks,
    snapshot,
    /** Freezes the indexes at the current items: an index may lag behind its table. */
    freezeIndexes: () => {
      isFrozen = true;
    },
  };
}

/** Creates the document client of the stores. @param send answers its commands */
export const clientOf = (send: Send): DynamoDBDocumentClient =>
  Object.assign(Object.create(DynamoDBDocumentClient.prototype), { send });
