import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../local/is-running.mjs';

const PREFIX = 'run-';

/**
 * Creates the folder of this run, in which its local clouds share the functions' packages and compiled code, and record
 * the used rights. It is removed when this process exits; the next run removes those of killed runs.
 * @returns its path
 */
export function sharedFolder(root: string): string {
  const home = join(root, '.local');
  const folder = join(home, `${PREFIX}${process.pid}`);
  const remove = (path: string) => rmSync(path, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(home))
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length)))) remove(join(home, name));
  process.once('exit', () => remove(folder));
  return folder;
}
