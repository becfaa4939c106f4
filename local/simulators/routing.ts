/** What a path holds in the place of `{…}` of a pattern, if it is of that pattern. */
function namesIn(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith('{')) names[part.slice(1, -1)] = value;
    else if (part !== value) return undefined;
  }
  return names;
}

/**
 * @param routes `GET /crm/v8/Leads/{id}`; of those that fit the first.
 * @returns the route and its names; `unknown` where none fits.
 */
export function routeOf(
  routes: string[],
  method: string,
  path: string,
): { route: string; names: Record<string, string> } {
  for (const route of routes) {
    const [wanted, pattern = ''] = route.split(' ');
    const names = wanted === method ? namesIn(pattern, path) : undefined;
    if (names) return { route, names };
  }
  return { route: 'unknown', names: {} };
}

/** Whether a route of another method fits the path. */
export const isKnownPath = (routes: string[], path: string): boolean =>
  routes.some((route) => namesIn(route.split(' ')[1] ?? '', path));
