/**
 * Reads the beginning of a number as people type it, with a plus sign if it has a country code. Without one, the API
 * assumes the organization's region. @returns undefined if it is not a number
 */
export function readPrefix(typed: unknown): string | undefined {
  if (typeof typed !== 'string') return undefined;
  const bare = typed.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return /^\+?\d{1,15}$/.test(bare) ? bare : undefined;
}

export type NumberSearch = { prefix?: string };

export function readNumberSearch({ prefix }: Readonly<Record<string, unknown>>): NumberSearch {
  const read = readPrefix(prefix);
  return read === undefined ? {} : { prefix: read };
}
