import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { bundleFunctions, readMetafile } from '../../lib/bundle.ts';
import { functionNames, functionRow } from '../../lib/functions.ts';

const MOST_KILOBYTES_OF_A_ROUTE = 450;
/** It has a reader of multipart bodies besides DynamoDB and S3, and whoever waits for it waits for a parser. */
const MOST_KILOBYTES_OF_UPLOADS = 480;
const mostBytes = (name: string) =>
  (name === 'upload-knowledge' ? MOST_KILOBYTES_OF_UPLOADS : MOST_KILOBYTES_OF_A_ROUTE) * 1024;

const routes = functionNames.filter((name) => functionRow(name).trigger.kind === 'http');

/** What has no place where somebody waits for the answer. */
const heavy = [
  /node_modules\/luxon\//,
  /node_modules\/zod\/(?!v4\/(core|mini)\/|mini\/)/,
  /node_modules\/zod\/.*\/locales\/(?!en\.)/,
  /node_modules\/@aws-lambda-powertools\/tracer\//,
  /node_modules\/aws-xray-sdk/,
  /node_modules\/(pdf-parse|pdfjs-dist|mammoth|yauzl|fflate|aws-cdk|aws-cdk-lib|constructs|libphonenumber-js)\//,
  /node_modules\/@aws-sdk\/(credential-provider-(?!env)|client-sso|client-sts|token-providers)/,
];

let metafile: Metafile;
const outputOf = (name: string, file = 'index') => {
  const output = metafile.outputs[`dist/functions/${name}/${file}.mjs`];
  if (!output) throw new Error(`no bundle of ${name}`);
  return output;
};
/** Programs that functions start: their package holds them too. */
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
  it('are one of every function and of every child', () => {
    expect(Object.keys(metafile.outputs).sort()).toEqual(
      packages.map(([name, file]) => `dist/functions/${name}/${file}.mjs`).sort(),
    );
  });

  it.each(functionNames)('of %s exports its handler and nothing else', (name) => {
    expect(outputOf(name).exports).toEqual(['handler']);
    expect(outputOf(name).entryPoint).toBe(`functions/${functionRow(name).entry}.ts`);
  });

  it.each(children)('of %s/%s is the program that its row names', (name, child, file) => {
    expect(outputOf(name, child).entryPoint).toBe(`functions/${file}.ts`);
  });

  it.each(packages)('of %s/%s leaves nothing to the runtime but Node itself', (name, file) => {
    const outside = outputOf(name, file).imports.filter(({ external }) => external);
    const strange = outside.filter(({ path }) => !/^(node:)?[a-z_]+(\/[a-z]+)?$/.test(path) || path.startsWith('@'));
    expect(strange).toEqual([]);
  });

  it.each(packages)('of %s/%s holds no test, simulator or infrastructure', (name, file) => {
    const ours = Object.keys(outputOf(name, file).inputs).filter((path) => !path.startsWith('node_modules/'));
    expect(ours.filter((path) => !/^(functions|shared)\//.test(path))).toEqual([]);
  });
});

describe('on request paths', () => {
  it.each(routes)('%s is small', (name) => {
    expect(outputOf(name).bytes).toBeLessThanOrEqual(mostBytes(name));
  });

  it.each(routes)('%s carries nothing heavy', (name) => {
    const inputs = Object.entries(outputOf(name).inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    expect(inputs.filter(([path]) => heavy.some((pattern) => pattern.test(path))).map(([path]) => path)).toEqual([]);
  });

  it('a body of parts is taken apart only where files are uploaded', () => {
    const parsing = routes.filter((name) =>
      Object.keys(outputOf(name).inputs).some((path) => path.startsWith('node_modules/busboy/')),
    );
    expect(parsing).toEqual(['upload-knowledge']);
  });
});
