import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';

/** Stops the stack of start-stack.ts. KEEP_LOGS keeps its folder with the logs. */
export default async function stopStack(): Promise<void> {
  const { startedStack } = globalThis as { startedStack?: { child: ChildProcess; folder: string } };
  if (!startedStack) return;
  const { child, folder } = startedStack;
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  if (!process.env.KEEP_LOGS) await rm(folder, { recursive: true, force: true });
}
