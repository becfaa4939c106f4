import * as z from 'zod/mini';

/**
 * The limits of an assistant's analysis_schema. A customer writes it, so references, which can expand without end, are
 * refused, and its patterns are never executed.
 */
const MAX_CHARACTERS = 16_384;
const MAX_DEPTH = 8;

const typeNames = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
const typeName = z.enum(typeNames);
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

/** A schema, or a part of one. */
export type AnalysisNode = z.infer<typeof nodeSchema>;

const NAMED_PROBLEMS = 5;

/**
 * Checks an assistant's analysis_schema, for its author and before every analysis.
 * @returns its root, or why it cannot be used: too long, too deep, not an object, an unsupported keyword.
 */
export function readAnalysisSchema(
  schema: Readonly<Record<string, unknown>>,
): { ok: true; root: AnalysisNode } | { ok: false; problem: string } {
  const refused = (problem: string) => ({ ok: false as const, problem });
  // First, because the other checks recurse, so a deep schema would exhaust their stack.
  if (!isWithinDepth(schema, 2 * MAX_DEPTH)) return refused(`more than ${MAX_DEPTH} levels deep`);
  if (JSON.stringify(schema).length > MAX_CHARACTERS) return refused(`longer than ${MAX_CHARACTERS} characters`);
  const parsed = nodeSchema.safeParse(schema);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) =>
      [issue.path.join('.'), issueMessage(issue)].filter(Boolean).join(': '),
    );
    return refused(wrong.slice(0, NAMED_PROBLEMS).join('; '));
  }
  const { type, properties } = parsed.data;
  if (type !== 'object' || !properties) return refused('not the schema of an object with properties');
  return { ok: true, root: parsed.data };
}

/** Explains an issue: zod/mini itself says only "Invalid input". */
function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not supported`;
  const [parent, name] = issue.path.slice(-2);
  if (issue.code === 'too_small' && name === 'enum') return 'must have at least one choice';
  if ((name ?? parent) === 'type' && parent !== 'properties')
    return `must be one of ${typeNames.join(', ')}, or a list of them`;
  return 'is not valid JSON Schema';
}

/** Limits the levels of JSON. A level of the schema may have two of them: `properties` and the property. */
const isWithinDepth = (value: unknown, most: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (most > 0 && Object.values(value).every((each) => isWithinDepth(each, most - 1)));
