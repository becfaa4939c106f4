// @ts-check
/**
 * Makes environments with Python packages. Plain JavaScript without dependencies, because local/install.mjs runs it
 * before npm has installed the project's packages.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning } from './is-running.mjs';

/**
 * A set of packages for one purpose.
 * @typedef {object} PythonPackages
 * @property {string} name in words, after "the"
 * @property {string} requirements the file with versions and hashes, from the root of the checkout
 * @property {string} folder below .local
 * @property {boolean} [compilesWhenUsed] skips compiling at installation, because most modules of a large package are
 * never used
 */

/**
 * @typedef {{ code: number | null, output: string }} Ended the exit code of a command, null if it could not be started,
 * and its output
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INSTALL_MILLISECONDS = 600_000;
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

/** MiniStack, the local AWS. @type {PythonPackages} */
export const EMULATOR = { name: 'local cloud', requirements: 'local/emulator/requirements.txt', folder: 'python' };

/** The Node.js of platforms for which package-lock.json has none. @type {PythonPackages} */
export const NODE = {
  name: 'Node.js binary',
  requirements: 'local/node/requirements.txt',
  folder: 'node',
  compilesWhenUsed: true,
};

/** @type {PythonPackages} */
export const TEMPLATE_LINTER = {
  name: 'template linter',
  requirements: 'test/lint/requirements.txt',
  folder: 'lint',
  compilesWhenUsed: true,
};

/** @type {PythonPackages} */
export const FUZZER = {
  name: 'fuzzer',
  requirements: 'test/fuzz/requirements.txt',
  folder: 'fuzz',
  compilesWhenUsed: true,
};

/** @type {PythonPackages} */
export const AWS_CLI = {
  name: 'AWS CLI',
  requirements: 'test/aws-cli/requirements.txt',
  folder: 'aws-cli',
  compilesWhenUsed: true,
};

/** @param {PythonPackages} packages */
export const folderOf = ({ folder }) => join(ROOT, '.local', folder);

/** @param {string} folder @returns {string} the Python of an environment */
export const interpreterIn = (folder) => join(folder, 'bin', 'python');

/**
 * Returns whether an environment has the packages.
 * @param {PythonPackages} packages
 * @param {string} folder
 * @returns {Promise<boolean>}
 */
export async function isInstalled(packages, folder) {
  try {
    // The link dangles if its Python was removed.
    await access(interpreterIn(folder));
    return (await readFile(join(folder, 'installed'), 'utf8')).trim() === (await versionOf(packages));
  } catch {
    return false;
  }
}

/**
 * Installs packages into their own environment, unless they are installed.
 * @param {PythonPackages} packages
 * @param {{ folder: string, env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<string | undefined>} the reason of a failure and how to fix it, in one sentence
 */
export async function installEnvironment(packages, { folder, env, log }) {
  if (await isInstalled(packages, folder)) return undefined;
  const { base = '', problem } = await findPython(packages, env);
  if (problem) return problem;
  log(`Installing the ${packages.name} into .local/${packages.folder} (once, some seconds) ...`);
  await removeAbandoned(folder);
  const { failed, output } = await makeEnvironment(packages, { folder, base, env });
  return failed && sentenceOf(failed, output, packages, base);
}

/**
 * Finds a Python that is new enough.
 * @param {PythonPackages} packages
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ base?: string, problem?: string }>} its command, or one sentence that says how to fix its absence
 */
export async function findPython(packages, env) {
  let found;
  for (const base of PYTHONS) {
    const python = await examinePython(base, env);
    if (python?.isNewEnough) return { base };
    found ??= python?.version;
  }
  const present = found === undefined ? 'no Python was found' : `the newest found is ${found}`;
  return { problem: `${neededFor(packages)} and ${present}: install it, then start again.` };
}

/** @param {PythonPackages} packages */
const neededFor = ({ name }) => `Python 3.10 or newer is needed for the ${name}`;

/**
 * Says in one sentence how to fix an installation that failed.
 * @param {'venv' | 'pip'} failed
 * @param {string} output
 * @param {PythonPackages} packages
 * @param {string} base
 */
