/**
 * Reads how a number begins, as people type it: with a plus sign where it has its country code. Without one, the API
 * reads it in the organization's region. @returns undefined for what is none
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
