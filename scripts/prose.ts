import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proseFiles, root } from './prose/files.ts';
import { findingsIn } from './prose/findings.ts';

/** `npm run prose`: prints the findings of docs/writing.md's rules in the named files, or in all. */
const files = process.argv.length > 2 ? process.argv.slice(2) : proseFiles();
let found = 0;
for (const path of files) {
  for (const { line, message } of await findingsIn(path, readFileSync(join(root, path), 'utf8'))) {
    console.log(`${path}:${line} ${message}`);
    found += 1;
  }
}
console.log(`${found} found in ${files.length} files`);
process.exitCode = found === 0 ? 0 : 1;
