import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parse } from 'yaml';
import { restRoutes } from '../../shared/messages/rest/routes.ts';
import { fuzz, installFuzzer, type Statuses } from '../fuzz/schemathesis.ts';
import { type Target, targetsOf } from '../fuzz/targets.ts';
import { request } from '../support/rest.ts';
import { concurrently, environment } from '../support/stack.ts';

/** `npm run fuzz` sends many, from a random seed; `npm test` a few, always the same. */
const isLong = process.env.FAULTS === 'matrix';
const EXAMPLES = isLong ? 2_000 : 12;
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 1;

/** The runner of the tests hides the console. */
const tell = (text: string) => writeSync(2, `${text}\n`);

describe('show-openapi', () => {
  it('answers the document of docs/openapi.yaml, without a key', async () => {
    const { status, body } = await request('GET', '/openapi.json');
    expect([status, body]).toEqual([200, parse(await readFile('docs/openapi.yaml', 'utf8'))]);
  });
});

type Route = (typeof restRoutes)[number];

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

/** `npm run fuzz` has a process for each route. One process for all starts once: quicker for few requests. */
const fuzzed: (Route | undefined)[] = isLong
  ? restRoutes.filter((route) => nameOf(route).includes(process.env.FUZZ_ROUTE ?? ''))
  : [undefined];

/** The answer without the proof of who sends, by the kind of proof. */
const refused = { apiKey: 401, webhookToken: 401, callSignature: 401, body: 401, link: 403, state: 400, none: 0 };

async function targetsFor(routes: readonly Route[], requests: number): Promise<Record<string, Target[]>> {
  const names = routes.map(nameOf);
  const made = await Promise.all(names.map((name) => targetsOf[name]?.(requests)));
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

/** Few requests are not spread evenly. */
const MOST_AT_THE_GATE = isLong ? 0.5 : 0.9;

/** @returns the routes most of whose requests ended at the proof of who sends, or at a limit */
const hardlyFuzzed = (statuses: Statuses): string[] =>
  restRoutes.flatMap((route) => {
    const counts = statuses[nameOf(route)] ?? {};
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const atTheGate = (counts[refused[route.proof]] ?? 0) + (counts[429] ?? 0);
    return atTheGate > all * MOST_AT_THE_GATE ? [`${nameOf(route)}: ${described(counts)}`] : [];
  });

describe('the API', () => {
  it(`answers random requests as its document says, and never with 5xx (seed ${seed})`, async () => {
    const python = await installFuzzer();
    if (!python) return;
    const common = { url: environment.base_url, examples: EXAMPLES, seed };
    const results = await concurrently(availableParallelism(), fuzzed, async (route) => {
      if (!route) return fuzz(python, { ...common, targets: await targetsFor(restRoutes, EXAMPLES) });
      const name = nameOf(route);
      const prepared = performance.now();
      const targets = await targetsFor([route], EXAMPLES);
      const started = performance.now();
      const result = await fuzz(python, { ...common, route: name, targets });
      const { code, output, cases, statuses } = result;
      const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(0);
      const times = `${seconds(started, performance.now())} s, after ${seconds(prepared, started)} s`;
      const facts = `${cases} requests in ${times}: ${described(statuses[name] ?? {})}`;
      tell(`${code === 0 ? 'ok    ' : `${output}\nFAILED`} ${name}: ${facts}`);
      return result;
    });
    const failed = results.filter(({ code }) => code !== 0).map(({ output }) => output);
    expect(failed.join('\n')).toBe('');
    expect(hardlyFuzzed(Object.assign({}, ...results.map(({ statuses }) => statuses)))).toEqual([]);
    // A route without parameters and body has one request only.
    const cases = results.reduce((sum, result) => sum + result.cases, 0);
    expect(cases).toBeGreaterThan(((isLong ? fuzzed : restRoutes).length * EXAMPLES) / 2);
  });

  it('answers no route without the proof of who sends', async () => {
    const targets = await targetsFor(restRoutes, 1);
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
