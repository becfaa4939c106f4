import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundleFolder, bundleFunctions, bundleOptions } from '../../lib/bundle.ts';
import { type FunctionName, functionNames, functionRow } from '../../lib/functions.ts';
import { createApiKey } from '../../shared/domain/organizations/api-key.ts';
import { synthesize } from '../infra/support/synthesize.ts';
import { installOwnPackages } from '../support/own-packages.ts';
import { quantile } from './support/quantile.ts';

/**
 * `npm run bench:cold`: init and first call of every route, each in a fresh process, against three peers in the same
 * run: the SDK alone (the floor), a route as it is usually written, and an Express application for all routes. All take
 * turns, because the machine's speed drifts; only the ratios are meaningful. The first call of a route ends where the
 * tables, which are empty here, know neither the key, the member nor the connection. Any other answer stops the bench.
 */
const ROUNDS = 15;

type Target = { name: string; path: string; event: object; environment: Record<string, string>; status: number };
type Measured = { init: number; first: number; status: number };

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const peers = ['floor', 'usual', 'monolith'] as const;
const entries = { floor: 'floor.ts', usual: 'usual.ts', monolith: 'monolith.mjs' } as const;
/** Express and its adapter, which nothing else needs. */
const packages = join(root, '.local', 'cold');
const folder = mkdtempSync(join(tmpdir(), 'cold-'));

/** A secret of any kind: the platform's account is JSON, and a key may be any text. */
const SECRET = { SecretString: JSON.stringify({ api_key: 'key', phone_number_id: 'number' }) };

/** The item that the peers read, from a table of their own. */
const ITEM = { Item: { call_id: { S: 'call_1' } } };

/** Answers like a service of AWS that has found nothing but secrets, and the item of the peers. */
const service = createServer(async (request, response) => {
  const body = await text(request);
  const isOfSecret = String(request.headers['x-amz-target']).endsWith('.GetSecretValue');
  const answer = isOfSecret ? SECRET : body.includes('"TableName":"calls"') ? ITEM : {};
  response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(answer));
});
await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const ids = { id: 'call_1', connectionId: 'conn_1' };
const eventOf = (route: string): object => ({
  version: '2.0',
  routeKey: route,
  rawPath: route.split(' ')[1],
  rawQueryString: '',
  headers: {
    authorization: `Bearer ${createApiKey('org1')}`,
    'content-type': 'application/json',
    'x-crma-webhook-token': 'a'.repeat(43),
  },
  pathParameters: ids,
  body: JSON.stringify({ phone_number: '+919812345678', assistant_id: 'asst_1' }),
  isBase64Encoded: false,
  requestContext: {
    http: { method: route.split(' ')[0], path: route.split(' ')[1], sourceIp: '192.0.2.1' },
    authorizer: { jwt: { claims: { sub: 'user_1', iat: '1', exp: '9999999999', token_use: 'access' } } },
    requestId: 'request-1',
  },
});

/** What routes answer that do not refuse an unknown key or member. */
const statuses: Partial<Record<FunctionName, number>> = {
  'show-openapi': 200,
  'answer-unknown-route': 404,
  'open-recording': 403, // no valid link
  'receive-voice-message': 401,
  'receive-crm-a-lead': 404, // no such connection
  'receive-crm-b-notification': 404,
  'confirm-crm-a-webhook': 200,
  'connect-crm-b': 400, // no valid state
  'connect-help-desk': 400,
};

const statusOf = (name: FunctionName): number =>
  statuses[name] ?? (functionRow(name).entry.startsWith('rest/') ? 401 : 403);

/** The settings of every function, from the templates; what CloudFormation fills in is a name or an address. */
function environments(): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const { Properties } of synthesize('local').ofType('AWS::Lambda::Function')) {
    const variables = Object.entries<unknown>(Properties.Environment?.Variables ?? {});
    const filled = variables.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : name.endsWith('_URL') ? `${endpoint}/1/queue` : 'filled-in',
    ]);
    found.set(Properties.Environment?.Variables.POWERTOOLS_SERVICE_NAME, Object.fromEntries(filled));
  }
  return found;
}

function routes(): Target[] {
  const settings = environments();
  return functionNames.flatMap((name: FunctionName) => {
    const { trigger } = functionRow(name);
    if (trigger.kind !== 'http') return [];
    const environment = settings.get(name);
    if (!environment) throw new Error(`no template has the settings of ${name}`);
    const path = join(bundleFolder(name), 'index.mjs');
    return { name, path, event: eventOf(trigger.routes[0] ?? ''), environment, status: statusOf(name) };
  });
}

async function bundledPeers(): Promise<Target[]> {
  await Promise.all(
    peers.map((peer) => {
      const entryPoints = { [peer]: join(here, 'cold', entries[peer]) };
      const nodePaths = [join(packages, 'node_modules')];
      const { alias: _, plugins: __, ...usual } = bundleOptions;
      return build({ ...(peer === 'floor' ? bundleOptions : usual), entryPoints, nodePaths, outdir: folder });
    }),
  );
  return peers.map((name) => ({
    name,
    path: join(folder, `${name}.mjs`),
    event: { ...eventOf('GET /calls'), pathParameters: {} },
    environment: {},
    status: 200,
  }));
}

async function measure({ name, path, event, environment, status }: Target): Promise<Measured> {
  const { PATH = '' } = process.env;
  const credentials = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' };
  const env = { PATH, ...credentials, ...environment, AWS_ENDPOINT_URL: endpoint };
  const { stdout } = await run(process.execPath, [join(here, 'cold', 'measure.mjs'), path, JSON.stringify(event)], {
    env,
    timeout: 60_000,
  });
  const printed = stdout.split('\n@').at(-1);
  if (printed === undefined) throw new Error(`${name} printed no times`);
  const measured = JSON.parse(printed) as Measured;
  if (measured.status !== status) throw new Error(`${name} answered ${measured.status} instead of ${status}`);
  return measured;
}

try {
  installOwnPackages(join(here, 'cold'), packages);
  await bundleFunctions();
  const targets = [...(await bundledPeers()), ...routes()];
  const measured = new Map(targets.map(({ name }) => [name, [] as Measured[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const target of targets) measured.get(target.name)?.push(await measure(target));

  const median = (name: string, time: (one: Measured) => number) => quantile((measured.get(name) ?? []).map(time), 0.5);
  const whole = (name: string) => median(name, ({ init, first }) => init + first);
  console.log(`${ROUNDS} fresh processes each, in turns; medians in milliseconds, and ratios of init + first call`);
  const line = (name: string) => {
    const { status = 0 } = measured.get(name)?.[0] ?? {};
    const figures = [median(name, ({ init }) => init), median(name, ({ first }) => first)].map((time) =>
      time.toFixed(1),
    );
    const ratios = peers.map((peer) => `${(whole(name) / whole(peer)).toFixed(2)} × ${peer}`);
    console.log([name.padEnd(26), ...figures.map((figure) => figure.padStart(7)), status, ...ratios].join('  '));
  };
  for (const { name } of targets) line(name);
  const rest = functionNames.filter((name) => functionRow(name).entry.startsWith('rest/'));
  const middle = quantile(rest.map(whole), 0.5);
  console.log(
    `the median REST route: ${(middle / whole('usual')).toFixed(2)} × usual (at most 0.45), ${(middle / whole('floor')).toFixed(2)} × floor (at most 1.3)`,
  );
} finally {
  service.close();
  rmSync(folder, { recursive: true });
}
