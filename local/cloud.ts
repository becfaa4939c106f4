/**
 * The local AWS: installs MiniStack into .local/python once, and starts it with the corrections of local/emulator.
 *
 * What holds for the functions that it runs (one Node.js process per concurrent invocation, a child of the emulator's process):
 * - Environment: the emulator's own (what `startEmulator` passes), over it the function's, over that AWS_REGION and the keys of
 *   the function's role. AWS_ENDPOINT_URL: the function's wins, then the emulator's, else the emulator's address. So an
 *   AWS_ENDPOINT_URL_<SERVICE> in `environment` puts a proxy between every function and that service; the proxy must keep the
 *   Host header as it came, because the signature covers it.
 * - The processes of one function: children of `emulator.pid` with AWS_LAMBDA_FUNCTION_NAME=<name> in /proc/<pid>/environ.
 * - A process that is killed in the middle of an SQS batch ("Worker process died") fails the whole batch: its messages come
 *   again after the queue's visibility timeout with a higher receive count, or go to the dead-letter queue, and the mapping
 *   takes no new batch for 1 s. The next invocation starts a new process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OperatorError } from './operator-error.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LAUNCHER = join(ROOT, 'local', 'emulator');
const REQUIREMENTS = join(LAUNCHER, 'requirements.txt');
const HOST = '127.0.0.1';
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
const PYTHON_NEEDED = 'Python 3.10 or newer is needed for the local cloud';
const INSTALL_MILLISECONDS = 600_000;
/** As long as a busy machine may need; one that ends by itself is not waited for. */
const START_MILLISECONDS = 120_000;
const STOP_MILLISECONDS = 8_000;
// The emulator looks at the clock file every 0.1 s (local/emulator/clock.py).
const CLOCK_MILLISECONDS = 200;

/** Receives what is being done, one line at a time. */
export type Log = (line: string) => void;

/** A running local cloud. */
export type Emulator = {
  readonly url: `http://127.0.0.1:${number}`;
  readonly port: number;
  readonly pid: number;
  /** Holds the seconds by which the emulator's and the product's clock are ahead of the machine's. */
  readonly clockFile: string;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  /** Ends the emulator and its functions and removes what they wrote, except for the log. May be called again. */
  stop(): Promise<void>;
};

/** How a process ended: one of the two is set. */
type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/**
 * Installs the emulator and its Python packages unless that is done already.
 *
 * @param options.log told about an installation, not about its being there
 * @param options.folder where it goes; `.local/python` of the project unless given
 * @param options.searchPath where Python is looked for; PATH unless given
 * @returns the path of the Python that has the emulator's packages
 * @throws OperatorError when there is no Python >= 3.10, it has no venv module, or the packages cannot be had
 */
