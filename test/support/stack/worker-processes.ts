import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { FunctionName } from '../../../lib/functions.ts';
import { environment, eventually, named, nothingIsUnderWay } from './stack.ts';

/** The function of each process. It does not change during the life of a process. */
const functionOf = new Map<string, string | undefined>();

/** Lists the processes that run a function: children of the emulator (local/cloud.ts). Linux only. */
export async function workersOf(name: FunctionName): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const known of functionOf.keys()) if (!pids.includes(known)) functionOf.delete(known);
  await Promise.all(pids.filter((pid) => !functionOf.has(pid)).map(readFunctionOf));
  const own = pids.filter((pid) => functionOf.get(pid) === named.function(name));
  const states = await Promise.all(own.map(async (pid) => (await statOf(pid))[0]));
  // Leaves out zombies: killed, but not yet reaped by the emulator.
  return own.filter((_pid, index) => states[index] !== undefined && states[index] !== 'Z').map(Number);
}

/** Returns the fields of /proc/PID/stat after the name (state, parent, …); empty once the process is gone. */
async function statOf(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function readFunctionOf(pid: string): Promise<void> {
  const [[, parent], environ] = await Promise.all([
    statOf(pid),
    readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
  ]);
  const isChild = Number(parent) === environment.emulator_pid;
  const variable = 'AWS_LAMBDA_FUNCTION_NAME=';
  const entry = environ.split('\0').find((text) => text.startsWith(variable));
  // Between fork and exec, a worker still shows the emulator's environment, so it is read again later.
  if (isChild && !entry) return;
  functionOf.set(pid, isChild ? entry?.slice(variable.length) : undefined);
}

const POLLS = 5;
const POLL_INTERVAL_MS = 10;

/** Finds the worker at the other end of a connection to our port; undefined if it is gone. */
export async function workerBehind(
  name: FunctionName,
  { remotePort, localPort }: { remotePort?: number | undefined; localPort?: number | undefined },
): Promise<number | undefined> {
  const inode = await inodeOf(remotePort, localPort);
  if (!inode) return undefined;
  for (const pid of await workersOf(name)) {
    const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
    if (targets.includes(`socket:[${inode}]`)) return pid;
  }
  return undefined;
}

/** Reads the list several times, because a read may miss a connection while others open and close. */
async function inodeOf(local = 0, remote = 0): Promise<string | undefined> {
  const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  // Columns: number, local address, remote address, state, queues, timer, retransmissions, user, time-out, inode.
  const line = new RegExp(`${hex(local)} [0-9A-F]{8}${hex(remote)} (?:\\S+ +){6}(\\d+) `);
  for (let poll = 1; poll <= POLLS; poll += 1) {
    // The kernel takes milliseconds for this list. The asynchronous read takes twice the CPU time.
    const inode = line.exec(readFileSync('/proc/net/tcp', 'latin1'))?.[1];
    if (inode) return inode;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return undefined;
}

/** Kills a worker with SIGKILL, as if its machine failed. */
export function killWorker(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ignores a worker that is already gone.
  }
}

/**
 * Kills the idle workers of a function, so that its next invocation is a cold start. Waits until they are idle, so that
 * no other work is lost, and until they are dead: the emulator would give an event to a dying worker and lose it until
 * its visibility time-out.
 */
export async function coldStart(name: FunctionName): Promise<void> {
  await nothingIsUnderWay();
  const pids = await workersOf(name);
  for (const pid of pids) killWorker(pid);
  await eventually(
    () => Promise.all(pids.map(isDead)),
    (dead) => dead.every(Boolean),
  );
}

/** A killed process is a zombie until its other threads have ended; only then does its parent notice. */
async function isDead(pid: number): Promise<boolean> {
  const stat = await statOf(String(pid));
  const [state, threads] = [stat[0], Number(stat[17])];
  return state === undefined || (state === 'Z' && threads <= 1);
}