function sentenceOf(failed, output, packages, base) {
  const { name } = packages;
  const reason = output.trim().split('\n').at(-1) ?? '';
  if (failed === 'venv')
    return /ensurepip|No module named '?venv/.test(output)
      ? `${neededFor(packages)}, with its venv module, which ${base} lacks: install it (Debian, Ubuntu: apt-get install python3-venv), then start again.`
      : `${base} could not create the environment for the ${name} (${reason}).`;
  if (/DO NOT MATCH THE HASHES/.test(output))
    return `A downloaded file of the ${name} does not have the locked hash: check the package index of this machine's pip, then start again.`;
  if (/connection|timed out|name resolution|unreachable|SSLError|ProxyError/i.test(output))
    return `The ${name} could not be downloaded: check that this machine's pip reaches its package index, then start again.`;
  return /No matching distribution/.test(output)
    ? `The package index of this machine's pip does not offer the locked ${name} for this platform: use another index or a supported platform, then start again.`
    : `pip could not install the ${name} (${reason}).`;
}

/**
 * Removes the remains of killed installations, but not those of a running one.
 * @param {string} folder
 */
async function removeAbandoned(folder) {
  const prefix = `${basename(folder)}-`;
  for (const name of await readdir(dirname(folder)).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isRunning(pid)) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/**
 * Returns the version of an interpreter.
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ version: string, isNewEnough: boolean } | undefined>} undefined if it does not run
 */
async function examinePython(command, env) {
  const { code, output } = await run(command, ['-c', 'import sys; print(*sys.version_info[:2])'], env);
  const [major, minor] = output.trim().split(' ').map(Number);
  if (code !== 0 || major === undefined || minor === undefined) return undefined;
  return { version: `${major}.${minor}`, isNewEnough: major === 3 && minor >= 10 };
}

/**
 * Makes an environment with the packages in place of a former one. It is built in a temporary folder and renamed when
 * it is complete, so that a concurrent start never sees half of it.
 * @param {PythonPackages} packages
 * @param {{ folder: string, base: string, env: NodeJS.ProcessEnv }} options `base`: the command of a Python >= 3.10
 * @returns {Promise<{ failed?: 'venv' | 'pip', output: string }>}
 */
async function makeEnvironment(packages, { folder, base, env }) {
  const building = `${folder}-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(folder), { recursive: true });
    const pip = await findPip(packages, base, env);
    const made = await run(base, ['-m', 'venv', '--clear', ...(pip ? ['--without-pip'] : []), building], env);
    if (made.code !== 0) return { failed: 'venv', output: made.output };
    // The packages beside the borrowed pip do not count as installed: the new environment does not have them.
    const options = ['-m', 'pip', 'install', ...(pip ? ['--ignore-installed'] : []), ...pipOptions(packages)];
    const installed = await run(interpreterIn(building), options, pip ? { ...env, PYTHONPATH: pip } : env);
    if (installed.code !== 0) return { failed: 'pip', output: installed.output };
    await writeFile(join(building, 'installed'), `${await versionOf(packages)}\n`);
    // A concurrent start may have installed the packages meanwhile, and may be using them.
    if (!(await isInstalled(packages, folder))) await replace(folder, building);
    return { output: '' };
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/**
 * Finds the pip of the emulator's environment: installing pip into another environment costs four seconds of CPU time.
 * @param {PythonPackages} packages
 * @param {string} base
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} the folder that has it; undefined if this Python has none there
 */
async function findPip(packages, base, env) {
  const python = packages === EMULATOR ? undefined : await examinePython(base, env);
  if (!python) return undefined;
  const folder = join(folderOf(EMULATOR), 'lib', `python${python.version}`, 'site-packages');
  return await access(join(folder, 'pip')).then(
    () => folder,
    () => undefined,
  );
}

/** @param {PythonPackages} packages */
const versionOf = async ({ requirements }) =>
  createHash('sha256')
    .update(await readFile(join(ROOT, requirements)))
    .digest('hex');

/** @param {PythonPackages} packages */
const pipOptions = ({ requirements, compilesWhenUsed }) => [
  '--require-hashes',
  '--no-input',
  '--disable-pip-version-check',
  '--retries',
  '2',
  '--timeout',
  '15',
  ...(compilesWhenUsed ? ['--no-compile'] : []),
  '-r',
  join(ROOT, requirements),
];

/**
 * Replaces an outdated environment with a complete one.
 * @param {string} folder
 * @param {string} complete
 */
async function replace(folder, complete) {
  const former = `${complete}-former`;
  await rename(folder, former).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(complete, folder);
  await rm(former, { recursive: true, force: true });
}

/**
 * Runs a command to its end. A command that cannot be started counts as failed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Ended>}
 */
async function run(command, args, env) {
  // Not `timeout`: its timer would outlive a missing command and keep this program alive.
  const signal = AbortSignal.timeout(INSTALL_MILLISECONDS);
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await once(child, 'close').then(
    ([ended]) => ended,
    () => null,
  );
  return { code, output };
}
