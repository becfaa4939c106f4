/** Values to write by attribute name; undefined leaves the attribute as it is. */
export type Change = {
  set?: Readonly<Record<string, unknown>>;
  /** Numbers to add, or a set to add members to. */
  add?: Readonly<Record<string, unknown>>;
  remove?: readonly string[];
};

/** A condition with `:name` values of its own; attribute names that are reserved words stand as `#name`. */
export type Condition = { expression: string; values?: Readonly<Record<string, unknown>> };

/**
 * The members of an UpdateItem that make `change` where all `conditions` hold. Every attribute of the change is
 * referred to by a placeholder, so that no name can be a reserved word; `#name` in conditions resolves to `name`.
 */
export function updateExpression(change: Change, conditions: readonly Condition[]) {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string) => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const assign = (attribute: string, value: unknown, prefix: string) => {
    values[`:${prefix}_${attribute}`] = value;
    return `:${prefix}_${attribute}`;
  };
  const defined = (record: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(record).filter(([, value]) => value !== undefined);

  const clauses = [
    ['SET', defined(change.set).map(([attribute, value]) => `${name(attribute)} = ${assign(attribute, value, 'set')}`)],
    ['ADD', defined(change.add).map(([attribute, value]) => `${name(attribute)} ${assign(attribute, value, 'add')}`)],
    ['REMOVE', (change.remove ?? []).map(name)],
  ] as const;

  for (const { expression, values: own } of conditions) {
    for (const [placeholder] of expression.matchAll(/#\w+/g)) names[placeholder] = placeholder.slice(1);
    for (const [key, value] of Object.entries(own ?? {})) values[`:${key}`] = value;
  }
  const update = clauses.filter(([, parts]) => parts.length > 0).map(([verb, parts]) => `${verb} ${parts.join(', ')}`);
  if (update.length === 0) throw new RangeError('an update must change something');
  return {
    UpdateExpression: update.join(' '),
    ...(conditions.length > 0 && {
      ConditionExpression: conditions.map(({ expression }) => `(${expression})`).join(' AND '),
    }),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
