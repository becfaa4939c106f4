import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { compiledCode } from '../../../local/process.ts';
import { voiceControl } from '../../../local/simulators/voice/control.ts';
import { pauseSchedule } from './rules.ts';
import { hasEnded } from './stop-stack.ts';
import { timeouts } from './timeouts.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const START_MILLISECONDS = 480_000;
/** Simulated seconds per second: a call of 42 s takes 0.2 s. */
export const SIMULATED_SPEED = 200;
/** Schedules that process every connection or organization, even those of other tests. Tests run them explicitly. */
const ranByTests = ['check-watch-channels', 'renew-watch-channels', 'sunday-sweep', 'send-notices'] as const;
/** The platform always has free slots, unless a test limits them. */
const SIMULATED_SLOTS = 10_000;

/**
 * Starts the service once per run with the program of `npm start`, on free ports and in its own folder. The suites find
 * it through CALLING_SERVICE_ENVIRONMENT. If that variable is set already, the named stack is used.
 */
export default async function startStack(): Promise<void> {
  if (process.env.CALLING_SERVICE_ENVIRONMENT) return;
  const folder = join(root, '.local', `test-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'start.log'), 'w');
  const child = spawn(process.execPath, ['bin/local.ts', '--no-seed', '--quiet'], {
    cwd: root,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      PORT: '0',
      LOCAL_FOLDER: folder,
      NODE_COMPILE_CACHE: compiledCode,
      // Two, so that invocations still race each other.
      WORKERS_AT_ONCE: '2',
      ...(process.env.SUITES_ASSEMBLY && { LOCAL_ASSEMBLY: process.env.SUITES_ASSEMBLY }),
      ...timeouts,
    },
  });
  closeSync(log);
  const environmentFile = join(folder, 'environment.json');
  const end = performance.now() + START_MILLISECONDS;
  while (!existsSync(environmentFile)) {
    if (hasEnded(child) || performance.now() > end) {
      child.kill('SIGTERM');
      throw new Error(`the stack did not start: ${folder}/start.log says why`);
    }
    await sleep(100);
  }
  process.env.CALLING_SERVICE_ENVIRONMENT = environmentFile;
  const { simulators, emulator_url: endpoint, region, credentials } = JSON.parse(readFileSync(environmentFile, 'utf8'));
  await voiceControl(simulators.voice).settings({ speed: SIMULATED_SPEED, slots: SIMULATED_SLOTS });
  const eventBridge = new EventBridgeClient({ endpoint, region, credentials });
  for (const name of ranByTests) await pauseSchedule(eventBridge, name);
  Object.assign(globalThis, { startedStack: { child, folder } });
}
