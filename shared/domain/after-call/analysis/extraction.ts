import { type Schema, Validator } from '@cfworker/json-schema';
import { type AnalysisNode as Node, readAnalysisSchema } from '../../organizations/assistants/analysis-schema.ts';

/** Keywords that Bedrock's models refuse in tools (Nova guide, "Defining a tool"; the rest found by trial). */
const NOT_FOR_THE_MODEL = [
  'additionalProperties',
  'default',
  'examples',
  'pattern',
  '$schema',
  '$id',
  '$comment',
] as const;
/**
 * Keywords that the validation ignores: a customer's pattern may never terminate, and a format is an annotation (JSON
 * Schema 2020-12, Validation, 7).
 */
const NOT_CHECKED = [...NOT_FOR_THE_MODEL, 'format'] as const;

/** The assistant's own fields: their schema for the model, and the validation of its answer. */
export type Extraction = {
  /** The schema for the tool's definition. */
  readonly schema: Record<string, unknown>;
  /**
   * Reads the properties that the schema names, and no others. An optional property with the value null becomes absent.
   * @returns the data, or its problems.
   */
  read(value: unknown): { data: Record<string, unknown> } | { problems: Problem[] };
};

/** A problem of an answer. `where` has only names of our fields and of the schema; `what` may quote the value. */
export type Problem = { where: string; what: string };

/**
 * Compiles an assistant's analysis_schema.
 * @returns the extraction, or why the schema cannot be used: too long, too deep, not an object, an unsupported keyword.
 */
export function extractionBy(schema: Record<string, unknown>): Extraction | { problem: string } {
  const read = readAnalysisSchema(schema);
  if (!read.ok) return { problem: read.problem };
  const { root } = read;
  const validator = new Validator(without(root, NOT_CHECKED) as Schema, '2020-12', false);
  return {
    schema: without(root, NOT_FOR_THE_MODEL),
    read(value) {
      const data = named(value, root);
      const { valid, errors } = validator.validate(data);
      if (valid) return { data: data as Record<string, unknown> };
      return {
        problems: errors.map(({ instanceLocation, error }) => ({ where: instanceLocation.slice(2), what: error })),
      };
    },
  };
}

function without(node: Node, keywords: readonly (keyof Node)[]): Record<string, unknown> {
  const { properties, required, items, anyOf, oneOf, ...rest } = node;
  const inner = (each: Node) => without(each, keywords);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !keywords.includes(keyword as keyof Node))),
    // `named` removes properties that `properties` omits, so they must not be required.
    ...(required && { required: required.filter((name) => !properties || Object.hasOwn(properties, name)) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])),
    }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
    ...(oneOf && { oneOf: oneOf.map(inner) }),
  };
}

/**
 * Removes properties that the schema does not name: a transcript must not add fields of its own. A property is named if
 * the node or one of its alternatives names it.
 */
function named(value: unknown, node: Node): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const all = withAlternatives(node);
  if (Array.isArray(value)) {
    const ofItems = all.flatMap(({ items }) => (items ? [items] : []));
    return ofItems.length > 0 ? value.map((one) => named(one, { anyOf: ofItems })) : value;
  }
  const described = all.flatMap(({ properties }) => (properties ? [properties] : []));
  if (described.length === 0) return value;
  const required = new Set(all.flatMap(({ required = [] }) => required));
  const names = new Set(described.flatMap((properties) => Object.keys(properties)));
  const fields = value as Record<string, unknown>;
  const kept = [...names].flatMap((name) => {
    if (!Object.hasOwn(fields, name)) return [];
    if (fields[name] === null && !required.has(name)) return [];
    const anyOf = described.flatMap((properties) =>
      Object.hasOwn(properties, name) ? [properties[name] as Node] : [],
    );
    return [[name, named(fields[name], { anyOf })] as const];
  });
  return Object.fromEntries(kept);
}

const withAlternatives = (node: Node): Node[] => [
  node,
  ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(withAlternatives),
];
