import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { builtInModules } from './built-in-modules.ts';
import { type FunctionName, functionNames, functionRow } from './functions.ts';
import { inputsHash } from './inputs-hash.ts';
import { leanSdk } from './lean-sdk.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const BUNDLES = 'dist/functions';
const METAFILE = 'metafile.json';
/** The file beside the bundles that holds the hash of their inputs; absent while the bundles are being written. */
const STAMP = 'inputs';

/** Returns the folder of a function's bundle, which is its deployment package. */
export const bundleFolder = (name: string): string => join(root, BUNDLES, name);

/** The source folders of bundles, besides packages. */
const SOURCES = ['functions', 'shared'];
/** Other inputs of the bundles. */
const OTHER_INPUTS = [
  'lib/bundle.ts',
  'lib/built-in-modules.ts',
  'lib/lean-sdk.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/**
 * CommonJS packages may call `require`, which an ES module lacks. Created when called, not at the start, because it
 * loads source maps.
 */
const banner = "const require = (id) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);";

/** The options for bundling a program for Lambda. */
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
    '@aws-sdk/credential-provider-node': './shared/runtime/lambda/lambda-credentials.ts',
    '@aws-sdk/token-providers': './shared/runtime/lambda/lambda-credentials.ts',
  },
  minify: true,
  keepNames: false,
  legalComments: 'none',
  plugins: [builtInModules, leanSdk],
  banner: { js: banner },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Bundles every function, with the programs it starts, into dist/functions/<name>/index.mjs. The bundle includes the
 * SDK, because the runtime's SDK loads more slowly and has another version. The metafile serves the budget test.
 * Does nothing if a test has set BUNDLED_CHECKOUT to this checkout, whose bundles are complete.
 */
export async function bundleFunctions(): Promise<void> {
  if (process.env.BUNDLED_CHECKOUT !== root) await bundleInto(BUNDLES, functionNames);
}

/**
 * Bundles functions into a folder, unless it already has the bundles of the current inputs.
 * @param folder absolute, or from the root of the repository
 * @throws Error if a bundle contains a file outside the folders that are checked for changes
 */
export async function bundleInto(folder: string, names: readonly FunctionName[]): Promise<void> {
  const entryPoints = entryPointsOf(names);
  const inputs = inputsOf(entryPoints);
  const at = (file: string) => resolve(root, folder, file);
  const outputs = [METAFILE, ...Object.keys(entryPoints).map((entry) => `${entry}.mjs`)].map(at);
  const stamp = existsSync(at(STAMP)) ? readFileSync(at(STAMP), 'utf8') : undefined;
  if (stamp === inputs && outputs.every((path) => existsSync(path))) return;
  rmSync(at(STAMP), { force: true });
  const options = { ...bundleOptions, entryPoints, outdir: folder, metafile: true, write: false } as const;
  const { metafile, outputFiles } = await build(options);
  assertWatched(metafile);
  // Beside the packages: another process may be deploying a package.
  const draft = at(`.${process.pid}`);
  for (const { path, contents } of outputFiles) {
    const entry = path.slice(at('').length + 1, -'.mjs'.length);
    writeIfChanged(path, Buffer.concat([contents, Buffer.from(sourceUrl(bundleName(entry, contents)))]), draft);
  }
  writeIfChanged(at(METAFILE), Buffer.from(JSON.stringify(metafile)), draft);
  writeIfChanged(at(STAMP), Buffer.from(inputs), draft);
}

type EntryPoints = Readonly<Record<string, string>>;

/** Returns the programs of functions, such as `dial-call/index`, with their source files. */
export const entryPointsOf = (names: readonly FunctionName[]): EntryPoints =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${name}/index`, `functions/${functionRow(name).entry}.ts`],
      ...Object.entries(functionRow(name).children ?? {}).map(([child, file]) => [
        `${name}/${child}`,
        `functions/${file}.ts`,
      ]),
    ]),
  );

/** Hashes all inputs of the bundles of these programs. */
const inputsOf = (entryPoints: EntryPoints): string =>
  inputsHash([...SOURCES, ...OTHER_INPUTS], JSON.stringify(entryPoints));

/**
 * Names a bundle by its program and its content: `dial-call/index.0123456789ab.mjs`.
 * @param contents as esbuild writes them
 */
export const bundleName = (entry: string, contents: Uint8Array): string =>
  `${entry}.${createHash('sha256').update(contents).digest('hex').slice(0, 12)}.mjs`;

/**
 * Returns the last line of a bundle. V8 then writes this name into stack traces, instead of a path that is the same for
 * all functions and versions (docs/decisions/0036-a-stack-trace-names-its-bundle.md).
 */
export const sourceUrl = (name: string): string => `//# sourceURL=${name}\n`;

/** Refuses a bundle with a file from elsewhere, because it would not be rebuilt when that file changes. */
function assertWatched({ inputs }: Metafile): void {
  const watched = [...SOURCES, 'node_modules'].map((folder) => `${folder}/`);
  const unwatched = Object.keys(inputs).filter(
    (path) => !/^(built-in|absent):/.test(path) && !watched.some((folder) => path.startsWith(folder)),
  );
  if (unwatched.length > 0) throw new Error(`lib/bundle.ts does not watch ${unwatched.join(', ')} for changes`);
}

/** Writes atomically, and only changed files: another process may be deploying the same folder. */
function writeIfChanged(path: string, contents: Uint8Array, draft: string): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

/** Reads esbuild's metafile of the bundles. */
export const readMetafile = (): Metafile => JSON.parse(readFileSync(join(root, BUNDLES, METAFILE), 'utf8')) as Metafile;
