import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parse } from 'yaml';
import { restRoutes } from '../../../shared/messages/rest/routes.ts';
import { alwaysRefusing, answered, type Statuses, thinlyFuzzed, withoutInput } from '../../fuzz/counts.ts';
import { sendRandomRequests } from '../../fuzz/random-requests.ts';
import { fuzz, installFuzzer } from '../../fuzz/schemathesis.ts';
import { type MakeTargets, type Target, targetsOf } from '../../fuzz/targets.ts';
import { lengthenSessions } from '../../support/dashboard/dashboard.ts';
import { request } from '../../support/rest/rest.ts';
import { concurrently, environment } from '../../support/stack/stack.ts';

/** `npm run fuzz` sends many requests from a random seed; `npm test` sends a few, always the same. */
const isLong = process.env.FAULTS === 'matrix';
const EXAMPLES = isLong ? Number(process.env.FUZZ_REQUESTS ?? 2_000) : 6;
/** The fewest requests per route. One process for all routes spreads few requests unevenly. */
const FEWEST = isLong ? EXAMPLES : 2;
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 1;

/** Paths of the documents. */
const REST = '/openapi.json';
const DASHBOARD = '/api/openapi-dashboard.json';

/** Jest's runner hides the console. */
const tell = (text: string) => writeSync(2, `${text}\n`);

describe('show-openapi', () => {
  it('answers the document of docs/openapi.yaml, without a key', async () => {
    const { status, body } = await request('GET', REST);
    expect([status, body]).toEqual([200, parse(await readFile('docs/openapi.yaml', 'utf8'))]);
  });

  it('answers the document of docs/openapi-dashboard.yaml, without a session', async () => {
    const { status, body } = await request('GET', DASHBOARD);
    expect([status, body]).toEqual([200, parse(await readFile('docs/openapi-dashboard.yaml', 'utf8'))]);
  });
});

type Route = (typeof restRoutes)[number];

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

const refusedSession = 401;
/** The expected status of a request without the sender's proof, by the kind of proof. */
const refused = { apiKey: 401, webhookToken: 401, callSignature: 401, body: 401, link: 403, state: 400, none: 0 };

async function targetsFor(
  names: readonly string[],
  requests: number,
  makers: Record<string, MakeTargets> = targetsOf,
): Promise<Record<string, Target[]>> {
  const made = await Promise.all(names.map((name) => makers[name]?.(requests)));
  return Object.fromEntries(names.map((name, index) => [name, made[index] ?? []]));
}

/** @returns the counts by class, as `2xx 7, 4xx 5 (400 4, 429 1)` */
function described(counts: Record<string, number>): string {
  const classes = Map.groupBy(Object.entries(counts), ([status]) => `${status[0]}xx`);
  return [...classes]
    .map(([name, entries]) => {
      const each = entries.map(([status, count]) => `${status} ${count}`).join(', ');
      return `${name} ${entries.reduce((sum, [, count]) => sum + count, 0)} (${each})`;
    })
    .join(', ');
}

/** The largest share of refused requests per route; higher for few requests, which are not spread evenly. */
const MAX_REFUSED = isLong ? 0.5 : 0.9;

/** @returns the routes that refused most of their requests for lack of proof or because of a limit */
const mostlyRefused = (statuses: Statuses, gates: Readonly<Record<string, number>>): string[] =>
  Object.entries(gates).flatMap(([name, gate]) => {
    const counts = statuses[name] ?? {};
    const atTheGate = (counts[gate] ?? 0) + (counts[429] ?? 0);
    return atTheGate > answered(counts) * MAX_REFUSED ? [`${name}: ${described(counts)}`] : [];
  });

const restNames = restRoutes.map(nameOf);
const isWanted = (name: string) => name.includes(process.env.FUZZ_ROUTE ?? '');

/** Fuzzes one route in a separate process, and prints the result. */
async function fuzzOne(python: string, document: string, name: string, makers: Record<string, MakeTargets>) {
  const prepared = performance.now();
  const targets = await targetsFor([name], EXAMPLES, makers);
  const started = performance.now();
  const common = { url: environment.base_url, document, examples: EXAMPLES, seed };
  const fuzzed = await fuzz(python, { ...common, route: name, targets });
  const result = withoutInput.includes(name) ? await withRandomRequests(fuzzed, name, targets) : fuzzed;
  const { code, output, cases, statuses } = result;
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(0);
  const times = `${seconds(started, performance.now())} s, after ${seconds(prepared, started)} s`;
  const facts = `${cases} requests in ${times}: ${described(statuses[name] ?? {})}`;
  tell(`${code === 0 ? 'ok    ' : `${output}\nFAILED`} ${name}: ${facts}`);
  return result;
}

/** Fuzzes all routes of clients, CRMs and vendors in one process. */
async function fuzzAll(python: string, names: readonly string[]): Promise<Results> {
  const targets = await targetsFor(names, EXAMPLES);
  const common = { url: environment.base_url, document: REST, examples: EXAMPLES, seed };
  let fuzzed = await fuzz(python, { ...common, targets });
  for (const name of names.filter((one) => withoutInput.includes(one)))
    fuzzed = await withRandomRequests(fuzzed, name, targets);
  return [fuzzed];
}

