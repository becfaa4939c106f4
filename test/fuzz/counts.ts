/** How often each status was answered, by method and path of the route. */
export type Statuses = Record<string, Record<string, number>>;

/** Routes with neither parameters nor a body, for which the fuzzer has nothing to generate (random-requests.ts). */
export const withoutInput: readonly string[] = [
  'GET /openapi.json',
  'GET /api/openapi-dashboard.json',
  'GET /api/dashboard/me',
  'GET /api/dashboard/connections',
  'GET /api/dashboard/organization',
  'GET /api/dashboard/organization/callback-secret',
  'POST /api/dashboard/organization/callback-secret',
];

/** @returns how many requests were answered */
export const answered = (counts: Record<string, number> = {}): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * @param names of the fuzzed routes @param fewest answered requests of a route
 * @returns the routes with fewer answered requests, as `POST /a: 1999 of 2000`
 */
export const thinlyFuzzed = (names: readonly string[], statuses: Statuses, fewest: number): string[] =>
  names.flatMap((name) => {
    const count = answered(statuses[name]);
    return count < fewest ? [`${name}: ${count} of ${fewest}`] : [];
  });

/** @returns the routes that answered none of their requests with 2xx or 3xx */
export const alwaysRefusing = (names: readonly string[], statuses: Statuses): string[] =>
  names.filter((name) => !Object.keys(statuses[name] ?? {}).some((status) => Number(status) < 400));
