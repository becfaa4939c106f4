import type * as z from 'zod/mini';

type Schema = z.core.$ZodType;
/** The parts of a definition that hold other schemas. */
type Definition = {
  type: string;
  format?: string;
  shape?: Record<string, Schema>;
  options?: Schema[];
  innerType?: Schema;
  element?: Schema;
};

/** Types of values that cannot be an id. */
const closed = ['boolean', 'enum', 'int', 'literal', 'null', 'number'];

/**
 * Lists the members of a schema that may hold an id: texts of any form, and values of any kind.
 * @returns their names, with dots for members of members; an empty name for a schema that is such a value itself
 */
export const openFieldsOf = (schema: Schema | undefined): string[] => [
  ...new Set(leavesOf(schema).flatMap(([name, leaf]) => (isOpen(leaf) ? [name] : []))),
];

/** @returns the members of a schema that have no members, with their names */
export const leavesOf = (schema: Schema | undefined): [string, Schema][] => (schema ? leavesIn(schema, []) : []);

function leavesIn(schema: Schema, path: readonly string[]): [string, Schema][] {
  const { shape, options, innerType, element } = definitionOf(schema);
  if (shape) return Object.entries(shape).flatMap(([name, member]) => leavesIn(member, [...path, name]));
  if (options) return options.flatMap((option) => leavesIn(option, path));
  const inner = innerType ?? element;
  return inner ? leavesIn(inner, path) : [[path.join('.'), schema]];
}

const definitionOf = (schema: Schema) => schema._zod.def as Definition;

function isOpen(leaf: Schema): boolean {
  const { type, format } = definitionOf(leaf);
  return !closed.includes(type) && format !== 'datetime';
}
