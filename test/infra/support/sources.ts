import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders that tools write, not people. */
const GENERATED = new Set(['node_modules', 'dist', 'cdk.out', '.local', '.git', '.ci', 'coverage', '__pycache__']);

/** Lists the source files below a folder of the checkout, as paths from its root. */
export function filesBelow(folder: string, ending = ''): string[] {
  const found: string[] = [];
  const walk = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (GENERATED.has(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && path.endsWith(ending)) found.push(relative(root, path));
    }
  };
  walk(join(root, folder));
  return found.sort();
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Returns the text of a file without its comments, so that a comment cannot break a rule about code. */
export function codeOf(path: string): string {
  const text = read(path);
  const kept: string[] = [];
  let end = 0;
  for (const comment of parseSync(path, text).comments) {
    kept.push(text.slice(end, comment.start));
    end = comment.end;
  }
  return [...kept, text.slice(end)].join('');
}
