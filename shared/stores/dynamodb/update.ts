/** Values to write, by attribute name. An undefined value leaves its attribute unchanged. */
export type ItemChange = {
  set?: Readonly<Record<string, unknown>>;
  /** Values to write if the attribute does not exist. */
  setOnce?: Readonly<Record<string, unknown>>;
  /** Numbers to add, or sets whose members are added. */
  add?: Readonly<Record<string, unknown>>;
  /** Items to append to lists, which must exist. */
  append?: Readonly<Record<string, readonly unknown[]>>;
  /**
   * Counters of one period at a time: adds one if `of` names this period, otherwise begins a new count. Both attributes
   * must exist, the counter with a number and `of` with a map. `countedIn` reads the result.
   */
  countIn?: Readonly<Record<string, { of: string; period: number }>>;
  remove?: readonly string[];
};

/** Returns how often a counter of `countIn` has counted in a period. */
export function countedIn(
  item: Readonly<Record<string, unknown>>,
  { counter, of, period }: { counter: string; of: string; period: number },
): number {
  const periods = item[of] as Record<string, unknown> | undefined;
  return periods && String(period) in periods ? Number(item[counter]) + 1 : 0;
}

/** A condition with its own `:name` values. An attribute whose name is a reserved word is written `#name`. */
export type Condition = { expression: string; values?: Readonly<Record<string, unknown>> };

/** The attribute still has the value that was read; for undefined, it still does not exist. */
export const isStill = (attribute: string, read: unknown): Condition =>
  read === undefined
    ? { expression: `attribute_not_exists(${attribute})` }
    : { expression: `${attribute} = :${attribute}`, values: { [attribute]: read } };

/** Adding `amount` leaves a counter at `limit` at most. A counter that does not exist counts as 0. */
export function staysWithin(counter: string, limit: number, amount: number): Condition {
  const most = limit - amount;
  const isWithin = `${counter} <= :most`;
  return { expression: most >= 0 ? `attribute_not_exists(${counter}) OR ${isWithin}` : isWithin, values: { most } };
}

/** Returns the members of a put or delete that make it conditional on all `conditions`. */
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
 * Returns the members of an UpdateItem that make `change` if all `conditions` hold. Every attribute of the change gets
 * a placeholder, so that its name may be a reserved word.
 * @throws RangeError if nothing would change
 */
export function updateExpression(change: ItemChange, conditions: readonly Condition[]) {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string) => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const value = (verb: 'set' | 'once' | 'add' | 'append' | 'of', attribute: string, content: unknown) => {
    values[`:${verb}_${attribute}`] = content;
    return `:${verb}_${attribute}`;
  };
  const defined = (record: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(record).filter(([, content]) => content !== undefined);

  const sets = defined(change.set).map(
    ([attribute, content]) => `${name(attribute)} = ${value('set', attribute, content)}`,
  );
  /** Assigns the result of a DynamoDB function on the stored value and ours. */
  const combined = (verb: 'once' | 'append', operator: string, record: ItemChange['set']) =>
    defined(record).map(
      ([attribute, content]) =>
        `${name(attribute)} = ${operator}(${name(attribute)}, ${value(verb, attribute, content)})`,
    );
  /**
   * An update expression cannot choose between "add one" and "restart", but it can subtract. `of` maps the counted
   * period to -1: in this period, the counter minus -1 grows by one; in another, the counter minus itself is 0. The
   * stored counter is therefore one less than the count.
   */
  const counted = Object.entries(change.countIn ?? {}).flatMap(([counter, { of, period }]) => {
    names[`#in_${period}`] = String(period);
    return [
      `${name(counter)} = ${name(counter)} - if_not_exists(${name(of)}.#in_${period}, ${name(counter)})`,
      `${name(of)} = ${value('of', of, { [period]: -1 })}`,
    ];
  });
  const clauses = [
    [
      'SET',
      [
        ...sets,
        ...combined('once', 'if_not_exists', change.setOnce),
        ...combined('append', 'list_append', change.append),
        ...counted,
      ],
    ],
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
