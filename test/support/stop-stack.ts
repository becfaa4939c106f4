import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/**
 * Stops the stack of start-stack.ts. KEEP_LOGS keeps its folder with the logs.
 * @throws Error, which fails the suite, if a log of the service reveals a person or a secret.
 */
export default async function stopStack(): Promise<void> {
  const { startedStack } = globalThis as { startedStack?: { child: ChildProcess; folder: string } };
  if (!startedStack) return;
  const { child, folder } = startedStack;
  try {
    // Imported late, because it reads where the stack is.
    if (child.exitCode === null) await (await import('./logs-reveal-nothing.ts')).logsRevealNothing();
  } finally {
    await stop(child, folder);
  }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  if (!process.env.KEEP_LOGS) await rm(folder, { recursive: true, force: true });
}
