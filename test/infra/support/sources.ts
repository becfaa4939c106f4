import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What is made by tools, not written. */
const GENERATED = new Set(['node_modules', 'dist', 'cdk.out', '.local', '.git', '.ci', 'coverage', '__pycache__']);

/** Every written file below a folder of the checkout, as paths from its root. */
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

/** The text without comments, so that a rule about code is not broken by words about it. */
export const codeOf = (path: string): string =>
  read(path)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|[\s;,({[])\/\/.*$/gm, '$1');

export type Import = {
  /** The importing file. */
  from: string;
  /** The imported file from the root of the checkout, or the package's name. */
  to: string;
  isPackage: boolean;
  isTypeOnly: boolean;
};

const STATEMENT =
  /^\s*(?:import|export)\s+(?<type>type\s+)?(?:[\w$*{][^'";]*?\s+from\s+)?['"](?<static>[^'"]+)['"]|(?<![.\w])import\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

/** The imports of a file, dynamic ones and `export … from` included. */
export function importsOf(from: string): Import[] {
  return [...codeOf(from).matchAll(STATEMENT)].map(({ groups = {} }) => {
    const target = groups.static ?? groups.dynamic ?? '';
    const isPackage = !target.startsWith('.');
    return {
      from,
      to: isPackage ? target : join(dirname(from), target),
      isPackage,
      isTypeOnly: groups.type !== undefined,
    };
  });
}
