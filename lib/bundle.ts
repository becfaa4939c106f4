import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { builtInModules } from './built-in-modules.ts';
import { functionNames, functionRow } from './functions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Path of a function's bundle. Its folder is the deployment package. */
export const bundleFolder = (name: string): string => `${root}dist/functions/${name}`;

const metafilePath = `${root}dist/functions/metafile.json`;

/** CommonJS packages call `require`, which an ES module lacks. */
const banner = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** How a program is bundled for Lambda. */
export const bundleOptions = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // ES modules first: CommonJS cannot be tree-shaken and makes bundles 50 % larger.
  mainFields: ['module', 'main'],
  alias: {
    // Lambda provides credentials in the environment only; the SDK's other sources would add 130 KB.
    '@aws-sdk/credential-provider-node': './shared/runtime/lambda-credentials.ts',
    '@aws-sdk/token-providers': './shared/runtime/lambda-credentials.ts',
  },
  minify: true,
  keepNames: false,
  legalComments: 'none',
  plugins: [builtInModules],
  banner: { js: banner },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Bundles every function, with the programs it starts, into dist/functions/<name>/index.mjs. The bundle includes the
 * SDK, because the runtime's SDK loads more slowly and has another version. The metafile serves the budget test.
 * Does nothing if BUNDLED_CHECKOUT names this checkout: `npm test` bundles once for all suites (test/run.ts).
 */
export async function bundleFunctions(): Promise<void> {
  if (process.env.BUNDLED_CHECKOUT === root) return;
  const { metafile, outputFiles } = await build({
    ...bundleOptions,
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
    metafile: true,
    write: false,
  });
  for (const { path, contents } of outputFiles) put(path, contents);
  put(metafilePath, Buffer.from(JSON.stringify(metafile)));
}

/** Writes atomically, and only changed files: another process may be deploying the same folder. */
function put(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = join(root, 'dist', `.${process.pid}`);
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** esbuild's metafile of the bundles. */
export const readMetafile = (): Metafile => JSON.parse(readFileSync(metafilePath, 'utf8')) as Metafile;