export async function installEmulator(options: { log: Log; folder?: string; searchPath?: string }): Promise<string> {
  const folder = options.folder ?? join(ROOT, '.local', 'python');
  const python = join(folder, 'bin', 'python');
  const wanted = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  if (await isInstalled(folder, wanted)) return python;

  const environment = { ...process.env, PATH: options.searchPath ?? process.env.PATH ?? '' };
  const base = await findPython(environment);
  options.log('Installing the local cloud (MiniStack) into .local/python (once, about ten seconds) ...');
  await removeAbandoned(folder);
  // Built beside its place and moved there when complete, so that nobody ever meets half of it, not even a second start.
  const building = `${folder}-${process.pid}`;
  try {
    await makeVenv(base, building, environment);
    await installPackages(join(building, 'bin', 'python'), environment);
    await writeFile(join(building, 'installed'), `${wanted}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(building, folder).catch(async (error: unknown) => {
      if (!(await isInstalled(folder, wanted))) throw error;
    });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return python;
}

/**
 * Starts a local cloud and waits until it answers. It ends with this process, however that ends.
 *
 * @param options.port its port; a free one unless given
 * @param options.folder where it keeps its state, temporary files, clock and log; one per running cloud
 * @param options.environment variables of the emulator and all functions
 * @param options.log told about an installation
 * @throws OperatorError when the port is in use, the emulator does not start, or it cannot be installed
 */
export async function startEmulator(options: {
  port?: number | undefined;
  folder: string;
  environment?: Readonly<Record<string, string>>;
  log: Log;
}): Promise<Emulator> {
  const python = await installEmulator({ log: options.log });
  const port = await claimPort(options.port);
  const folder = resolve(options.folder);
  const state = join(folder, 'state');
  const temporary = join(folder, 'tmp');
  const clockFile = join(folder, 'clock');
  const logFile = join(folder, 'emulator.log');
  const removeFiles = async () => {
    for (const path of [state, temporary, clockFile]) {
      await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    }
  };
  await removeFiles();
  await mkdir(state, { recursive: true });
  await mkdir(temporary);
  // The functions' processes start from a script in here, which is CommonJS: the project's package.json must not speak for it.
  await writeFile(join(temporary, 'package.json'), '{}\n');
  await writeFile(clockFile, '0\n');

  const logHandle = await open(logFile, 'w');
  // A process group of its own: Ctrl-C reaches this program alone, which stops everything in order.
  const child = spawn(python, ['-B', LAUNCHER], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', logHandle.fd, logHandle.fd],
    env: {
      ...baseEnvironment(),
      ...options.environment,
      GATEWAY_PORT: String(port),
      STATE_DIR: state,
      TMPDIR: temporary,
      CLOCK_FILE: clockFile,
      EMULATOR_CLOCK_FILE: clockFile,
      EMULATOR_ENDS_WITH_STDIN: '1',
    },
  });
  await logHandle.close();
  const exited = exitOf(child);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= endProcess(child, exited).then(removeFiles);
    return stopped;
  };

  const url = `http://${HOST}:${port}` as const;
  const abort = new AbortController();
  const isReady = await Promise.race([untilHealthy(url, abort.signal), exited.then(() => false)]);
  abort.abort();
  if (!isReady || child.pid === undefined) {
    await stop();
    throw new OperatorError(`The local cloud did not start: ${logFile} says why.`);
  }
  return { url, port, pid: child.pid, clockFile, logFile, exited, stop };
}

/**
 * Moves the clock of the emulator and of the functions; returns when the emulator goes by it.
 *
 * @param seconds how far it is ahead of the machine's clock; 0 puts it back
 */
export async function moveClock(emulator: Pick<Emulator, 'clockFile' | 'url'>, seconds: number): Promise<void> {
  const written = `${emulator.clockFile}.new`;
  await writeFile(written, `${seconds}\n`);
  await rename(written, emulator.clockFile);
  await sleep(CLOCK_MILLISECONDS);
  const end = performance.now() + START_MILLISECONDS;
  while (!(await goesBy(emulator.url, seconds))) {
    if (performance.now() > end) throw new Error(`the local cloud does not go by a clock ${seconds} s ahead`);
    await sleep(50);
  }
}

/** Whether its clock may be this far ahead: its answers are dated by it, to the second, some time after they were asked for. */
async function goesBy(url: string, seconds: number): Promise<boolean> {
  const asked = Date.now();
  const { headers } = await fetch(`${url}/_ministack/health`, { signal: AbortSignal.timeout(5_000) });
  const date = Date.parse(headers.get('date') ?? '');
  const [least, most] = [date - Date.now(), date + 1000 - asked];
  return least <= seconds * 1000 && seconds * 1000 <= most;
}

/**
 * Makes what `cdk deploy` looks for: ten times as fast as `cdk bootstrap`, whose roles the emulator does not need.
 *
 * @param emulatorUrl address of a local cloud; repeated calls change nothing
 * @throws Error when the emulator refuses
 */
export async function bootstrap(emulatorUrl: string): Promise<void> {
  const qualifier = 'hnb659fds';
  await call(emulatorUrl, 's3', { method: 'PUT', path: `/cdk-${qualifier}-assets-000000000000-us-east-1` });
  const version = { Name: `/cdk-bootstrap/${qualifier}/version`, Type: 'String', Value: '30', Overwrite: true };
  await call(emulatorUrl, 'ssm', { method: 'POST', target: 'AmazonSSM.PutParameter', body: JSON.stringify(version) });
}

/** One request as root: the emulator takes the key `test` without looking at the signature. */
async function call(
  url: string,
  service: string,
  request: { method: string; path?: string; target?: string; body?: string },
): Promise<void> {
  const credential = `test/20260101/us-east-1/${service}/aws4_request`;
  const response = await fetch(new URL(request.path ?? '/', url), {
    method: request.method,
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      ...(request.target && { 'x-amz-target': request.target, 'content-type': 'application/x-amz-json-1.1' }),
    },
    ...(request.body && { body: request.body }),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${service} answered ${response.status} to the bootstrap: ${answer}`);
}

async function isInstalled(folder: string, wanted: string): Promise<boolean> {
  try {
    // The link dangles when the Python that it was made from is gone.
    await access(join(folder, 'bin', 'python'));
    return (await readFile(join(folder, 'installed'), 'utf8')).trim() === wanted;
  } catch {
    return false;
  }
}

async function findPython(environment: NodeJS.ProcessEnv): Promise<string> {
  let found: string | undefined;
  for (const name of PYTHONS) {
    const result = await run(name, ['-c', 'import sys; print(*sys.version_info[:2])'], environment);
    const [major, minor] = result.output.trim().split(' ').map(Number);
    if (result.code !== 0 || major === undefined || minor === undefined) continue;
    if (major === 3 && minor >= 10) return name;
    found ??= `${major}.${minor}`;
  }
  const present = found === undefined ? 'no Python was found' : `the newest found is ${found}`;
  throw new OperatorError(`${PYTHON_NEEDED} and ${present}: install it, then start again.`);
}

async function makeVenv(base: string, folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const { code, output } = await run(base, ['-m', 'venv', '--clear', folder], environment);
  if (code === 0) return;
  if (/ensurepip|No module named '?venv/.test(output)) {
    throw new OperatorError(
      `${PYTHON_NEEDED}, with its venv module, which ${base} lacks: install it (Debian, Ubuntu: apt-get install python3-venv), then start again.`,
    );
  }
  throw new OperatorError(`${base} could not make the environment for the local cloud (${lastLine(output)}).`);
}

async function installPackages(python: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const options = [
    '--require-hashes',
    '--no-input',
    '--disable-pip-version-check',
    '--retries',
    '2',
    '--timeout',
    '15',
  ];
  const { code, output } = await run(python, ['-m', 'pip', 'install', ...options, '-r', REQUIREMENTS], environment);
  if (code === 0) return;
  if (/connection|timed out|name resolution|unreachable|No matching distribution|SSLError|ProxyError/i.test(output)) {
    throw new OperatorError(
      "The local cloud could not be downloaded: check that this machine's pip reaches its package index, then start again.",
    );
  }
  throw new OperatorError(`pip could not install the local cloud (${lastLine(output)}).`);
}

/** Removes what installations left that were killed; one that is running is another start's. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(dirname(folder)).catch(() => []);
  for (const name of names) {
    const path = join(dirname(folder), name);
    const pid = path.startsWith(`${folder}-`) ? Number(path.slice(folder.length + 1)) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) await rm(path, { recursive: true, force: true });
  }
}

/** Whether a process of this id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs a command to its end; one that cannot be started counts as failed. */
async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  // Not `timeout`: its timer would outlive a command that is not there, and keep this program from ending.
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

/** The variables that do not come from the caller: few, so that functions see here what they see on AWS. */
function baseEnvironment(): Record<string, string> {
  const { HOME = '', LANG = 'C.UTF-8', PATH = '' } = process.env;
  // The first `node` on PATH runs the functions.
  const path = [join(ROOT, 'node_modules', '.bin'), PATH].join(delimiter);
  return { HOME, LANG, PATH: path, TZ: 'UTC', PYTHONUNBUFFERED: '1' };
}

async function claimPort(wanted = 0): Promise<number> {
  const server = createServer().listen({ host: HOST, port: wanted, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new OperatorError(
      `Port ${wanted} of the local cloud is in use: free it, or set EMULATOR_PORT to another one.`,
    );
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : wanted;
}

async function untilHealthy(url: string, aborted: AbortSignal): Promise<boolean> {
  const end = performance.now() + START_MILLISECONDS;
  while (performance.now() < end && !aborted.aborted) {
    try {
      const response = await fetch(`${url}/_ministack/health`, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      if (response.ok) return true;
    } catch {
      // Not listening yet.
    }
    await sleep(50);
  }
  return false;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signal] = await once(child, 'exit');
    return { code, signal };
  } catch {
    return { code: -1, signal: null };
  }
}

async function endProcess(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  if (child.pid === undefined) return;
  child.kill('SIGTERM');
  const abort = new AbortController();
  const timeout = sleep(STOP_MILLISECONDS, 'timeout', { signal: abort.signal }).catch(() => undefined);
  const first = await Promise.race([exited, timeout]);
  abort.abort();
  try {
    // The whole group: after a clean end nothing is left in it, otherwise the functions' processes may be.
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left.
  }
  if (first === 'timeout') await exited;
}
