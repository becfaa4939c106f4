import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import { build } from 'esbuild';
import { builtInModules } from '../../lib/built-in-modules.ts';
import { bundleFolder, bundleFunctions, bundleOptions } from '../../lib/bundle.ts';
import { type FunctionName, functionNames, functionRow } from '../../lib/functions.ts';
import { recordingLink } from '../../shared/domain/after-call/recording-link.ts';
import { hashApiKey, newApiKey } from '../../shared/domain/organizations/api-key.ts';
import { callItem } from '../../shared/stores/calls/call-item.ts';
import { keyCounterStore } from '../../shared/stores/organizations/key-counters.ts';
import { synthesize } from '../infra/support/synthesize.ts';
import { installOwnPackages } from '../support/runner/own-packages.ts';
import { aCall } from '../unit/support/call.ts';
import { anAssistant, anOrg, ORG } from '../unit/support/worlds/items.ts';
import { quantile } from './support/quantile.ts';

/**
 * `npm run bench:cold`: init and first call of every route, each in a fresh process, against three peers in the same
 * run: the SDK alone (the floor), a route as it is usually written, and an Express application for all routes. Routes
 * and peers take turns, because the machine's speed drifts; only the ratios of a round are meaningful. The first call
 * of a route of the API is one with a valid key or link, which reads or places a call. The first call of another route
 * is refused, because the tables hold neither the member nor the connection. Any other answer stops the bench. `npm run
 * bench:cold -- NAME NAME` measures these routes only.
 */
const ROUNDS = 15;

type Target = { name: string; path: string; event: object; environment: Record<string, string>; status: number };
/** In milliseconds. `cpu` is the processor time of both. */
type Measured = { init: number; first: number; cpu: number; status: number };

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const peers = ['floor', 'usual', 'monolith'] as const;
const entries = { floor: 'floor.ts', usual: 'usual.ts', monolith: 'monolith.mjs' } as const;
/** Express and its adapter, which no other peer needs. */
const packages = join(root, '.local', 'cold');
const folder = mkdtempSync(join(tmpdir(), 'cold-'));

/** A secret of any kind: the platform's account is JSON, and a key may be any text. */
const SECRET = { SecretString: JSON.stringify({ api_key: 'key', phone_number_id: 'number' }) };

/** The item that the peers read, from a table of their own. */
const ITEM = { Item: { call_id: { S: 'call_1' } } };

const API_KEY = newApiKey(ORG);
/** The items that requests with the key read. Here, each table has the name of its setting. */
const ITEMS: Readonly<Record<string, object>> = {
  API_KEYS_TABLE: {
    key_hash: hashApiKey(API_KEY),
    key_id: 'key_1',
    org_id: ORG,
    name: 'backend',
    permissions: ['calls:read', 'calls:write'],
    created_at: '2026-03-02T06:00:00.000Z',
  },
  ORGANIZATIONS_TABLE: anOrg(),
  ASSISTANTS_TABLE: anAssistant(),
  CALLS_TABLE: callItem(aCall({ call_id: 'call_1', recording: { state: 'stored', key: 'recordings/org/call.wav' } })),
};
/** The counters of a key that was used before in this hour. */
const COUNTERS = keyCounterStore({} as never, '').beginning('').Put?.Item as object;

const stored = (table: string) => marshall(ITEMS[table] ?? {}, { removeUndefinedValues: true });

/** Answers like AWS services that store the items of one organization, and secrets. */
function answerTo(action: string, body: string): object {
  if (action === 'GetSecretValue') return SECRET;
  if (action === 'GetItem' && body.includes('"TableName":"calls"')) return ITEM;
  if (action === 'GetItem' && body.includes('"TableName":"CALLS_TABLE"')) return { Item: stored('CALLS_TABLE') };
  if (action === 'UpdateItem' && body.includes('"RATE_LIMITS_TABLE"')) return { Attributes: marshall(COUNTERS) };
  if (action !== 'BatchGetItem') return {};
  const { RequestItems } = JSON.parse(body) as { RequestItems: Record<string, { Keys: object[] }> };
  const found = (table: string, keys: readonly object[]) => {
    const item = stored(table);
    return keys.some((key) => Object.entries(key).every(([name, value]) => isDeepStrictEqual(item[name], value)))
      ? [item]
      : [];
  };
  const tables = Object.entries(RequestItems).map(([table, { Keys }]) => [table, found(table, Keys)]);
  return { Responses: Object.fromEntries(tables), UnprocessedKeys: {} };
}

