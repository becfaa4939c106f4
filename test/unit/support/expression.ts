import { isDeepStrictEqual } from 'node:util';

export type Item = Record<string, unknown>;
type Names = Record<string, string>;
type Scope = { item: Item; names: Names; values: Item };
type Value = (scope: Scope) => unknown;
type Test = (scope: Scope) => boolean;

/** The placeholders of a request. */
export type Placeholders = { ExpressionAttributeNames?: Names; ExpressionAttributeValues?: Item };

const scopeOf = (
  item: Item,
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Placeholders,
) => ({ item, names, values });

/** Throws for an undefined or unused placeholder, as DynamoDB does. */
export function checkPlaceholders(expressions: (string | undefined)[], given: Placeholders): void {
  const used = new Set(expressions.join(' ').match(/[#:]\w+/g));
  const { names, values } = scopeOf({}, given);
  for (const name of [...Object.keys(names), ...Object.keys(values)])
    if (!used.delete(name)) throw new Error(`${name} is not used in the expressions`);
  if (used.size > 0) throw new Error(`${[...used].join()} is not defined`);
}

/** Evaluates a condition (Amazon DynamoDB, "Condition and filter expressions"). */
export const holds = (expression: string | undefined, item: Item, given: Placeholders): boolean =>
  expression === undefined || conditionOf(expression)(scopeOf(item, given));

/** Lists the top-level attributes in an expression. */
export const attributesOf = (expression: string, { ExpressionAttributeNames: names = {} }: Placeholders): string[] =>
  (expression.match(/(?<![\w:.#])#?[a-z_]\w*(?!\w*\()/g) ?? []).map((name) =>
    name.startsWith('#') ? (names[name] ?? '') : name,
  );

const compiled = new Map<string, Test>();

function conditionOf(expression: string): Test {
  const test = compiled.get(expression) ?? parseCondition(expression);
  compiled.set(expression, test);
  return test;
}

const comparisons: Record<string, (left: never, right: never) => boolean> = {
  '=': (left, right) => left !== undefined && isDeepStrictEqual(left, right),
  '<>': (left, right) => !isDeepStrictEqual(left, right),
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
      return (scope) => members.some((member) => isDeepStrictEqual(member(scope), left(scope)));
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

const pathOf =
  (path: string): Value =>
  ({ item, names }) =>
    path
      .split('.')
      .reduce<unknown>(
        (value, part) => (value as Item | undefined)?.[part.startsWith('#') ? (names[part] ?? '') : part],
        item,
      );

/** @returns the item after an update (Amazon DynamoDB, "Update expressions"), and the updated attributes. */
export function updated(expression: string, item: Item, given: Placeholders): { next: Item; touched: Set<string> } {
  const scope = scopeOf(item, given);
  const next = { ...item };
  const touched = new Set<string>();
  for (const clause of expression.split(/\s*\b(?=(?:SET|ADD|REMOVE) )/)) {
    const [, verb, changes = ''] = /^(SET|ADD|REMOVE) (.*)$/.exec(clause) ?? [];
    if (!verb) throw new Error(`unknown clause ${clause} in the update ${expression}`);
    for (const change of changes.split(/, (?![^(]*\))/)) {
      const [, target = '', value = ''] = /^(#?\w+)(?:(?: =)? (\S.*))?$/.exec(change) ?? [];
      const name = target.startsWith('#') ? scope.names[target] : target;
      if (!name) throw new Error(`unknown change ${change} in the update ${expression}`);
      if (touched.has(name)) throw new Error(`two changes of ${name} in the update ${expression}`);
      touched.add(name);
      if (verb === 'REMOVE') delete next[name];
      else next[name] = verb === 'SET' ? assigned(value, scope) : added(item[name], scope.values[value]);
    }
  }
  return { next, touched };
}

function assigned(value: string, scope: Scope): unknown {
  const [, name, first = '', second = ''] = /^(\w+)\((\S+), (\S+)\)$/.exec(value) ?? [];
  const read = (operand: string) => (operand.startsWith(':') ? scope.values[operand] : pathOf(operand)(scope));
  if (!name) return read(value);
  if (name === 'if_not_exists') return read(first) ?? read(second);
  if (name === 'list_append') return [...(read(first) as unknown[]), ...(read(second) as unknown[])];
  throw new Error(`unknown function ${name}`);
}

const added = (former: unknown, value: unknown): unknown =>
  value instanceof Set
    ? new Set([...((former as Set<unknown> | undefined) ?? []), ...value])
    : Number(former ?? 0) + Number(value);
