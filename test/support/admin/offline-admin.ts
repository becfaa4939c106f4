import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Input, type Ran, runCollected } from './admin.ts';

const folder = mkdtempSync(join(tmpdir(), 'offline-admin-'));
const UNREACHABLE = 'http://127.0.0.1:1';
const NO_KEY = { accessKeyId: 'none', secretAccessKey: 'none' };

/** Writes a file for a test, in a folder of the run. @returns its path */
export function aFile(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The environment of a local cloud that does not answer: every request of a command fails. */
export const offline = {
  CALLING_SERVICE_ENVIRONMENT: aFile(
    'environment.json',
    JSON.stringify({ base_url: UNREACHABLE, emulator_url: UNREACHABLE, region: 'us-east-1', credentials: NO_KEY }),
  ),
};

/** Runs a command of the operators' CLI without a cloud. */
export const runOffline = (args: readonly string[], input?: Input): Promise<Ran> =>
  runCollected(args, { environment: offline, ...(input !== undefined && { input }) });

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; each test states its shape.
export async function askOffline(args: readonly string[], input?: Input): Promise<{ code: number | null; body: any }> {
  const { code, stdout } = await runOffline([...args, '--json'], input);
  return { code, body: JSON.parse(stdout) };
}
