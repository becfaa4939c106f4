import { isDeepStrictEqual } from 'node:util';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { reservedWords } from './reserved-words.ts';

export type Item = Record<string, unknown>;
type Names = Record<string, string>;
type Scope = { item: Item; names: Names; values: Item };
type Value = (scope: Scope) => unknown;
type Test = (scope: Scope) => boolean;

/** The placeholders of a request. */
export type Placeholders = {
  ExpressionAttributeNames?: Names | undefined;
  ExpressionAttributeValues?: Item | undefined;
};

const expressionKinds = [
  'ConditionExpression',
  'UpdateExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
] as const;

/** The expressions of a request, with their placeholders. */
export type Expressions = Placeholders & { [Kind in (typeof expressionKinds)[number]]?: string | undefined };

const nothing = {};

const scopeOf = (
  item: Item,
  { ExpressionAttributeNames: names = nothing, ExpressionAttributeValues: values = nothing }: Placeholders,
): Scope => ({ item, names, values });

/** Caches the parsed form of a text, because the stores use few expressions. */
function memoized<Result>(make: (text: string) => Result): (text: string) => Result {
  const made = new Map<string, Result>();
  return (text) => {
    const result = made.get(text) ?? make(text);
    made.set(text, result);
    return result;
  };
}

const placeholdersIn = memoized((text) => new Set(text.match(/[#:]\w+/g)));

const keywords = new Set(['AND', 'OR', 'NOT', 'IN', 'BETWEEN', 'SET', 'ADD', 'REMOVE', 'DELETE']);

/** The first reserved word that is a part of a path; '' if there is none. A word before a parenthesis is a function. */
const reservedIn = memoized((text) => {
  const words = text.match(/(?<![\w:#])[a-z]\w*(?![\w(])/gi) ?? [];
  return words.find((word) => !keywords.has(word) && reservedWords.has(word.toUpperCase())) ?? '';
});

/** Throws for a reserved word without a placeholder, and for an undefined or unused placeholder, as DynamoDB does. */
export function checkExpressions(request: Expressions): void {
  const used: Set<string>[] = [];
  for (const kind of expressionKinds) {
    const text = request[kind];
    if (text === undefined) continue;
    const reserved = reservedIn(text);
    if (reserved) throw invalid(`Invalid ${kind}: Attribute name is a reserved keyword; reserved keyword: ${reserved}`);
    used.push(placeholdersIn(text));
  }
  const { names, values } = scopeOf(nothing, request);
  for (const defined of [names, values])
    for (const name in defined)
      if (!used.some((set) => set.has(name))) throw new Error(`${name} is not used in the expressions`);
  for (const set of used)
    for (const name of set) if (!(name in names || name in values)) throw new Error(`${name} is not defined`);
}

const invalid = (message: string) =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', $metadata: {}, message });

/** Evaluates a condition (Amazon DynamoDB, "Condition and filter expressions"). */
export const holds = (expression: string | undefined, item: Item, given: Placeholders): boolean =>
  expression === undefined || conditionOf(expression)(scopeOf(item, given));

const attributesIn = memoized((expression) => expression.match(/(?<![\w:.#])#?[a-z_]\w*(?!\w*\()/g) ?? []);

/** Lists the top-level attributes in an expression. */
export const attributesOf = (expression: string, { ExpressionAttributeNames: names = {} }: Placeholders): string[] =>
  attributesIn(expression).map((name) => (name.startsWith('#') ? (names[name] ?? '') : name));

const conditionOf = memoized(parseCondition);

const areEqual = (left: unknown, right: unknown): boolean =>
  left === right || (typeof left === 'object' && isDeepStrictEqual(left, right));

const comparisons: Record<string, (left: never, right: never) => boolean> = {
  '=': (left, right) => left !== undefined && areEqual(left, right),
  '<>': (left, right) => !areEqual(left, right),
  // An absent value or one of another type is neither greater nor less.
  '<': (left, right) => typeof left === typeof right && left < right,
  '<=': (left, right) => typeof left === typeof right && left <= right,
  '>': (left, right) => typeof left === typeof right && left > right,
  '>=': (left, right) => typeof left === typeof right && left >= right,
};

const functions: Record<string, (value: unknown, second: unknown) => unknown> = {
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: (value, prefix) => typeof value === 'string' && value.startsWith(String(prefix)),
  contains: (value, member) =>
    value instanceof Set ? value.has(member) : Array.isArray(value) && value.includes(member),
  size: (value) => (value instanceof Set ? value.size : (value as { length?: number } | undefined)?.length),
};

/** Parses with DynamoDB's precedence: NOT before AND before OR. */
function parseCondition(expression: string): Test {
  const tokens = expression.match(/[#:]?[\w.#]+|<>|<=|>=|[=<>(),]/g) ?? [];
  const fail = (why: string) => new Error(`${why} in the condition ${expression}`);
  const take = (wanted?: string): string => {
    const token = tokens.shift() ?? '';
    if (wanted !== undefined && token !== wanted) throw fail(`${wanted} expected`);
    return token;
  };
  const list = <T>(one: () => T, separator: string): [T, ...T[]] => {
    const all: [T, ...T[]] = [one()];
    while (tokens[0] === separator) {
      take();
      all.push(one());
    }
    return all;
  };
  const operand = (): Value => {
    const token = take();
    if (tokens[0] === '(') return call(token);
    return token.startsWith(':') ? ({ values }) => values[token] : pathOf(token);
  };
  const call = (name: string): Value => {
    const known = functions[name];
    if (!known) throw fail(`unknown function ${name}`);
    take('(');
    const [value, second] = list(operand, ',');
    take(')');
    return (scope) => known(value(scope), second?.(scope));
  };
  const either = (): Test => {
    const tests = list(both, 'OR');
    return (scope) => tests.some((test) => test(scope));
  };
  const both = (): Test => {
    const tests = list(one, 'AND');
    return (scope) => tests.every((test) => test(scope));
  };
  const one = (): Test => {
    if (tokens[0] === 'NOT') {
      take();
      const test = one();
      return (scope) => !test(scope);
    }
    if (tokens[0] === '(') {
      take();
      const test = either();
      take(')');
      return test;
    }
    const left = operand();
    if (tokens[0] === 'IN') {
      take();
      take('(');
      const members = list(operand, ',');
      take(')');
      return (scope) => members.some((member) => areEqual(member(scope), left(scope)));
    }
    if (tokens[0] === 'BETWEEN') {
      take();
      const low = operand();
      take('AND');
      const high = operand();
      return (scope) => {
        const value = String(left(scope));
        return String(low(scope)) <= value && value <= String(high(scope));
      };
    }
    const compare = comparisons[tokens[0] ?? ''];
    if (!compare) return (scope) => left(scope) === true;
    take();
    const right = operand();
    return (scope) => compare(left(scope) as never, right(scope) as never);
  };
  const test = either();
  if (tokens.length > 0) throw fail(`${tokens[0]} not expected`);
  return test;
}

function pathOf(path: string): Value {
  const parts = path
    .split('.')
    .map((part): ((of: Item | undefined, names: Names) => unknown) =>
      part.startsWith('#') ? (of, names) => of?.[names[part] ?? ''] : (of) => of?.[part],
    );
  return ({ item, names }) => {
    let value: unknown = item;
    for (const read of parts) value = read(value as Item | undefined, names);
    return value;
  };
}

type Verb = 'SET' | 'ADD' | 'REMOVE';

/** The changes of an update: the target, and the value if there is one. */
const changesOf = memoized((expression) =>
  expression.split(/\s*\b(?=(?:SET|ADD|REMOVE) )/).flatMap((clause) => {
    const [, verb, changes = ''] = /^(SET|ADD|REMOVE) (.*)$/.exec(clause) ?? [];
    if (!verb) throw new Error(`unknown clause ${clause} in the update ${expression}`);
    return changes.split(/, (?![^(]*\))/).map((change) => {
      const [, target, value = ''] = /^(#?\w+)(?:(?: =)? (\S.*))?$/.exec(change) ?? [];
      if (!target) throw new Error(`unknown change ${change} in the update ${expression}`);
      const isPlaceholder = target.startsWith('#');
      return {
        verb: verb as Verb,
        target,
        isPlaceholder,
        value: verb === 'REMOVE' ? () => undefined : newValue(value),
      };
    });
  }),
);

/** @returns the item after an update (Amazon DynamoDB, "Update expressions"), and the updated attributes. */
export function updated(
  expression: string,
  item: Item,
  given: Placeholders,
): { next: Item; touched: ReadonlyMap<string, unknown> } {
  const scope = scopeOf(item, given);
  const changes = new Map<string, unknown>();
  for (const { verb, target, isPlaceholder, value } of changesOf(expression)) {
    const name = isPlaceholder ? scope.names[target] : target;
    if (!name) throw new Error(`${target} has no name in the update ${expression}`);
    if (changes.has(name)) throw new Error(`two changes of ${name} in the update ${expression}`);
    changes.set(name, verb === 'ADD' ? added(item[name], value(scope)) : value(scope));
  }
  const next: Item = {};
  // Copied without the removed attributes: V8 is slow with objects from which a property was deleted.
  for (const name in item) if (!changes.has(name)) next[name] = item[name];
  for (const [name, value] of changes) if (value !== undefined) next[name] = value;
  return { next, touched: changes };
}

const operandOf = (operand: string): Value =>
  operand.startsWith(':') ? ({ values }) => values[operand] : pathOf(operand);

function newValue(text: string): Value {
  const [, minuend, subtrahend] = /^(\S+) - (.+)$/.exec(text) ?? [];
  if (minuend && subtrahend) return differenceOf(operandOf(minuend), newValue(subtrahend));
  const [, name, ...operands] = /^(\w+)\((\S+), (\S+)\)$/.exec(text) ?? [];
  if (!name) return operandOf(text);
  const [first, second] = operands.map(operandOf) as [Value, Value];
  if (name === 'if_not_exists') return (scope) => first(scope) ?? second(scope);
  if (name === 'list_append') return (scope) => [...(first(scope) as unknown[]), ...(second(scope) as unknown[])];
  throw new Error(`unknown function ${name}`);
}

const differenceOf =
  (...operands: [Value, Value]): Value =>
  (scope) => {
    const [left, right] = operands.map((operand) => operand(scope));
    if (typeof left !== 'number' || typeof right !== 'number') throw new Error('an operand is not a number');
    return left - right;
  };

const added = (former: unknown, value: unknown): unknown =>
  value instanceof Set
    ? new Set([...((former as Set<unknown> | undefined) ?? []), ...value])
    : Number(former ?? 0) + Number(value);
