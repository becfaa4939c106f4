// @ts-check
/** Runs `npm ci`. Plain JavaScript without dependencies, because it runs before any are installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An entry of a lock file.
 * @typedef {{ os?: string[], cpu?: string[], libc?: string[] }} Package
 */

/**
 * Installs the packages of a folder's package-lock.json.
 *
 * The lock file holds no addresses, so npm queries the registry for each of hundreds of packages, which takes half of
 * the time. So npm first uses its cache, however old: the hashes of the lock file determine what is installed. If the
 * cache lacks a version, npm runs again and queries the registry.
 * @param {string} root the folder
 * @param {NodeJS.ProcessEnv} env of npm
 * @returns {Promise<number | null>} the exit code of npm @throws if npm is not found
 */
export async function npmCi(root, env = process.env) {
  if ((await run(root, env, '--prefer-offline')) === 0 && isComplete(root)) return 0;
  console.error('Again, with the current data of the registry ...');
  return await run(root, env);
}

/** @param {string} root @param {NodeJS.ProcessEnv} env @param {string[]} options @returns {Promise<number | null>} */
async function run(root, env, ...options) {
  // Under `npm start`, use the npm that is running: it need not be on PATH.
  const npm = env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const [status] = await once(
    spawn(command, [...first, 'ci', ...options], { cwd: root, env, stdio: ['ignore', 2, 2] }),
    'exit',
  );
  return status;
}

/**
 * Returns whether the packages of this platform are installed: npm omits a package that it cannot fetch, and still
 * exits with 0. @param {string} root
 */
function isComplete(root) {
  /** @param {string[]} path @returns {Record<string, Package>} */
  const packages = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8')).packages;
  const installed = packages('node_modules', '.package-lock.json');
  return Object.entries(packages('package-lock.json')).every(([path, one]) => path in installed || !isNative(one));
}

/** @param {Package} one @returns {boolean} whether it contains programs for this platform */
function isNative({ os, cpu, libc }) {
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const report = process.platform === 'linux' ? process.report.getReport() : {};
  const own = report.header?.glibcVersionRuntime ? 'glibc' : 'musl';
  return (
    os?.includes(process.platform) === true && cpu?.includes(process.arch) === true && (libc?.includes(own) ?? true)
  );
}
