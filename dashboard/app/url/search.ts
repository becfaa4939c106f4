// Every value is a text, as in any address that people type or share.

export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

type Search = Readonly<Record<string, unknown>>;

/**
 * Makes the reader of an address drop the values that it ignores, which the router would otherwise pass on.
 * @param read returns the valid values of an address
 */
export const strictSearch = <Read extends (search: Search) => object>(read: Read): Read =>
  ((search) => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...read(search),
  })) as Read;

/** @returns the query with its question mark; '' if it is empty */
export function stringifySearch(search: Search): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const query = String(new URLSearchParams(Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))));
  return query === '' ? '' : `?${query}`;
}
