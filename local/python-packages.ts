/** Installs Python packages into folders of .local, once: MiniStack, the local AWS, and the tests' tools. */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from './operator-error.ts';
import { isRunning } from './process.ts';
import {
  EMULATOR,
  examinePython,
  folderOf,
  interpreterIn,
  isInstalled,
  makeEnvironment,
  type PythonPackages,
} from './python-environment.mjs';

const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

const neededFor = ({ name }: PythonPackages) => `Python 3.10 or newer is needed for the ${name}`;

/** Receives progress messages, one line at a time. */
export type Log = (line: string) => void;

/** Installs the emulator and its Python packages, unless they are installed. See `installPython`. */
export const installEmulator = (options: Options): Promise<string> => installPython(EMULATOR, options);

type Options = { log: Log; folder?: string; searchPath?: string };

/**
 * Installs packages into their own environment, unless they are installed.
 *
 * @param options.log reports an installation
 * @param options.folder default: the packages' folder below `.local`
 * @param options.searchPath for Python; default: PATH
 * @returns the path of the Python that has the packages
 * @throws OperatorError if there is no Python >= 3.10, it has no venv module, or the packages cannot be installed
 */
export async function installPython(packages: PythonPackages, options: Options): Promise<string> {
  const folder = options.folder ?? folderOf(packages);
  if (await isInstalled(packages, folder)) return interpreterIn(folder);
  const env = { ...process.env, PATH: options.searchPath ?? process.env.PATH ?? '' };
  const base = await findPython(packages, env);
  options.log(`Installing the ${packages.name} into .local/${packages.folder} (once, some seconds) ...`);
  await removeAbandoned(folder);
  const { failed, output } = await makeEnvironment(packages, { folder, base, env });
  if (failed) throw new OperatorError(sentenceOf(failed, output, packages, base));
  return interpreterIn(folder);
}

async function findPython(packages: PythonPackages, env: NodeJS.ProcessEnv): Promise<string> {
  let found: string | undefined;
  for (const name of PYTHONS) {
    const python = await examinePython(name, env);
    if (python?.isNewEnough) return name;
    found ??= python?.version;
  }
  const present = found === undefined ? 'no Python was found' : `the newest found is ${found}`;
  throw new OperatorError(`${neededFor(packages)} and ${present}: install it, then start again.`);
}

/** Says in one sentence how to fix an installation that failed. */
function sentenceOf(failed: 'venv' | 'pip', output: string, packages: PythonPackages, base: string): string {
  const { name } = packages;
  const reason = output.trim().split('\n').at(-1) ?? '';
  if (failed === 'venv')
    return /ensurepip|No module named '?venv/.test(output)
      ? `${neededFor(packages)}, with its venv module, which ${base} lacks: install it (Debian, Ubuntu: apt-get install python3-venv), then start again.`
      : `${base} could not create the environment for the ${name} (${reason}).`;
  return /connection|timed out|name resolution|unreachable|No matching distribution|SSLError|ProxyError/i.test(output)
    ? `The ${name} could not be downloaded: check that this machine's pip reaches its package index, then start again.`
    : `pip could not install the ${name} (${reason}).`;
}

/** Removes the remains of killed installations, but not those of a running one. */
async function removeAbandoned(folder: string): Promise<void> {
  const prefix = `${basename(folder)}-`;
  for (const name of await readdir(dirname(folder)).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isRunning(pid)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}
