import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages that only one command needs, beside the checkout's. A no-op if they are installed.
 * @param manifests the folder of package.json and package-lock.json
 * @param home the folder that gets `node_modules`; it is emptied first
 * @throws Error if npm fails, after npm has printed the reason
 */
export function installOwnPackages(manifests: string, home: string): void {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  // npm writes this list after the last package.
  const isComplete = existsSync(join(home, 'node_modules', '.package-lock.json'));
  if (isComplete && lock(home) === lock(manifests)) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(manifests, file), join(home, file));
  // Under `npm run`, use the npm that is running: it need not be on PATH.
  const script = process.env.npm_execpath;
  const [npm, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  if (spawnSync(npm, args, { cwd: home, stdio: 'inherit' }).status === 0) return;
  rmSync(home, { recursive: true, force: true });
  throw new Error(`the packages of ${manifests} could not be installed: fix what npm reports above`);
}
