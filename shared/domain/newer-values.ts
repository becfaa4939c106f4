import * as z from 'zod/mini';

/**
 * An item for readers that only show it: a newer version may have written a name that this one does not know, so a name
 * from a list is any text, and a part whose form depends on its `kind` may have any members.
 */
export type Shown<T> = unknown extends T
  ? T
  : T extends string
    ? string
    : T extends number | boolean | null | undefined
      ? T
      : T extends { kind: infer Kind }
        ? IsOne<Kind> extends true
          ? { kind: string; [member: string]: unknown }
          : ShownMembers<T>
        : T extends ReadonlySet<infer Member>
          ? Set<Shown<Member>>
          : T extends readonly (infer Member)[]
            ? Shown<Member>[]
            : ShownMembers<T>;

type ShownMembers<T> = { [Name in keyof T]: Shown<T[Name]> };

/** Whether a `kind` is a single name, which distinguishes the forms of a part. */
type IsOne<Kind, Each = Kind> = Kind extends unknown ? ([Each] extends [Kind] ? true : false) : never;

type Mini = z.ZodMiniType;

/**
 * Makes the schema of a name of this list, or of one that a newer version wrote: for answers that show stored items.
 */
export const orNewer = (names: readonly [string, ...string[]]) => z.union([z.enum(names), z.string()]);

/**
 * Makes the schema for readers that only show what `schema` describes (docs/architecture.md, "Values of newer
 * versions"). Workers decide by `schema` itself, which refuses a name that it does not know.
 * @throws for a type of schema that it cannot open for newer values
 */
export const shownSchemaOf = <Schema extends Mini>(schema: Schema): z.ZodMiniType<Shown<z.output<Schema>>> =>
  open(schema) as z.ZodMiniType<Shown<z.output<Schema>>>;

const leaves: readonly string[] = ['string', 'number', 'boolean', 'null', 'unknown'];

function open(schema: Mini): Mini {
  const def = (schema as unknown as z.core.$ZodTypes)._zod.def;
  const inner = (part: z.core.$ZodType) => open(part as Mini);
  switch (def.type) {
    case 'enum':
      return z.string();
    case 'literal':
      return def.values.every((value) => typeof value === 'string') ? z.string() : schema;
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, inner(part)]));
      return isLoose(def) ? z.looseObject(shape) : z.object(shape);
    }
    case 'optional':
      return z.optional(inner(def.innerType));
    case 'nullable':
      return z.nullable(inner(def.innerType));
    case 'array':
      return z.array(inner(def.element));
    case 'set':
      return z.set(inner(def.valueType));
    case 'record':
      return z.record(z.string(), inner(def.valueType));
    case 'union':
      return def.options.every(hasKind) ? z.looseObject({ kind: z.string() }) : z.union(def.options.map(inner));
    default:
      if (leaves.includes(def.type)) return schema;
      throw new Error(`a schema of type ${def.type} cannot be opened for newer values`);
  }
}

const isLoose = ({ catchall }: z.core.$ZodObjectDef): boolean =>
  (catchall as z.core.$ZodTypes | undefined)?._zod.def.type === 'unknown';

const hasKind = (option: z.core.$ZodType): boolean => {
  const { def } = (option as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.every(hasKind);
  return def.type === 'object' && 'kind' in def.shape;
};
