/**
 * The local AWS: starts MiniStack with the corrections of local/emulator.
 *
 * Each concurrent invocation of a function has its own Node.js process, a child of the emulator's process:
 *
 * - Environment: the variables of `startEmulator`, NODE_OPTIONS unless it is one of them, then the function's own, then
 *   AWS_REGION and the role's keys. AWS_ENDPOINT_URL comes from the function, else from the emulator, else it is the
 *   emulator's address. An AWS_ENDPOINT_URL_<SERVICE> in `environment` puts a proxy in front of a service; it must keep
 *   the Host header.
 * - The processes of a function are the children of `emulator.pid` with AWS_LAMBDA_FUNCTION_NAME in /proc/PID/environ.
 * - A process killed during an SQS batch ("Worker process died") fails the whole batch. Its messages are redelivered
 *   after the visibility time-out or move to the dead-letter queue, and the mapping takes no new batch for 1 s.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type LocalClient, newRootKey, type RootKey } from './client.ts';
import { OperatorError } from './operator-error.ts';
import { killGroup } from './process.ts';
import { installEmulator, type Log } from './python-packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LAUNCHER = join(ROOT, 'local', 'emulator');
const HOST = '127.0.0.1';
/** Long enough for a busy machine; a process that exits early ends the wait. */
const START_MILLISECONDS = 120_000;
const STOP_MILLISECONDS = 8_000;

/** A running local cloud. */
export type Emulator = {
  readonly url: `http://127.0.0.1:${number}`;
  readonly port: number;
  readonly pid: number;
  /** The only root key, new with each start. */
  readonly credentials: RootKey;
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
 * Starts a local cloud and waits until it answers. It ends with this process, however the process ends.
 *
 * @param options.port default: a free one
 * @param options.folder for state, temporary files, clock and log; one per running cloud
 * @param options.environment variables of the emulator and all functions
 * @param options.origins of the pages that may use signed addresses of files; other pages get no answer
 * @param options.shared persistent folder of unpacked functions and their compiled code, which other clouds may share.
 * Default: a private one
 * @param options.hasIdleWorkers functions behind queues, streams and schedules run on idle processors only (Linux)
 * @param options.workersAtOnce how many processes of one function may be busy before an invocation waits for a free one
 * (docs/settings.md, WORKERS_AT_ONCE); default: a new process for each invocation that finds no free one
 * @param options.log reports an installation
 * @throws OperatorError if the port is in use, the emulator does not start, or it cannot be installed
 */
export async function startEmulator(options: {
  port?: number | undefined;
  folder: string;
  environment?: Readonly<Record<string, string>>;
  origins?: readonly string[];
  shared?: string | undefined;
  hasIdleWorkers?: boolean;
  workersAtOnce?: number | undefined;
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
  const packages = join(options.shared ?? temporary, 'packages');
  await mkdir(packages, { recursive: true });
  // The functions and their start script may be CommonJS, so the project's package.json must not apply to them.
  for (const path of [temporary, packages]) await writeNew(join(path, 'package.json'), '{}\n');
  await writeFile(clockFile, '0\n');

  const credentials = newRootKey();
  const logHandle = await open(logFile, 'w');
  // Its own process group, so that Ctrl-C reaches only this program, which stops everything in order.
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
      EMULATOR_PACKAGES: packages,
      EMULATOR_ENDS_WITH_STDIN: '1',
      EMULATOR_ROOT_KEY: credentials.accessKeyId,
      EMULATOR_ORIGINS: (options.origins ?? []).join(','),
      EMULATOR_IDLE_WORKERS: options.hasIdleWorkers ? '1' : '',
      EMULATOR_WORKERS_AT_ONCE: String(options.workersAtOnce ?? ''),
    },
  });
  // Registered before the first await, because a process that fails at once would exit unnoticed.
  const exited = exitOf(child);
  await logHandle.close();
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
  return { url, port, pid: child.pid, credentials, clockFile, logFile, exited, stop };
}

/**
 * Moves the clock of the emulator and of the functions, and waits until the emulator uses it.
 *
 * @param seconds ahead of the machine's clock; 0 resets it
 * @throws Error if the emulator does not use it
 */
export async function moveClock(emulator: Pick<Emulator, 'clockFile' | 'url'>, seconds: number): Promise<void> {
  const written = `${emulator.clockFile}.new`;
  await writeFile(written, `${seconds}\n`);
  await rename(written, emulator.clockFile);
  const ahead = await secondsAhead(emulator.url);
  if (ahead !== seconds) throw new Error(`the local cloud uses a clock ${ahead} s ahead, not ${seconds} s`);
}

/** Makes the emulator read its clock file (local/emulator/moved_clock.py). @returns the seconds in it. */
export async function secondsAhead(url: string): Promise<number> {
  const answer = await fetch(`${url}/_ministack/clock`, { signal: AbortSignal.timeout(START_MILLISECONDS) });
  if (!answer.ok) throw new Error(`the local cloud answered ${answer.status}`);
  return ((await answer.json()) as { seconds: number }).seconds;
}

/**
 * Creates the resources that `cdk deploy` requires, ten times as fast as `cdk bootstrap`, whose roles the emulator does
 * not need.
 *
 * Idempotent.
 *
 * @throws Error if the emulator refuses
 */
export async function bootstrap(client: Pick<LocalClient, 'endpoint' | 'credentials'>): Promise<void> {
  const qualifier = 'hnb659fds';
  await callAsRoot(client, 's3', { method: 'PUT', path: `/cdk-${qualifier}-assets-000000000000-us-east-1` });
  const version = { Name: `/cdk-bootstrap/${qualifier}/version`, Type: 'String', Value: '30', Overwrite: true };
  await callAsRoot(client, 'ssm', { method: 'POST', target: 'AmazonSSM.PutParameter', body: JSON.stringify(version) });
}

/** Sends a request as root, whose signature the emulator does not verify. */
export async function callAsRoot(
  { endpoint, credentials }: Pick<LocalClient, 'endpoint' | 'credentials'>,
  service: string,
  request: { method: string; path?: string; target?: string; body?: string | Uint8Array<ArrayBuffer> },
): Promise<void> {
  const credential = `${credentials.accessKeyId}/20260101/us-east-1/${service}/aws4_request`;
  const response = await fetch(new URL(request.path ?? '/', endpoint), {
    method: request.method,
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
      ...(request.target && { 'x-amz-target': request.target, 'content-type': 'application/x-amz-json-1.1' }),
    },
    ...(request.body && { body: request.body }),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.text();
  if (!response.ok)
    throw new Error(`${service} answered ${response.status} to ${request.target ?? request.path}: ${answer}`);
}

/** Writes a file unless it exists. */
const writeNew = (path: string, content: string): Promise<void> =>
  writeFile(path, content, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });

/** The inherited variables: few, so that functions see the same as on AWS. */
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
  // After an unclean end, the functions' processes may still run.
  killGroup(child.pid);
  if (first === 'timeout') await exited;
}
