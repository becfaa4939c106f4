import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stopStack from '../../../support/stack/stop-stack.ts';

test('the stop of a stack that a signal has killed neither waits nor reads its logs', async () => {
  const child = spawn(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")'], { stdio: 'ignore' });
  await once(child, 'exit');
  const global = globalThis as { startedStack?: object };
  global.startedStack = { child, folder: mkdtempSync(join(tmpdir(), 'stop-stack-')) };
  try {
    await expect(stopStack()).resolves.toBeUndefined();
  } finally {
    delete global.startedStack;
  }
}, 5_000);
