import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/**
 * Stops the stack of start-stack.ts. KEEP_LOGS keeps its folder with the logs.
 * @throws Error, which fails the suite, if a log of the service reveals a person or a secret.
 */
export default async function stopStack(_?: unknown, project?: { displayName?: { name: string } }): Promise<void> {
  const { startedStack } = globalThis as { startedStack?: { child: ChildProcess; folder: string } };
  if (!startedStack) return;
  const { child, folder } = startedStack;
  try {
    if (!hasEnded(child)) await inspect(project?.displayName?.name ?? 'no suite');
  } finally {
    await stop(child, folder);
  }
}

/** Reads the logs of a stack, and the rights and memory that its functions used, before it stops. */
async function inspect(suite: string): Promise<void> {
  // Imported late, because these modules read the stack's address.
  await (await import('./seen-use.ts')).keepSeenUse(suite);
  await (await import('../logs/logs-reveal-nothing.ts')).logsRevealNothing();
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (!hasEnded(child)) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  if (!process.env.KEEP_LOGS) await rm(folder, { recursive: true, force: true });
}

/** Returns whether a process has exited or was killed by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
