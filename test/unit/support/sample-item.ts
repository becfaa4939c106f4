import type * as z from 'zod/mini';
import type { StoredList } from './stored-lists.ts';

/** A name that no version has written yet. */
export const NEWER = 'of_a_newer_version';

/**
 * Fills every member of a schema, so that each of its lists has a value, with a newer name in one of the lists. It
 * takes the first form of a union that has this list.
 */
export const sampleItem = (schema: z.core.$ZodType, { path }: Pick<StoredList, 'path'>): unknown =>
  sample(schema, path) ?? {};

/** @param path the rest of the way to the list; undefined beside it */
function sample(schema: z.core.$ZodType, path: readonly string[] | undefined): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const within = path?.slice(1);
  switch (def.type) {
    case 'enum':
      return path ? NEWER : Object.values(def.entries)[0];
    case 'literal':
      return path ? NEWER : def.values[0];
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).map(([name, part]) => [name, sample(part, name === path?.[0] ? within : undefined)]),
      );
    case 'optional':
    case 'nullable':
    case 'default':
      return sample(def.innerType, path);
    case 'array':
      return [sample(def.element, within)];
    case 'set':
      return new Set([sample(def.valueType, within)]);
    case 'record':
      return { one: sample(def.valueType, within) };
    case 'union': {
      const form = def.options.find((option) => path && hasPath(option, path)) ?? def.options[0];
      return form && sample(form, path);
    }
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'string':
      return '2026-03-02T06:00:00.000Z';
    default:
      return 'anything';
  }
}

function hasPath(schema: z.core.$ZodType, [name, ...rest]: readonly string[]): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (name === undefined) return true;
  if (def.type === 'optional' || def.type === 'nullable') return hasPath(def.innerType, [name, ...rest]);
  if (def.type !== 'object') return false;
  const part = def.shape[name];
  return part !== undefined && (rest.length === 0 || hasPath(part, rest));
}

/** Returns the item's value at the path of a list. */
export function valueAt(item: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return item;
  const parts = item instanceof Set ? Array.from(item) : (item as Record<string, unknown>);
  return valueAt(name === '[]' ? Object.values(parts)[0] : (parts as Record<string, unknown>)[name], rest);
}
