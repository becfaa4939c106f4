// Every value is a text, as in any address that people type or share.

export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** @returns the query with its question mark; '' if it is empty */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const written = String(new URLSearchParams(entries.map(([name, value]) => [name, String(value)])));
  return written === '' ? '' : `?${written}`;
}
