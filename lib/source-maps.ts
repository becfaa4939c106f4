import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { bundleName, bundleOptions, entryPointsOf } from './bundle.ts';
import type { FunctionName } from './functions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'dist/source-maps';
/** The limit of an unpacked map; the largest is a tenth of it. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A source map (ECMA-426, version 3). Its sources are paths from the root of the repository. */
export type SourceMapOfBundle = {
  version: 3;
  /** The name of the bundle in stack traces. */
  file: string;
  mappings: string;
  names: string[];
  sources: string[];
  /** Our own code; null for packages. */
  sourcesContent: (string | null)[];
};

/** Returns the key under which the source map of a bundle is stored. */
export const sourceMapKey = (bundle: string): string => `source-maps/${bundle.replace(/\.mjs$/, '.json')}.gz`;

/**
 * Creates the source maps for the current inputs. It needs no bundles, because the same inputs yield the same bundles,
 * with or without maps.
 */
export async function sourceMapsOf(names: readonly FunctionName[]): Promise<SourceMapOfBundle[]> {
  const outdir = resolve(root, FOLDER);
  const entryPoints = entryPointsOf(names);
  const mapped = { sourcemap: 'external', sourcesContent: false, write: false } as const;
  const { outputFiles } = await build({ ...bundleOptions, entryPoints, outdir, ...mapped });
  const contents = new Map(outputFiles.map((file) => [file.path, file.contents]));
  return Object.keys(entryPoints).map((entry) => {
    const path = join(outdir, `${entry}.mjs`);
    const [bundle, map] = [contents.get(path), contents.get(`${path}.map`)];
    if (!bundle || !map) throw new Error(`esbuild created no source map of ${entry}`);
    const made = JSON.parse(Buffer.from(map).toString('utf8')) as SourceMapOfBundle;
    const sources = made.sources.map((source) => fromRoot(source, dirname(path)));
    const sourcesContent = sources.map((source) => (isOurs(source) ? readFileSync(join(root, source), 'utf8') : null));
    return { ...made, file: bundleName(entry, bundle), sources, sourcesContent };
  });
}

/** Returns whether a source is our own code. Package code would double the maps, and is public anyway. */
export const isOurs = (source: string): boolean => /^(functions|shared)\//.test(source);

/** Some sources are not files: Node.js' own modules, and the sources of bundled packages. */
function fromRoot(source: string, folder: string): string {
  const path = relative(root, join(folder, source));
  return isOurs(path) || path.startsWith('node_modules/') ? path : source;
}

/**
 * Writes the source maps of functions into dist/source-maps, beside the packages, replacing those of other bundles.
 * @param folder absolute, or from the root of the repository
 * @returns their bundles and files
 */
export async function writeSourceMaps(
  names: readonly FunctionName[],
  folder = FOLDER,
): Promise<{ bundle: string; path: string }[]> {
  const maps = await sourceMapsOf(names);
  rmSync(resolve(root, folder), { recursive: true, force: true });
  return Promise.all(
    maps.map(async (map) => {
      const path = resolve(root, folder, relative('source-maps', sourceMapKey(map.file)));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, await promisify(gzip)(JSON.stringify(map)));
      return { bundle: map.file, path };
    }),
  );
}

/** Unpacks a source map. @throws if the bytes are not a packed source map */
export const unpackSourceMap = (packed: Uint8Array): SourceMapOfBundle =>
  JSON.parse(gunzipSync(packed, { maxOutputLength: MAX_BYTES }).toString('utf8')) as SourceMapOfBundle;
