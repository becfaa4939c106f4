import { readFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import type { FunctionName } from '../../../lib/functions.ts';
import { processesOf, statOf } from './function-processes.ts';
import { environment, eventually, named, nothingIsUnderWay } from './stack.ts';

export const workersOf = (name: FunctionName): Promise<number[]> =>
  processesOf(named.function(name), environment.emulator_pid);

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
