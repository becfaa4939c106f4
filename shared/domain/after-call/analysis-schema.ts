import { type Schema, Validator } from '@cfworker/json-schema';
import * as z from 'zod/mini';

/**
 * The limits of an assistant's analysis_schema. A customer writes it, so it may have no references, which can expand
 * without end, and no pattern of it is executed.
 */
const MOST_CHARACTERS = 16_384;
const MOST_DEPTH = 8;

const typeName = z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const count = z.optional(z.int().check(z.nonnegative()));
const bound = z.optional(z.number());
const ignored = z.optional(z.unknown());

const nodeSchema = z.strictObject({
  type: z.optional(z.union([typeName, z.array(typeName).check(z.minLength(1))])),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  enum: z.optional(z.array(scalar).check(z.minLength(1))),
  const: z.optional(scalar),
  get properties() {
    return z.optional(z.record(z.string(), nodeSchema));
  },
  required: z.optional(z.array(z.string())),
  get items() {
    return z.optional(nodeSchema);
  },
  get anyOf() {
    return z.optional(z.array(nodeSchema).check(z.minLength(1)));
  },
  get oneOf() {
    return z.optional(z.array(nodeSchema).check(z.minLength(1)));
  },
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  format: z.optional(z.string()),
  pattern: z.optional(z.string()),
  additionalProperties: ignored,
  default: ignored,
  examples: ignored,
  $schema: ignored,
  $id: ignored,
  $comment: ignored,
});
type Node = z.infer<typeof nodeSchema>;

/** Keywords that models of Bedrock refuse in tools (Nova guide, "Defining a tool"; others by trial). */
const NOT_FOR_THE_MODEL = [
  'additionalProperties',
  'default',
  'examples',
  'pattern',
  '$schema',
  '$id',
  '$comment',
] as const;
/** A customer's pattern may never terminate, and a format is an annotation (JSON Schema 2020-12, Validation, 7). */
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
 * @param schema an assistant's analysis_schema.
 * @returns the extraction, or why the schema cannot be used: too long, too deep, not an object, an unsupported keyword.
 */
export function extractionBy(schema: Record<string, unknown>): Extraction | { problem: string } {
  if (JSON.stringify(schema).length > MOST_CHARACTERS) return { problem: `longer than ${MOST_CHARACTERS} characters` };
  if (!isWithinDepth(schema, 2 * MOST_DEPTH)) return { problem: `more than ${MOST_DEPTH} levels deep` };
  const parsed = nodeSchema.safeParse(schema);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
    return { problem: wrong.slice(0, 5).join('; ') };
  }
  const root = parsed.data;
  if (root.type !== 'object' || !root.properties) return { problem: 'not the schema of an object with properties' };
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

/** A level of the schema may have two levels of JSON: `properties` and the property. */
const isWithinDepth = (value: unknown, most: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (most > 0 && Object.values(value).every((each) => isWithinDepth(each, most - 1)));

function without(node: Node, keywords: readonly (keyof Node)[]): Record<string, unknown> {
  const { properties, required, items, anyOf, oneOf, ...rest } = node;
  const inner = (each: Node) => without(each, keywords);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !keywords.includes(keyword as keyof Node))),
    // `named` removes what `properties` does not name, so it must not be required.
    ...(required && { required: required.filter((name) => !properties || Object.hasOwn(properties, name)) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])),
    }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
    ...(oneOf && { oneOf: oneOf.map(inner) }),
  };
}

/** Removes what the schema does not name: a transcript must not add fields of its own. */
function named(value: unknown, { properties, items, required = [] }: Node): unknown {
  if (Array.isArray(value)) return items ? value.map((each) => named(each, items)) : value;
  if (typeof value !== 'object' || value === null || !properties) return value;
  const fields = value as Record<string, unknown>;
  const kept = Object.entries(properties).flatMap(([name, schema]) => {
    if (!Object.hasOwn(fields, name)) return [];
    if (fields[name] === null && !required.includes(name)) return [];
    return [[name, named(fields[name], schema)] as const];
  });
  return Object.fromEntries(kept);
}
