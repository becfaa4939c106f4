import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { bundleFunctions, readMetafile } from '../../lib/bundle.ts';
import { functionNames, functionRow } from '../../lib/functions.ts';

const MOST_KB_OF_A_ROUTE = 450;
/** Asks DynamoDB, the bucket and the language model, each with a client of its own; who calls it waits for the model anyway. */
const MOST_KB_OF_ANALYZE_CALL = 560;
const mostKbOf = (name: string) => (name === 'analyze-call' ? MOST_KB_OF_ANALYZE_CALL : MOST_KB_OF_A_ROUTE);

const routes = functionNames.filter((name) => functionRow(name).trigger.kind === 'http');

/** What has no place where somebody waits for the answer. */
const heavy = [
  /node_modules\/luxon\//,
  /node_modules\/zod\/(?!v4\/(core|mini)\/|mini\/)/,
  /node_modules\/zod\/.*\/locales\/(?!en\.)/,
  /node_modules\/@aws-lambda-powertools\/tracer\//,
  /node_modules\/aws-xray-sdk/,
  /node_modules\/(pdf-parse|mammoth|busboy|aws-cdk|aws-cdk-lib|constructs|libphonenumber-js)\//,
  /node_modules\/@aws-sdk\/(credential-provider-(?!env)|client-sso|client-sts|token-providers)/,
];

let metafile: Metafile;
const outputOf = (name: string) => {
  const output = metafile.outputs[`dist/functions/${name}/index.mjs`];
  if (!output) throw new Error(`no bundle of ${name}`);
  return output;
};

beforeAll(async () => {
  await bundleFunctions();
  metafile = readMetafile();
}, 60_000);

describe('the bundles', () => {
  it('are one of every function', () => {
    expect(Object.keys(metafile.outputs).sort()).toEqual(
      functionNames.map((name) => `dist/functions/${name}/index.mjs`).sort(),
    );
  });

  it.each(functionNames)('of %s exports its handler and nothing else', (name) => {
    expect(outputOf(name).exports).toEqual(['handler']);
    expect(outputOf(name).entryPoint).toBe(`functions/${functionRow(name).entry}.ts`);
  });

  it.each(functionNames)('of %s leaves nothing to the runtime but Node itself', (name) => {
    const outside = outputOf(name).imports.filter(({ external }) => external);
    const strange = outside.filter(({ path }) => !/^(node:)?[a-z_]+2?(\/[a-z]+)?$/.test(path) || path.startsWith('@'));
    expect(strange).toEqual([]);
  });

  it.each(functionNames)('of %s holds no test, simulator or infrastructure', (name) => {
    const ours = Object.keys(outputOf(name).inputs).filter((path) => !path.startsWith('node_modules/'));
    expect(ours.filter((path) => !/^(functions|shared)\//.test(path))).toEqual([]);
  });
});

describe('on request paths', () => {
  it.each(routes.map((name) => [name, mostKbOf(name)] as const))('%s has %i KB at most', (name, most) => {
    expect(outputOf(name).bytes).toBeLessThanOrEqual(most * 1024);
  });

  it.each(routes)('%s carries nothing heavy', (name) => {
    const inputs = Object.entries(outputOf(name).inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    expect(inputs.filter(([path]) => heavy.some((pattern) => pattern.test(path))).map(([path]) => path)).toEqual([]);
  });
});