type Fuzzed = Awaited<ReturnType<typeof fuzz>>;
type Results = Fuzzed[];

/** Adds requests with input, which a route without input must ignore. */
async function withRandomRequests(fuzzed: Fuzzed, name: string, targets: Record<string, Target[]>): Promise<Fuzzed> {
  const { statuses, failures } = await sendRandomRequests(name, {
    target: targets[name]?.[0],
    requests: EXAMPLES,
    seed,
  });
  const code = failures.length > 0 ? 1 : fuzzed.code;
  const output = [...new Set([fuzzed.output, ...failures])].join('\n');
  return { ...fuzzed, code, output, cases: fuzzed.cases + EXAMPLES, statuses: { ...fuzzed.statuses, ...statuses } };
}

/** From this number of requests per route on, some must succeed. Fewer may all be invalid. */
const FEWEST_FOR_SUCCESS = 2_000;

/**
 * Fails unless every answer was correct, each route got at least `FEWEST` requests, and no route refused more than
 * `MAX_REFUSED` of them for lack of proof or because of a limit. From `FEWEST_FOR_SUCCESS` requests on, each route in
 * `gates` must also have accepted some.
 */
function expectFuzzed(results: Results, names: readonly string[], gates: Readonly<Record<string, number>>): void {
  const failed = results.filter(({ code }) => code !== 0).map(({ output }) => output);
  expect(failed.join('\n')).toBe('');
  const statuses: Statuses = Object.assign({}, ...results.map((result) => result.statuses));
  expect(mostlyRefused(statuses, gates)).toEqual([]);
  expect(thinlyFuzzed(names, statuses, FEWEST)).toEqual([]);
  const provable = names.filter((name) => name in gates);
  if (EXAMPLES >= FEWEST_FOR_SUCCESS) expect(alwaysRefusing(provable, statuses)).toEqual([]);
}

const refusalsOf = (routes: readonly Route[]) =>
  Object.fromEntries(routes.map((route) => [nameOf(route), refused[route.proof]]));

describe('the API', () => {
  it(`answers random requests as its document says, and never with 5xx (seed ${seed})`, async () => {
    const python = await installFuzzer();
    if (!python) return;
    // Many requests get a process per route. For few requests, one process for all is quicker, because it starts once.
    const names = isLong ? restNames.filter(isWanted) : restNames;
    const results = isLong
      ? await concurrently(availableParallelism(), names, (name) => fuzzOne(python, REST, name, targetsOf))
      : await fuzzAll(python, names);
    expectFuzzed(results, names, refusalsOf(restRoutes));
    const cases = results.reduce((sum, result) => sum + result.cases, 0);
    if (!isLong) expect(cases).toBeGreaterThan((restRoutes.length * EXAMPLES) / 2);
  });

  it("refuses every request without the sender's proof, and with a forged one", async () => {
    const targets = await targetsFor(restNames, 1);
    const wrong = { Authorization: 'Bearer svc_live_x', 'X-CRMA-Webhook-Token': 'x', 'X-Call-Signature': 'x' };
    const wrongQuery = '?expires=9&key=x&signature=x&state=x&code=x';
    const proved = restRoutes.filter(({ proof }) => proof !== 'none');
    const answers = await Promise.all(
      proved.map(async ({ method, path, proof }) => {
        const [known] = targets[`${method} ${path}`] ?? [];
        const named = path.replace(/\{(\w+)\}/g, (_, name) => known?.path?.[name] ?? 'x');
        const body = { ...known?.body, ...known?.frame, ...(proof === 'body' && { token: 'x' }) };
        const sent = method === 'GET' ? {} : { body };
        const without = await request(method, named, proof === 'body' ? { body: {} } : sent);
        const forged = await request(method, named + wrongQuery, { ...sent, headers: wrong });
        return [`${method} ${path}`, without.status, forged.status];
      }),
    );
    expect(answers).toEqual(proved.map((route) => [nameOf(route), refused[route.proof], refused[route.proof]]));
  });
});

/** Many requests take longer than an access token lasts. */
const LONG_SESSION_MINUTES = 24 * 60;

// A process per route would cost too much in `npm test`. There, the tests of the dashboard compare every
// answer with the document, and the authorization tests send invalid bodies to each route.
if (isLong)
  describe('the API of the dashboard', () => {
    it(`answers random requests as its document says, and never with 5xx (seed ${seed})`, async () => {
      const python = await installFuzzer();
      if (!python) return;
      const { dashboardTargets, limitedRoutes } = await import('../../fuzz/dashboard-targets.ts');
      await lengthenSessions(LONG_SESSION_MINUTES);
      const names = Object.keys(dashboardTargets).filter(isWanted);
      for (const name of names)
        if (limitedRoutes[name]) tell(`mostly refused: ${name}, because ${limitedRoutes[name]}`);
      const results = await concurrently(availableParallelism(), names, (name) =>
        fuzzOne(python, DASHBOARD, name, dashboardTargets),
      );
      const gates = names.filter((name) => !limitedRoutes[name]).map((name) => [name, refusedSession]);
      expectFuzzed(results, names, Object.fromEntries(gates));
    });
  });