const service = createServer(async (request, response) => {
  const action = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
  const answer = answerTo(action, await text(request));
  response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify(answer));
});
await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const ids = { id: 'call_1', callId: 'call_1', connectionId: 'conn_1' };
const link = new URL(recordingLink(SECRET.SecretString, 'https://calls.example', ids.callId, new Date()));
function eventOf(route: string): object {
  // `$default`, the route of all other requests, names no path.
  const [method, path = '/unknown'] = route.split(' ');
  return {
    version: '2.0',
    routeKey: route,
    rawPath: path,
    rawQueryString: '',
    headers: {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      'x-crma-webhook-token': 'a'.repeat(43),
    },
    pathParameters: ids,
    ...(route.includes('/recordings/') && { queryStringParameters: Object.fromEntries(link.searchParams) }),
    body: JSON.stringify({ phone_number: '+919812345678', assistant_id: 'asst_1' }),
    isBase64Encoded: false,
    requestContext: {
      http: { method, path, sourceIp: '192.0.2.1' },
      authorizer: { jwt: { claims: { sub: 'user_1', iat: '1', exp: '9999999999', token_use: 'access' } } },
      requestId: 'request-1',
    },
  };
}

/** The expected statuses. The other routes are the dashboard's, which refuse the unknown member with 403. */
const statuses: Partial<Record<FunctionName, number>> = {
  'place-call': 202,
  'get-call': 200,
  'upload-knowledge': 404, // the id is a call's, not an assistant's
  'analyze-call': 409, // the call has no transcript yet
  'show-openapi': 200,
  'answer-unknown-route': 404,
  'open-recording': 302,
  'receive-voice-message': 401,
  'receive-crm-a-lead': 404, // no such connection
  'receive-crm-b-notification': 404,
  'confirm-crm-a-webhook': 200,
  'connect-crm-b': 400, // no valid state
  'connect-help-desk': 400,
};

const statusOf = (name: FunctionName): number => statuses[name] ?? 403;

/** The settings of every function, from the templates. Values that CloudFormation fills in are a name or an address. */
function environments(): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const { Properties } of synthesize('local').ofType('AWS::Lambda::Function')) {
    const variables = Object.entries<unknown>(Properties.Environment?.Variables ?? {});
    const filled = variables.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : name.endsWith('_URL') ? `${endpoint}/1/queue` : name,
    ]);
    found.set(Properties.Environment?.Variables.SERVICE_NAME, Object.fromEntries(filled));
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
      // The floor contains all of the SDK's code that its one request imports.
      const options = peer === 'floor' ? { ...bundleOptions, plugins: [builtInModules] } : usual;
      return build({ ...options, entryPoints, nodePaths, outdir: folder });
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

const isRest = (name: string) => functionRow(name as FunctionName).entry.startsWith('rest/');

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
  if (measured.status !== status)
    throw new Error(`${name} answered ${measured.status} instead of ${status}: ${stdout}`);
  return measured;
}

try {
  installOwnPackages(join(here, 'cold'), packages);
  await bundleFunctions();
  const wanted = process.argv.slice(2);
  const isWanted = ({ name }: Target) => wanted.length === 0 || wanted.includes(name);
  const targets = [...(await bundledPeers()), ...routes().filter(isWanted)];
  const measured = new Map(targets.map(({ name }) => [name, [] as Measured[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const target of targets) measured.get(target.name)?.push(await measure(target));

  const wall = ({ init, first }: Measured) => init + first;
  const cpu = (one: Measured) => one.cpu;
  const runsOf = (name: string) => measured.get(name) ?? [];
  const median = (name: string, time: (one: Measured) => number) => quantile(runsOf(name).map(time), 0.5);
  /** The median of the ratios of each round. */
  const ratio = (name: string, peer: string, time: (one: Measured) => number) =>
    quantile(
      runsOf(name).map((one, round) => time(one) / time(runsOf(peer)[round] as Measured)),
      0.5,
    );
  const ratios = (name: string, of: readonly string[]) =>
    of.map((peer) => `${ratio(name, peer, wall).toFixed(2)} (${ratio(name, peer, cpu).toFixed(2)}) × ${peer}`);
  console.log(
    `${ROUNDS} fresh processes each, in turns: medians of init, first call and processor time in milliseconds, and of the ratios of init + first call (and of processor time) in each round`,
  );
  for (const { name } of targets) {
    const figures = [({ init }: Measured) => init, ({ first }: Measured) => first, cpu].map((time) =>
      median(name, time).toFixed(1).padStart(7),
    );
    console.log([name.padEnd(26), ...figures, runsOf(name)[0]?.status, ...ratios(name, peers)].join('  '));
  }
  const rest = targets.slice(peers.length).flatMap(({ name }) => (isRest(name) ? [name] : []));
  const middle = rest.toSorted((one, other) => ratio(one, 'floor', wall) - ratio(other, 'floor', wall))[
    Math.floor(rest.length / 2)
  ];
  if (middle)
    console.log(
      `the median of ${rest.length} REST routes is ${middle}: ${ratios(middle, ['usual', 'floor']).join(', ')} (wanted: at most 0.45 and 1.3)`,
    );
} finally {
  service.close();
  rmSync(folder, { recursive: true });
}
