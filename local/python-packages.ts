/** Installs Python packages into folders of .local, once: MiniStack, the local AWS, and the tests' tools. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from './operator-error.ts';
import { isRunning } from './process.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

/** A set of packages for one purpose. */
export type PythonPackages = {
  /** In words, after "the". */
  name: string;
  /** File with versions and hashes, from the root of the checkout. */
  requirements: string;
  /** Folder below .local. */
  folder: string;
  /** Leaves compiling to Python, which compiles only modules that are used: most of a large package's are not. */
  compilesWhenUsed?: boolean;
};

const EMULATOR = { name: 'local cloud', requirements: 'local/emulator/requirements.txt', folder: 'python' };
const neededFor = ({ name }: PythonPackages) => `Python 3.10 or newer is needed for the ${name}`;
const INSTALL_MILLISECONDS = 600_000;

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
  const folder = options.folder ?? join(ROOT, '.local', packages.folder);
  const python = join(folder, 'bin', 'python');
  const wanted = createHash('sha256')
    .update(await readFile(join(ROOT, packages.requirements)))
    .digest('hex');
  if (await isInstalled(folder, wanted)) return python;

  const environment = { ...process.env, PATH: options.searchPath ?? process.env.PATH ?? '' };
  const base = await findPython(packages, environment);
  options.log(`Installing the ${packages.name} into .local/${packages.folder} (once, some seconds) ...`);
  await removeAbandoned(folder);
  // Built elsewhere and moved when complete, so that a concurrent start never sees half of it.
  const building = `${folder}-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await makeVenv(packages, base, building, environment);
    await installPackages(packages, join(building, 'bin', 'python'), environment);
    await writeFile(join(building, 'installed'), `${wanted}\n`);
    // A concurrent start may have been faster, and may be using what it installed.
    if (!(await isInstalled(folder, wanted))) await replace(folder, building);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return python;
}

/** Replaces an outdated installation with a complete one. */
async function replace(folder: string, complete: string): Promise<void> {
  const former = `${complete}-former`;
  await rename(folder, former).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(complete, folder);
  await rm(former, { recursive: true, force: true });
}

async function isInstalled(folder: string, wanted: string): Promise<boolean> {
  try {
    // The link dangles if its Python was removed.
    await access(join(folder, 'bin', 'python'));
    return (await readFile(join(folder, 'installed'), 'utf8')).trim() === wanted;
  } catch {
    return false;
  }
}

async function findPython(packages: PythonPackages, environment: NodeJS.ProcessEnv): Promise<string> {
  let found: string | undefined;
  for (const name of PYTHONS) {
    const result = await run(name, ['-c', 'import sys; print(*sys.version_info[:2])'], environment);
    const [major, minor] = result.output.trim().split(' ').map(Number);
    if (result.code !== 0 || major === undefined || minor === undefined) continue;
    if (major === 3 && minor >= 10) return name;
    found ??= `${major}.${minor}`;
  }
  const present = found === undefined ? 'no Python was found' : `the newest found is ${found}`;
  throw new OperatorError(`${neededFor(packages)} and ${present}: install it, then start again.`);
}

async function makeVenv(
  packages: PythonPackages,
  base: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const { code, output } = await run(base, ['-m', 'venv', '--clear', folder], environment);
  if (code === 0) return;
  if (/ensurepip|No module named '?venv/.test(output)) {
    throw new OperatorError(
      `${neededFor(packages)}, with its venv module, which ${base} lacks: install it (Debian, Ubuntu: apt-get install python3-venv), then start again.`,
    );
  }
  throw new OperatorError(`${base} could not create the environment for the ${packages.name} (${lastLine(output)}).`);
}

async function installPackages(
  packages: PythonPackages,
  python: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const options = [
    '--require-hashes',
    '--no-input',
    '--disable-pip-version-check',
    '--retries',
    '2',
    '--timeout',
    '15',
    ...(packages.compilesWhenUsed ? ['--no-compile'] : []),
  ];
  const { code, output } = await run(
    python,
    ['-m', 'pip', 'install', ...options, '-r', join(ROOT, packages.requirements)],
    environment,
  );
  if (code === 0) return;
  if (/connection|timed out|name resolution|unreachable|No matching distribution|SSLError|ProxyError/i.test(output)) {
    throw new OperatorError(
      `The ${packages.name} could not be downloaded: check that this machine's pip reaches its package index, then start again.`,
    );
  }
  throw new OperatorError(`pip could not install the ${packages.name} (${lastLine(output)}).`);
}

/** Removes the remains of killed installations, but not those of a running one. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(dirname(folder)).catch(() => []);
  for (const name of names) {
    const path = join(dirname(folder), name);
    const pid = path.startsWith(`${folder}-`) ? Number.parseInt(path.slice(folder.length + 1), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isRunning(pid)) await rm(path, { recursive: true, force: true });
  }
}

/** Runs a command to its end. A command that cannot be started counts as failed. */
async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  // Not `timeout`: its timer would outlive a missing command and keep this program alive.
  const signal = AbortSignal.timeout(INSTALL_MILLISECONDS);
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { code: await ended.catch(() => null), output };
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
