type Schema = Record<string, unknown>;

/**
 * Finds a value for a JSON Schema in a text: `name: value` on a line; for numbers and booleans also the name itself;
 * for an enumeration a value that occurs in the text.
 * @returns undefined if the text has no value and none is required
 */
export function fill(schema: Schema, name: string, text: string, isRequired: boolean): unknown {
  if (Array.isArray(schema.enum)) return oneOf(schema.enum, text, isRequired);
  if ('const' in schema) return schema.const;
  for (const kind of ['anyOf', 'oneOf'] as const) {
    const [first] = Array.isArray(schema[kind]) ? (schema[kind] as Schema[]) : [];
    if (first) return fill(first, name, text, isRequired);
  }
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const found = byType(
    types.find((type) => type !== 'null'),
    schema,
    name,
    text,
    isRequired && !types.includes('null'),
  );
  return found === undefined && isRequired ? null : found;
}

function byType(type: unknown, schema: Schema, name: string, text: string, isRequired: boolean): unknown {
  const stated = statedValue(name, text);
  switch (type) {
    case 'boolean':
      if (stated !== undefined) return /^(yes|true|y|haan?)\b/i.test(stated);
      return isRequired || hasWord(text, spoken(name)) ? hasWord(text, spoken(name)) : undefined;
    case 'number':
    case 'integer':
      return number(schema, stated ?? afterName(name, text), type === 'integer', isRequired);
    case 'array':
      return list((schema.items ?? {}) as Schema, Number(schema.minItems ?? 0), name, text, isRequired);
    case 'object':
      return filledObject(schema, text);
    default:
      return words(schema, stated, isRequired);
  }
}

/** Fills the properties for which the text has values, and the required ones. */
function filledObject(schema: Schema, text: string): Record<string, unknown> {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const filled = properties.map(([name, each]) => [name, fill(each, name, text, required.includes(name))] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function oneOf(values: readonly unknown[], text: string, isRequired: boolean): unknown {
  const found = values.find((value): value is string => typeof value === 'string' && hasWord(text, spoken(value)));
  return found ?? (isRequired ? values[0] : undefined);
}

function number(
  schema: Schema,
  stated: string | undefined,
  isInteger: boolean,
  isRequired: boolean,
): number | undefined {
  const digits = /-?\d[\d,]*(\.\d+)?/.exec(stated ?? '')?.[0].replaceAll(',', '');
  if (digits === undefined && !isRequired) return undefined;
  const value = Number(digits ?? 0);
  const bounded = Math.min(
    Math.max(value, Number(schema.minimum ?? value)),
    Number(schema.maximum ?? Number.POSITIVE_INFINITY),
  );
  return isInteger ? Math.round(bounded) : bounded;
}

function words(schema: Schema, stated: string | undefined, isRequired: boolean): string | undefined {
  if (stated === undefined && !isRequired) return undefined;
  const value = stated ?? 'not mentioned';
  return value.slice(0, Number(schema.maxLength ?? 500)).padEnd(Number(schema.minLength ?? 0), '.');
}

function list(items: Schema, least: number, name: string, text: string, isRequired: boolean): unknown[] | undefined {
  const found = fill(items, name, text, false);
  if (found === undefined && !isRequired) return undefined;
  const values: unknown[] = found === undefined ? [] : [found];
  while (values.length < least) values.push(fill(items, name, text, true));
  return values;
}

/** Turns a name into words: `preferred_city` and `preferredCity` become "preferred city". */
const spoken = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();

const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(^|\\W)${RegExp.escape(word)}(\\W|$)`, 'i').test(text);

/** Finds the text after the name and a colon or "is", up to the end of the sentence. */
const statedValue = (name: string, text: string): string | undefined =>
  new RegExp(
    `\\b${RegExp.escape(spoken(name))}\\s*(?::|\\bis\\b)\\s*([^\\n]+?)\\s*(?:[.;!?](?=\\s|$)|\\n|$)`,
    'i',
  ).exec(text)?.[1];

const afterName = (name: string, text: string): string | undefined =>
  new RegExp(`\\b${RegExp.escape(spoken(name))}\\b[^\\n\\d]*(-?\\d[^\\n]*)`, 'i').exec(text)?.[1];
