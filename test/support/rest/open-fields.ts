import type * as z from 'zod/mini';

type Schema = Pick<z.ZodMiniType, '_zod'>;
/** The parts of a definition that hold other schemas. */
type Definition = {
  type: string;
  format?: string;
  shape?: Record<string, Schema>;
  options?: Schema[];
  innerType?: Schema;
  element?: Schema;
};

/** Values that cannot be an id. */
const closed = ['boolean', 'enum', 'int', 'literal', 'null', 'number'];

/**
 * Lists the members of a schema that may hold an id: texts of any form, and values of any kind.
 * @returns their names, with dots for members of members; an empty name for a schema that is such a value itself
 */
export const openFieldsOf = (schema: Schema | undefined): string[] => [...new Set(schema ? fieldsIn(schema, []) : [])];

function fieldsIn(schema: Schema, path: readonly string[]): string[] {
  const { type, format, shape, options, innerType, element } = schema._zod.def as Definition;
  if (shape) return Object.entries(shape).flatMap(([name, member]) => fieldsIn(member, [...path, name]));
  if (options) return options.flatMap((option) => fieldsIn(option, path));
  const inner = innerType ?? element;
  if (inner) return fieldsIn(inner, path);
  return closed.includes(type) || format === 'datetime' ? [] : [path.join('.')];
}
