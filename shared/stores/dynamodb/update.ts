/** Values to write, by attribute name. An undefined value leaves its attribute as it is. */
export type Change = {
  set?: Readonly<Record<string, unknown>>;
  /** Numbers to add, or sets whose members are added. */
  add?: Readonly<Record<string, unknown>>;
  /** Items to append to lists, which must exist. */
  append?: Readonly<Record<string, readonly unknown[]>>;
  remove?: readonly string[];
};

/** A condition with its own `:name` values. An attribute whose name is a reserved word is written `#name`. */
export type Condition = { expression: string; values?: Readonly<Record<string, unknown>> };

/** @returns the members of a put or delete that make it conditional on all `conditions`. */
export function conditionExpression(conditions: readonly Condition[]) {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const { expression, values: own } of conditions) {
    for (const [placeholder] of expression.matchAll(/#\w+/g)) names[placeholder] = placeholder.slice(1);
    for (const [key, value] of Object.entries(own ?? {})) values[`:${key}`] = value;
  }
  return {
    ...(conditions.length > 0 && {
      ConditionExpression: conditions.map(({ expression }) => `(${expression})`).join(' AND '),
    }),
    // DynamoDB refuses empty maps of placeholders.
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/**
 * @returns the members of an UpdateItem that make `change` where all `conditions` hold. Every attribute of the change
 * gets a placeholder, so that its name may be a reserved word.
 * @throws RangeError where nothing would change.
 */
export function updateExpression(change: Change, conditions: readonly Condition[]) {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string) => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const value = (verb: 'set' | 'add' | 'append', attribute: string, content: unknown) => {
    values[`:${verb}_${attribute}`] = content;
    return `:${verb}_${attribute}`;
  };
  const defined = (record: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(record).filter(([, content]) => content !== undefined);

  const sets = defined(change.set).map(
    ([attribute, content]) => `${name(attribute)} = ${value('set', attribute, content)}`,
  );
  const appends = defined(change.append).map(
    ([attribute, content]) =>
      `${name(attribute)} = list_append(${name(attribute)}, ${value('append', attribute, content)})`,
  );
  const clauses = [
    ['SET', [...sets, ...appends]],
    [
      'ADD',
      defined(change.add).map(([attribute, content]) => `${name(attribute)} ${value('add', attribute, content)}`),
    ],
    ['REMOVE', (change.remove ?? []).map(name)],
  ] as const;
  const update = clauses.filter(([, parts]) => parts.length > 0).map(([verb, parts]) => `${verb} ${parts.join(', ')}`);
  if (update.length === 0) throw new RangeError('an update must change something');

  const condition = conditionExpression(conditions);
  Object.assign(names, condition.ExpressionAttributeNames);
  Object.assign(values, condition.ExpressionAttributeValues);
  return {
    UpdateExpression: update.join(' '),
    ...condition,
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}
