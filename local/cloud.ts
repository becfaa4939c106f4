/**
 * The local AWS: installs MiniStack into .local/python once, and starts it with the corrections of local/emulator.
 *
 * Each concurrent invocation of a function has its own Node.js process, a child of the emulator's process:
 *
 * - Environment: the variables of `startEmulator`, then the function's own, then AWS_REGION and the role's keys.
 *   AWS_ENDPOINT_URL comes from the function, else from the emulator, else it is the emulator's address. An
 *   AWS_ENDPOINT_URL_<SERVICE> in `environment` puts a proxy in front of a service; it must keep the Host header.
 * - The processes of a function are the children of `emulator.pid` with AWS_LAMBDA_FUNCTION_NAME in /proc/PID/environ.
 * - A process killed during an SQS batch ("Worker process died") fails the whole batch. Its messages are redelivered
 *   after the visibility time-out or move to the dead-letter queue, and the mapping takes no new batch for 1 s.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
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
/** Long enough for a busy machine; a process that exits early ends the wait. */
const START_MILLISECONDS = 120_000;
const STOP_MILLISECONDS = 8_000;
// The emulator reads the clock file every 0.1 s (local/emulator/clock.py).
const CLOCK_MILLISECONDS = 200;

/** Receives progress messages, one line at a time. */
export type Log = (line: string) => void;

/** A running local cloud. */
export type Emulator = {
  readonly url: `http://127.0.0.1:${number}`;
  readonly port: number;
  readonly pid: number;
  /** File with the seconds by which the clocks of emulator and service are ahead of the machine's. */
  readonly clockFile: string;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  /** Stops the emulator and its functions and removes their files, except the log. Idempotent. */
  stop(): Promise<void>;
};

/** The exit of a process: one of the two is set. */
type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/**
 * Installs the emulator and its Python packages, unless they are installed.
 *
 * @param options.log reports an installation
 * @param options.folder default: `.local/python` of the project
 * @param options.searchPath for Python; default: PATH
 * @returns the path of the Python with the emulator's packages
 * @throws OperatorError when there is no Python >= 3.10, it has no venv module, or the packages cannot be installed
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
  // Built elsewhere and moved when complete, so that a concurrent start never sees half of it.
  const building = `${folder}-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await makeVenv(base, building, environment);
    await installPackages(join(building, 'bin', 'python'), environment);
    await writeFile(join(building, 'installed'), `${wanted}\n`);
    // A concurrent start may have been faster, and may be using what it installed.
    if (!(await isInstalled(folder, wanted))) await replace(folder, building);
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return python;
}

/** Puts a complete installation in the place of an outdated one. */
async function replace(folder: string, complete: string): Promise<void> {
  const former = `${complete}-former`;
  await rename(folder, former).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(complete, folder);
  await rm(former, { recursive: true, force: true });
}

/**
 * Starts a local cloud and waits until it answers. It ends with this process, however that ends.
 *
 * @param options.port default: a free one
 * @param options.folder for state, temporary files, clock and log; one per running cloud
 * @param options.environment variables of the emulator and all functions
 * @param options.log reports an installation
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
  // The functions' start script is CommonJS, so the project's package.json must not apply to it.
  await writeFile(join(temporary, 'package.json'), '{}\n');
  await writeFile(clockFile, '0\n');

  const logHandle = await open(logFile, 'w');
  // Its own process group: Ctrl-C reaches only this program, which stops everything in order.
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
 * Moves the clock of the emulator and of the functions, and waits until the emulator uses it.
 *
 * @param seconds ahead of the machine's clock; 0 resets it
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

/**
 * Whether its clock may be this far ahead. The Date header of its answers has a resolution of one second.
 */
async function goesBy(url: string, seconds: number): Promise<boolean> {
  const asked = Date.now();
  const { headers } = await fetch(`${url}/_ministack/health`, { signal: AbortSignal.timeout(5_000) });
  const date = Date.parse(headers.get('date') ?? '');
  const [least, most] = [date - Date.now(), date + 1000 - asked];
  return least <= seconds * 1000 && seconds * 1000 <= most;
}

/**
 * Creates what `cdk deploy` requires, ten times as fast as `cdk bootstrap`, whose roles the emulator does not need.
 *
 * @param emulatorUrl address of a local cloud; idempotent
 * @throws Error when the emulator refuses
 */
export async function bootstrap(emulatorUrl: string): Promise<void> {
  const qualifier = 'hnb659fds';
  await call(emulatorUrl, 's3', { method: 'PUT', path: `/cdk-${qualifier}-assets-000000000000-us-east-1` });
  const version = { Name: `/cdk-bootstrap/${qualifier}/version`, Type: 'String', Value: '30', Overwrite: true };
  await call(emulatorUrl, 'ssm', { method: 'POST', target: 'AmazonSSM.PutParameter', body: JSON.stringify(version) });
}

/** Sends a request as root: the emulator accepts the key `test` without checking the signature. */
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
    // The link dangles if its Python was removed.
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

/** Removes the remains of killed installations, but not those of a running one. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(dirname(folder)).catch(() => []);
  for (const name of names) {
    const path = join(dirname(folder), name);
    const pid = path.startsWith(`${folder}-`) ? Number.parseInt(path.slice(folder.length + 1), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isRunning(pid)) await rm(path, { recursive: true, force: true });
  }
}

/** Whether a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
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

/** Variables that do not come from the caller: few, so that functions see the same as on AWS. */
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
    // The whole group: after an unclean end, the functions' processes may still run.
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
  if (first === 'timeout') await exited;
}
