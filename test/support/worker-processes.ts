import { readdir, readFile, readlink } from 'node:fs/promises';
import type { FunctionName } from '../../lib/functions.ts';
import { environment, named, nothingIsUnderWay } from './stack.ts';

/** Which function a process runs, by its id: neither changes while it lives. */
const functionOf = new Map<string, string | undefined>();

/** @returns the processes that run a function at this moment: children of the emulator (local/cloud.ts). Linux only. */
export async function workersOf(name: FunctionName): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const known of functionOf.keys()) if (!pids.includes(known)) functionOf.delete(known);
  await Promise.all(pids.filter((pid) => !functionOf.has(pid)).map(learn));
  const own = pids.filter((pid) => functionOf.get(pid) === named.function(name));
  const states = await Promise.all(own.map(async (pid) => (await statOf(pid))[0]));
  // Killed, and not yet missed by the emulator.
  return own.filter((_pid, index) => states[index] !== undefined && states[index] !== 'Z').map(Number);
}

/** @returns state, parent, …: what stands behind the name in parentheses, which may hold anything; nothing once it is gone. */
async function statOf(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function learn(pid: string): Promise<void> {
  const [[, parent], environ] = await Promise.all([
    statOf(pid),
    readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
  ]);
  const isChild = Number(parent) === environment.emulator_pid;
  const variable = 'AWS_LAMBDA_FUNCTION_NAME=';
  const entry = environ.split('\0').find((text) => text.startsWith(variable));
  // Between fork and exec a worker still shows the emulator's own environment: looked at again.
  if (isChild && !entry) return;
  functionOf.set(pid, isChild ? entry?.slice(variable.length) : undefined);
}

const LOOKS = 5;
const LOOKS_APART_MS = 10;

/** @returns the worker at the other end of a connection to one of our ports, or undefined where it has gone. */
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

/** Looks some times: the list is read in pieces, and may leave a connection out while others come and go. */
async function inodeOf(local = 0, remote = 0): Promise<string | undefined> {
  const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [ours, theirs] = [hex(local), hex(remote)];
  for (let look = 1; look <= LOOKS; look += 1) {
    for (const line of (await readFile('/proc/net/tcp', 'utf8')).split('\n')) {
      const columns = line.trim().split(/\s+/);
      if (columns[1]?.endsWith(ours) && columns[2]?.endsWith(theirs)) return columns[9];
    }
    await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
  }
  return undefined;
}

/** Kills a worker as the machine it runs on would lose it: nothing of it gets a word out. */
export function killWorker(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/**
 * Kills the idle workers of a function, so that its next invocation starts a process of its own. Waits until they are idle,
 * so that nobody else's work is lost with them, and until they are dead: the emulator would hand an event to one that is
 * still dying, and the event would be lost until it is visible again.
 */
export async function coldStart(name: FunctionName): Promise<void> {
  await nothingIsUnderWay();
  const pids = await workersOf(name);
  for (const pid of pids) killWorker(pid);
  for (const pid of pids) while (!(await isDead(pid))) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A killed process is first a zombie while its other threads end; its parent learns of it only after them. */
async function isDead(pid: number): Promise<boolean> {
  const stat = await statOf(String(pid));
  const [state, threads] = [stat[0], Number(stat[17])];
  return state === undefined || (state === 'Z' && threads <= 1);
}
