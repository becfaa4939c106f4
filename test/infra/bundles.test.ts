import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundleFolder, bundleFunctions, bundleInto, readMetafile } from '../../lib/bundle.ts';
import { functionNames, functionRow } from '../../lib/functions.ts';

const MOST_KB_OF_A_ROUTE = 450;
/** The size limits of routes that need more, because their callers wait for something slower anyway. */
const mostKb: Readonly<Record<string, number>> = {
  // Counts requests without a valid key and reads the key of erased numbers, besides the parser of numbers: 32 KB.
  'place-call': 485,
  // Uses clients of DynamoDB, the bucket, a secret and the language model.
  'analyze-call': 585,
  'repeat-analysis': 585,
  // Signs links of the bucket, besides a client of DynamoDB.
  'open-recording': 470,
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
const mostKbOf = (name: string) => mostKb[name] ?? MOST_KB_OF_A_ROUTE;

const routes = functionNames.filter((name) => functionRow(name).trigger.kind === 'http');

const NUMBER_PARSER = /node_modules\/libphonenumber-js\//;
/** Needs the one spelling of a number, for lists and claims: 118 KB, about 20 ms of a cold start (measured). */
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
/** Decides a lead as of now, with its day and its call window: what workers do takes their code. */
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
];

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

  it.each(functionNames)('of %s exports its handler and nothing else', (name) => {
    expect(outputOf(name).exports).toEqual(['handler']);
    expect(outputOf(name).entryPoint).toBe(`functions/${functionRow(name).entry}.ts`);
  });

  it.each(children)('of %s/%s is the program named in its row', (name, child, file) => {
    expect(outputOf(name, child).entryPoint).toBe(`functions/${file}.ts`);
  });

  it.each(packages)("of %s/%s imports nothing at run time, and takes Node.js' modules without a view", (name, file) => {
    expect(outputOf(name, file).imports.filter(({ external }) => external)).toEqual([]);
  });

  it.each(packages)(
    'of %s/%s ends with its name, by which stack traces tell it, and has no source map',
    (name, file) => {
      const bundle = readFileSync(join(bundleFolder(name), `${file}.mjs`), 'utf8');
      const end = bundle.lastIndexOf('//# sourceURL=');
      const id = createHash('sha256').update(bundle.slice(0, end)).digest('hex').slice(0, 12);
      expect(bundle.slice(end)).toBe(`//# sourceURL=${name}/${file}.${id}.mjs\n`);
      expect(bundle.slice(end).length).toBeLessThan(80);
      expect(bundle).not.toContain('sourceMappingURL=data');
      expect(bundle).not.toMatch(/^\/\/[#@] sourceMappingURL/m);
    },
  );

  it.each(functionNames)('of %s is packaged with nothing but its programs', (name) => {
    const programs = ['index', ...Object.keys(functionRow(name).children ?? {})];
    expect(readdirSync(bundleFolder(name)).sort()).toEqual(programs.map((program) => `${program}.mjs`).sort());
  });

  it.each(packages)('of %s/%s contains no test, simulator or infrastructure', (name, file) => {
    const inputs = Object.keys(outputOf(name, file).inputs);
    expect(inputs.filter((path) => !/^((node_modules|functions|shared)\/|built-in:)/.test(path))).toEqual([]);
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

  it('leaves the bundles of the same inputs as they are, and makes them again where one is missing', async () => {
    await bundleInto(folder, ['show-me']);
    const made = readFileSync(bundle, 'utf8');
    writeFileSync(bundle, 'as they are');
    await bundleInto(folder, ['show-me']);
    expect(readFileSync(bundle, 'utf8')).toBe('as they are');
    rmSync(bundle);
    await bundleInto(folder, ['show-me']);
    expect(readFileSync(bundle, 'utf8')).toBe(made);
  });

  it('makes them again for other inputs', async () => {
    writeFileSync(bundle, 'of other inputs');
    await bundleInto(folder, ['show-me', 'list-members']);
    expect(readFileSync(bundle, 'utf8')).not.toBe('of other inputs');
  });
});
