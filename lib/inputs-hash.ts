import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Hashes the inputs of a build, so that an unchanged build can be reused.
 * @param paths of files and folders, from the root of the repository; a folder includes its contents
 * @param settings of the build that are not in a file
 * @returns 16 hexadecimal digits
 */
export function inputsHash(paths: readonly string[], settings = ''): string {
  const hash = createHash('sha256').update(`${settings}\0`);
  for (const path of paths.flatMap(filesBelow))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(path: string): string[] {
  if (/\.(ts|json)$/.test(path)) return [path];
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
