import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { functionNames, functionRow } from './functions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the bundle of a function is; the folder is its deployment package. */
export const bundleFolder = (name: string): string => `${root}dist/functions/${name}`;

const metafilePath = `${root}dist/functions/metafile.json`;

/** Packages written for CommonJS ask for `require`, which an ES module does not have. */
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles every function in one call: dist/functions/<name>/index.mjs, with its children beside it, minified, SDK included (the runtime's own is slower
 * to load and of another version). What went into each is kept for the budget test.
 */
export async function bundleFunctions(): Promise<void> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      functionNames.flatMap((name) => [
        [`${name}/index`, `functions/${functionRow(name).entry}.ts`],
        ...Object.entries(functionRow(name).children ?? {}).map(([child, file]) => [
          `${name}/${child}`,
          `functions/${file}.ts`,
        ]),
      ]),
    ),
    outdir: 'dist/functions',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // The packages' ES modules first: their CommonJS cannot be tree-shaken and costs half as much again.
    mainFields: ['module', 'main'],
    // In Lambda credentials only ever come from the environment: the chain of all other sources is 130 KB of dead weight.
    alias: {
      '@aws-sdk/credential-provider-node': './shared/runtime/lambda-credentials.ts',
      '@aws-sdk/token-providers': './shared/runtime/lambda-credentials.ts',
    },
    minify: true,
    keepNames: false,
    legalComments: 'none',
    banner: { js: banner },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  for (const { path, contents } of outputFiles) put(path, contents);
  put(metafilePath, Buffer.from(JSON.stringify(metafile)));
}

/** Whole or not at all, and only where it differs: another program may be deploying the same at this moment. */
function put(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = join(root, 'dist', `.${process.pid}`);
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** What esbuild put into the bundles. */
export const readMetafile = (): Metafile => JSON.parse(readFileSync(metafilePath, 'utf8')) as Metafile;
