import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundleFolder, bundleFunctions, bundleInto, readMetafile } from '../../lib/bundle.ts';
import { functionNames, functionRow } from '../../lib/functions.ts';

const MAX_KB_OF_A_ROUTE = 450;
/** The size limits of larger routes, whose callers wait for slower work anyway. */
const mostKb: Readonly<Record<string, number>> = {
  // Counts requests without a valid key and reads the key of erased numbers, besides the parser of numbers: 32 KB.
  'place-call': 485,
  // Uses clients of DynamoDB, the bucket, a secret and the language model.
  'analyze-call': 585,
  'repeat-analysis': 585,
  // Looks up recordings in the bucket, besides a client of DynamoDB.
  'link-recording': 470,
  // Reads from six tables and the bucket.
  'show-call': 480,
  // Decides a lead as of now, with clients of KMS and a secret: numbers, days and call windows take their packages.
  'explain-lead': 585,
  // Includes a parser of multipart bodies besides DynamoDB and S3.
  'upload-knowledge': 485,
  'add-knowledge': 490,
  // Removes texts from the bucket, besides clients of DynamoDB.
  'delete-assistant': 480,
  'remove-knowledge': 460,
};
const mostKbOf = (name: string) => mostKb[name] ?? MAX_KB_OF_A_ROUTE;

const routes = functionNames.filter((name) => functionRow(name).trigger.kind === 'http');

const NUMBER_PARSER = /node_modules\/libphonenumber-js\//;
/** Needs the canonical spelling of a number for lists and claims: 118 KB, about 20 ms of a cold start (measured). */
const parsesNumbers: readonly string[] = [
  'place-call',
  'update-me',
  'add-do-not-call',
  'list-do-not-call',
  'list-calls',
  'explain-lead',
  'update-organization',
  // For the number to which calls are transferred.
  'create-assistant',
  'update-assistant',
];

const DAYS = /node_modules\/luxon\//;
/** Decides a lead at the present time, with its day and its call window, and therefore contains the workers' code. */
const countsDays: readonly string[] = ['explain-lead'];

/** Packages that are too slow to load for a request with a waiting caller. */
const heavy = [
  DAYS,
  /node_modules\/zod\/(?!v4\/(core|mini)\/|mini\/)/,
  /node_modules\/zod\/.*\/locales\/(?!en\.)/,
  /node_modules\/@aws-lambda-powertools\/tracer\//,
  /node_modules\/aws-xray-sdk/,
  /node_modules\/(pdf-parse|pdfjs-dist|mammoth|yauzl|fflate|aws-cdk|aws-cdk-lib|constructs)\//,
  NUMBER_PARSER,
  /node_modules\/@aws-sdk\/(credential-provider-(?!env)|client-sso|client-sts|token-providers)/,
  // Lambda has no configuration files.
  /node_modules\/@smithy\/core\/.*\/shared-ini-file-loader\/(readFile|parseIni|loadSharedConfigFiles)\./,
  // Addresses from services, which none of our clients requests.
  /node_modules\/mnemonist\//,
];

const EVENT_STREAMS = /node_modules\/@smithy\/core\/.*\/event-streams\//;
/** The clients that always import the code for event streams. */
const STREAMING_CLIENTS = /node_modules\/@aws-sdk\/client-(s3|bedrock-runtime)\//;

let metafile: Metafile;
const outputOf = (name: string, file = 'index') => {
  const output = metafile.outputs[`dist/functions/${name}/${file}.mjs`];
  if (!output) throw new Error(`no bundle of ${name}`);
  return output;
};
/** Programs that functions start; they are packaged with the function. */
const children = functionNames.flatMap((name) =>
  Object.entries(functionRow(name).children ?? {}).map(([child, file]) => [name, child, file] as const),
);
const packages: [string, string][] = [
  ...functionNames.map((name): [string, string] => [name, 'index']),
  ...children.map(([name, child]): [string, string] => [name, child]),
];

beforeAll(async () => {
  await bundleFunctions();
  metafile = readMetafile();
}, 60_000);

