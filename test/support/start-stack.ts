import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import { pauseSchedule } from './rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const START_MILLISECONDS = 240_000;
/** Simulated seconds per second: a call of 42 s is over in a fifth of one. */
export const SIMULATED_SPEED = 200;
/** They ask about every connection of the stage, so also about what other tests left: each test runs them itself. */
const ranByTests = ['check-watch-channels', 'renew-watch-channels', 'sunday-sweep'] as const;
/** The platform never lacks slots, unless a test says otherwise. */
const SIMULATED_SLOTS = 10_000;

/**
 * Starts the whole service once for a run, by the very program that `npm start` runs, on free ports and in a folder of its
 * own. The suites find it by CALLING_SERVICE_ENVIRONMENT. Where that is set already, the stack that it names is used.
 */
export default async function startStack(): Promise<void> {
  if (process.env.CALLING_SERVICE_ENVIRONMENT) return;
  const folder = join(root, '.local', `test-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'start.log'), 'w');
  const child = spawn(process.execPath, ['bin/local.ts', '--no-seed'], {
    cwd: root,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      PORT: '0',
      LOCAL_FOLDER: folder,
      // Time-outs of the remote systems are provoked; nobody should wait ten seconds for each. A busy machine answers in time.
      VOICE_TIMEOUT_MS: '5000',
      CRM_B_TIMEOUT_MS: '5000',
      HELP_DESK_TIMEOUT_MS: '5000',
      // More than the others': the client's own tries after a throttle wait for some seconds.
      MODEL_TIMEOUT_MS: '6000',
    },
  });
  closeSync(log);
  const environmentFile = join(folder, 'environment.json');
  const end = performance.now() + START_MILLISECONDS;
  while (!existsSync(environmentFile)) {
    if (child.exitCode !== null || performance.now() > end) {
      child.kill('SIGTERM');
      throw new Error(`the stack did not start: ${folder}/start.log says why`);
    }
    await sleep(100);
  }
  process.env.CALLING_SERVICE_ENVIRONMENT = environmentFile;
  const { simulators, emulator_url: endpoint, region } = JSON.parse(readFileSync(environmentFile, 'utf8'));
  await voiceControl(simulators.voice).settings({ speed: SIMULATED_SPEED, slots: SIMULATED_SLOTS });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const eventBridge = new EventBridgeClient({ endpoint, region, credentials });
  for (const name of ranByTests) await pauseSchedule(eventBridge, name);
  Object.assign(globalThis, { startedStack: { child, folder } });
}
