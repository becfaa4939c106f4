import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as z from 'zod/mini';

const SHARED = resolve('shared');

/**
 * Where a schema accepts one of a list of names: `path` within the item, with `[]` for the members of a list, and
 * `name` for their names.
 */
export type StoredList = { path: string[]; values: string[] };

type Schema = z.core.$ZodTypes;

/**
 * Finds every list of names in a schema that accepts no others.
 * @throws for a form of schema that this function does not know
 */
export function listsIn(schema: z.core.$ZodType, path: string[] = []): StoredList[] {
  const { def } = (schema as Schema)._zod;
  const inside = (part: z.core.$ZodType, ...more: string[]) => listsIn(part, [...path, ...more]);
  switch (def.type) {
    case 'enum':
      return [{ path, values: Object.values(def.entries).map(String) }];
    case 'literal':
      return def.values.every((value) => typeof value === 'string') ? [{ path, values: def.values.map(String) }] : [];
    case 'object':
      return Object.entries(def.shape).flatMap(([name, part]) => inside(part, name));
    case 'optional':
    case 'nullable':
    case 'default':
      return inside(def.innerType);
    case 'array':
      return inside(def.element, '[]');
    case 'set':
      return inside(def.valueType, '[]');
    case 'record':
      return [...inside(def.keyType, 'name'), ...inside(def.valueType, '[]')];
    case 'union': {
      const lists = merged(def.options.flatMap((option) => inside(option)));
      return def.options.some(isText) ? lists.filter((list) => list.path.length > path.length) : lists;
    }
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
    case 'null':
      return [];
    default:
      throw new Error(`test/unit/support/stored-lists.ts does not know schemas of type ${def.type}`);
  }
}

const isText = (schema: z.core.$ZodType): boolean => (schema as Schema)._zod.def.type === 'string';

/** The options of a union have one list for each path, such as their `kind`. */
function merged(lists: readonly StoredList[]): StoredList[] {
  const byPath = Map.groupBy(lists, ({ path }) => path.join('.'));
  return [...byPath.values()].map((same) => ({
    path: same[0]?.path ?? [],
    values: [...new Set(same.flatMap(({ values }) => values))],
  }));
}

const filesIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(SHARED, folder), { recursive })
    .map((name) => join(SHARED, folder, String(name)))
    .filter((file) => file.endsWith('.ts'))
    .sort();

const isSchema = (value: unknown): value is z.core.$ZodType =>
  typeof value === 'object' && value !== null && '_zod' in value;

/** The stores whose source has a list of its own, which no other file could find. */
export const storesWithOwnLists = (): string[] =>
  filesIn('stores', true).filter((file) => /\bz\s*\.(enum|literal)\(/.test(readFileSync(file, 'utf8')));

/**
 * Finds the schemas by which stores and workers read items and messages, by their names. Leaves out those that a store
 * uses only in `shownSchemaOf(…)`, and so only to show an item.
 */
export async function readingSchemas(): Promise<Map<string, z.core.$ZodType>> {
  const found = new Map<string, z.core.$ZodType>();
  for (const file of filesIn('stores', true)) {
    const source = readFileSync(file, 'utf8');
    for (const [, names = '', from = ''] of source.matchAll(/import \{([^}]*)\} from '([^']*\/domain\/[^']*)'/g)) {
      const module: Record<string, unknown> = await import(resolve(file, '..', from));
      for (const name of names.split(',').map((one) => one.trim())) {
        const schema = module[name];
        if (isSchema(schema) && readsBy(name, source)) found.set(name, schema);
      }
    }
  }
  for (const file of filesIn('messages', false))
    for (const [name, schema] of Object.entries(await import(file))) if (isSchema(schema)) found.set(name, schema);
  return found;
}

function readsBy(name: string, source: string): boolean {
  const code = source.replaceAll(/import [^;]*;/g, '');
  return new RegExp(String.raw`(?<!shownSchemaOf\((z\.pick\()?)\b${name}\b(?!\.shape\b)`).test(code);
}