describe('the bundles', () => {
  it('exist for every function and every child', () => {
    expect(Object.keys(metafile.outputs).sort()).toEqual(
      packages.map(([name, file]) => `dist/functions/${name}/${file}.mjs`).sort(),
    );
  });

  it.each(functionNames)('of %s exports only its handler', (name) => {
    expect(outputOf(name).exports).toEqual(['handler']);
    expect(outputOf(name).entryPoint).toBe(`functions/${functionRow(name).entry}.ts`);
  });

  it.each(children)('of %s/%s is the program named in its row', (name, child, file) => {
    expect(outputOf(name, child).entryPoint).toBe(`functions/${file}.ts`);
  });

  it.each(packages)(
    'of %s/%s imports no package at run time, and names each imported module of Node.js',
    (name, file) => {
      expect(outputOf(name, file).imports.filter(({ external }) => external)).toEqual([]);
    },
  );

  it.each(functionNames)('of %s omits the modules of Node.js for streamed answers', (name) => {
    const inputs = Object.keys(outputOf(name).inputs);
    expect(inputs.filter((path) => /^built-in:(required:)?stream\/(web|promises)$/.test(path))).toEqual([]);
  });

  it.each(packages)('of %s/%s ends with its name, for stack traces, and contains no source map', (name, file) => {
    const bundle = readFileSync(join(bundleFolder(name), `${file}.mjs`), 'utf8');
    const end = bundle.lastIndexOf('//# sourceURL=');
    const id = createHash('sha256').update(bundle.slice(0, end)).digest('hex').slice(0, 12);
    expect(bundle.slice(end)).toBe(`//# sourceURL=${name}/${file}.${id}.mjs\n`);
    expect(bundle.slice(end).length).toBeLessThan(80);
    expect(bundle).not.toContain('sourceMappingURL=data');
    expect(bundle).not.toMatch(/^\/\/[#@] sourceMappingURL/m);
  });

  it.each(functionNames)('of %s is packaged only with its programs', (name) => {
    const programs = ['index', ...Object.keys(functionRow(name).children ?? {})];
    expect(readdirSync(bundleFolder(name)).sort()).toEqual(programs.map((program) => `${program}.mjs`).sort());
  });

  it.each(packages)('of %s/%s contains no test, simulator or infrastructure', (name, file) => {
    const inputs = Object.keys(outputOf(name, file).inputs);
    expect(inputs.filter((path) => !/^((node_modules|functions|shared)\/|(built-in|absent):)/.test(path))).toEqual([]);
  });
});

describe('the bundle of a route', () => {
  it.each(routes.map((name) => [name, mostKbOf(name)] as const))('of %s has at most %i KB', (name, most) => {
    expect(outputOf(name).bytes).toBeLessThanOrEqual(most * 1024);
  });

  it.each(routes)('of %s contains no heavy package', (name) => {
    const inputs = Object.entries(outputOf(name).inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const isNeeded = (pattern: RegExp) =>
      (pattern === NUMBER_PARSER && parsesNumbers.includes(name)) || (pattern === DAYS && countsDays.includes(name));
    const refused = heavy.filter((pattern) => !isNeeded(pattern));
    expect(inputs.filter(([path]) => refused.some((pattern) => pattern.test(path))).map(([path]) => path)).toEqual([]);
  });

  it.each(routes)('of %s contains the code for event streams only with a client that imports it', (name) => {
    const inputs = Object.keys(outputOf(name).inputs);
    if (inputs.some((path) => STREAMING_CLIENTS.test(path))) return;
    expect(inputs.filter((path) => EVENT_STREAMS.test(path))).toEqual([]);
  });

  it.each(routes)('of %s loads no web streams', (name) => {
    const inputs = Object.keys(outputOf(name).inputs);
    const bundle = readFileSync(join(bundleFolder(name), 'index.mjs'), 'utf8');
    if (inputs.some((path) => STREAMING_CLIENTS.test(path))) return;
    expect(bundle).not.toMatch(/(instanceof|typeof) ReadableStream/);
  });

  it('of open-recording signs its links without the client of S3', () => {
    expect(Object.keys(outputOf('open-recording').inputs).filter((path) => path.includes('/client-s3/'))).toEqual([]);
  });

  it('contains the multipart parser only if it takes uploads', () => {
    const parsing = routes.filter((name) =>
      Object.keys(outputOf(name).inputs).some((path) => path.startsWith('node_modules/busboy/')),
    );
    expect(parsing).toEqual(['upload-knowledge', 'add-knowledge']);
  });
});

describe('bundling again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  const bundle = join(folder, 'show-me', 'index.mjs');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('leaves the bundles of the same inputs unchanged, and rebuilds them if one is missing', async () => {
    await bundleInto(folder, ['show-me']);
    const made = readFileSync(bundle, 'utf8');
    writeFileSync(bundle, 'as they are');
    await bundleInto(folder, ['show-me']);
    expect(readFileSync(bundle, 'utf8')).toBe('as they are');
    rmSync(bundle);
    await bundleInto(folder, ['show-me']);
    expect(readFileSync(bundle, 'utf8')).toBe(made);
  });

  it('rebuilds them for other inputs', async () => {
    writeFileSync(bundle, 'of other inputs');
    await bundleInto(folder, ['show-me', 'list-members']);
    expect(readFileSync(bundle, 'utf8')).not.toBe('of other inputs');
  });
});
