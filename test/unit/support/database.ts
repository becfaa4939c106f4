import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';

export type Item = Record<string, unknown>;
type Values = Record<string, unknown>;
type Names = Record<string, string>;

/** The tables of the service that operations write to, with their keys. */
const keysOf: Record<string, string[]> = {
  connections: ['connection_id'],
  organizations: ['org_id'],
  assistants: ['assistant_id'],
  calls: ['call_id'],
  claims: ['claim'],
  slots: ['scope'],
  'do-not-call': ['org_id', 'phone'],
  'credit-ledger': ['org_id', 'entry'],
  activity: ['connection_id', 'event_id'],
};
const idOf = (table: string, item: Item) => (keysOf[table] ?? []).map((name) => item[name]).join(' | ');

/** DynamoDB refuses a request that names a placeholder it does not give, or gives one that it does not name. */
function checkPlaceholders(expressions: (string | undefined)[], names: Names, values: Values): void {
  const used = new Set(expressions.join(' ').match(/[#:]\w+/g));
  for (const given of [...Object.keys(names), ...Object.keys(values)])
    if (!used.delete(given)) throw new Error(`${given} is not used in the expressions`);
  if (used.size > 0) throw new Error(`${[...used].join()} is not defined`);
}

/** Whether a condition holds (Amazon DynamoDB, "Condition and filter expressions"): NOT before AND before OR. */
function holds(expression: string | undefined, item: Item = {}, names: Names = {}, values: Values = {}): boolean {
  if (!expression) return true;
  const tokens = expression.match(/[#:]?[\w.#]+|<>|<=|>=|[=<>(),]/g) ?? [];
  const take = (wanted?: string): string => {
    const token = tokens.shift() ?? '';
    if (wanted !== undefined && token !== wanted) throw new Error(`${wanted} wanted in the condition ${expression}`);
    return token;
  };
  const operand = (token = take()): unknown => {
    if (token.startsWith(':')) return values[token];
    return token
      .split('.')
      .reduce<unknown>(
        (so, part) => (so as Item | undefined)?.[part.startsWith('#') ? (names[part] ?? '') : part],
        item,
      );
  };
  const either = (): boolean => {
    let result = both();
    while (tokens[0] === 'OR') {
      take();
      result = both() || result;
    }
    return result;
  };
  const both = (): boolean => {
    let result = one();
    while (tokens[0] === 'AND') {
      take();
      result = one() && result;
    }
    return result;
  };
  const one = (): boolean => {
    const token = take();
    if (token === 'NOT') return !one();
    if (token === '(') {
      const result = either();
      take(')');
      return result;
    }
    if (tokens[0] === '(') return call(token);
    const left = operand(token);
    const operator = take();
    if (operator === 'IN') {
      take('(');
      const list = [operand()];
      while (take() === ',') list.push(operand());
      return list.includes(left);
    }
    const right = operand();
    if (operator === '=') return left !== undefined && JSON.stringify(left) === JSON.stringify(right);
    if (operator === '<>') return JSON.stringify(left) !== JSON.stringify(right);
    // What is absent, or of another type, is neither more nor less.
    if (typeof left !== typeof right) return false;
    const [a, b] = [left as number, right as number];
    if (operator === '<') return a < b;
    if (operator === '<=') return a <= b;
    if (operator === '>') return a > b;
    if (operator === '>=') return a >= b;
    throw new Error(`the fake does not know ${operator} in the condition ${expression}`);
  };
  const call = (name: string): boolean => {
    take('(');
    const value = operand();
    const second = take() === ',' ? operand() : undefined;
    if (second !== undefined) take(')');
    if (name === 'attribute_exists') return value !== undefined;
    if (name === 'attribute_not_exists') return value === undefined;
    if (name === 'begins_with') return String(value ?? '').startsWith(String(second));
    if (name === 'contains')
      return value instanceof Set ? value.has(second) : Array.isArray(value) && value.includes(second);
    throw new Error(`the fake does not know ${name} in the condition ${expression}`);
  };
  const result = either();
  if (tokens.length > 0) throw new Error(`the fake does not understand the condition ${expression}`);
  return result;
}

/** What `SET #a = :b, … ADD #c :d REMOVE #e` makes of an item. */
function updated(expression: string, item: Item, names: Names, values: Values): Item {
  const next = { ...item };
  const touched = new Set<string>();
  for (const [, verb, changes = ''] of expression.matchAll(/(SET|ADD|REMOVE) (.*?)(?= ADD | REMOVE |$)/g))
    for (const change of changes.split(', ')) {
      const [, placeholder = '', value = ''] = /^(#?\w+)(?:(?: =)? (:\w+))?$/.exec(change) ?? [];
      const name = placeholder.startsWith('#') ? names[placeholder] : placeholder;
      if (!name) throw new Error(`the fake does not know the change ${change}`);
      if (touched.has(name)) throw new Error(`two changes of ${name}`);
      touched.add(name);
      if (verb === 'REMOVE') delete next[name];
      else if (verb === 'SET') next[name] = values[value];
      else if (values[value] instanceof Set)
        next[name] = new Set([...((item[name] as Set<unknown>) ?? []), ...(values[value] as Set<unknown>)]);
      else next[name] = Number(item[name] ?? 0) + Number(values[value]);
    }
  return next;
}

/** Tables in memory that keep to the conditions of our stores, under the stores themselves. */
export function database(contents: Record<string, object[]>) {
  const tables = new Map(
    Object.keys(keysOf).map((table) => [
      table,
      new Map((contents[table] ?? []).map((item) => [idOf(table, item as Item), item as Item])),
    ]),
  );
  const table = (name = '') => tables.get(name) as Map<string, Item>;
  const requests: string[] = [];
  /** Before a request is answered, and after it was done; what they throw is the answer. */
  const hooks: { before?: (operation: string, input: Item) => void; after?: (operation: string, input: Item) => void } =
    {};

  /** The parts of a write that all kinds of it have. */
  const readWrite = ({ Put, Update, Delete, ...rest }: Write) => {
    const write = { ...Put, ...Update, ...Delete };
    if (Object.keys(rest).length > 0) throw new Error('the fake knows puts, updates and deletes');
    const name = write.TableName ?? '';
    const id = idOf(name, (Put?.Item ?? Update?.Key ?? Delete?.Key) as Item);
    return { Put, Update, write, name, id, former: table(name).get(id) };
  };

  /** @returns how to do a write; undefined where its condition does not hold. */
  const prepare = (given: Write): (() => void) | undefined => {
    const { Put, Update, write, name, id, former } = readWrite(given);
    const { ConditionExpression, ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = write;
    const change = Update?.UpdateExpression;
    checkPlaceholders([ConditionExpression, change], ExpressionAttributeNames, ExpressionAttributeValues);
    if (!holds(ConditionExpression, former, ExpressionAttributeNames, ExpressionAttributeValues)) return undefined;
    if (Put) {
      const item = structuredClone(Put.Item as Item);
      return () => table(name).set(id, item);
    }
    if (!Update) return () => table(name).delete(id);
    const item = former ?? (Update.Key as Item);
    const next = updated(change ?? '', item, ExpressionAttributeNames, structuredClone(ExpressionAttributeValues));
    return () => table(name).set(id, next);
  };

  const transact = (writes: Write[]): object => {
    const places = writes.map((write) => readWrite(write)).map(({ name, id }) => `${name} ${id}`);
    if (new Set(places).size < places.length) throw new Error(`a transaction writes an item twice: ${places}`);
    const prepared = writes.map(prepare);
    if (prepared.some((write) => !write)) {
      const CancellationReasons = writes.map((given, index) => {
        const { write, former } = readWrite(given);
        const tells = write.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
        return prepared[index]
          ? { Code: 'None' }
          : {
              Code: 'ConditionalCheckFailed',
              ...(tells && former && { Item: marshall(former, { removeUndefinedValues: true }) }),
            };
      });
      throw new TransactionCanceledException({ $metadata: {}, message: 'canceled', CancellationReasons });
    }
    for (const write of prepared) write?.();
    return {};
  };

  // biome-ignore lint/suspicious/noExplicitAny: whatever the SDK's commands carry
  const answer = (operation: string, input: any): object => {
    switch (operation) {
      case 'Get':
        return { Item: structuredClone(table(input.TableName).get(idOf(input.TableName, input.Key))) };
      case 'BatchGet': {
        const [[name = '', { Keys = [] } = {}] = []] = Object.entries<{ Keys?: Item[] }>(input.RequestItems);
        return { Responses: { [name]: Keys.flatMap((key) => table(name).get(idOf(name, key)) ?? []) } };
      }
      case 'Query': {
        const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input;
        const { KeyConditionExpression: key, FilterExpression: filter } = input;
        checkPlaceholders([key, filter], names, values);
        const found = [...table(input.TableName).values()].filter(
          (item) => holds(key, item, names, values) && holds(filter, item, names, values),
        );
        return { Items: structuredClone(found) };
      }
      case 'Put':
      case 'Update': {
        const write = prepare({ [operation]: input } as Write);
        if (!write) throw new ConditionalCheckFailedException({ $metadata: {}, message: 'refused' });
        write();
        return {};
      }
      case 'TransactWrite':
        return transact(input.TransactItems);
      default:
        throw new Error(`the fake does not know ${operation}`);
    }
  };
  const send = async (command: { input: Item }) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    requests.push(`${operation} ${command.input.TableName ?? ''}`.trim());
    await Promise.resolve();
    hooks.before?.(operation, command.input);
    const result = answer(operation, command.input);
    hooks.after?.(operation, command.input);
    return result;
  };
  const all = (name: string) => [...table(name).values()];
  const put = (name: string, item: object) => table(name).set(idOf(name, item as Item), item as Item);
  const snapshot = () => structuredClone(new Map([...tables].map(([name, items]) => [name, [...items.values()]])));
  return { send, all, put, requests, hooks, snapshot };
}

/** The client that stores ask. @param send what answers. */
export const clientOf = (send: (command: never) => Promise<unknown>): DynamoDBDocumentClient =>
  Object.assign(Object.create(DynamoDBDocumentClient.prototype), { send });
