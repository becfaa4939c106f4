import { writeFileSync } from 'node:fs';
import { destinationTable } from './destinations/table.ts';

/**
 * `npm run destinations`: writes the table of the numbers that may be called at all, from the metadata of the installed
 * libphonenumber (docs/decisions/0028-where-calls-may-go.md). Run it after an upgrade of libphonenumber-js;
 * test/unit/domain/text/destination.test.ts fails until then.
 */
const FILE = new URL('../shared/domain/text/destination-table.ts', import.meta.url);
const LINE_CHARACTERS = 118;

const { packed } = destinationTable();
const lines = packed.match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? [];
writeFileSync(
  FILE,
  `// Made by \`npm run destinations\`. Do not edit.

/** Countries by the beginnings of their numbers, and the automaton of the ordinary numbers, by Brotli in base64. */
export const TABLE = \`
${lines.join('\n')}
\`;
`,
);
console.log(`${FILE.pathname}: ${packed.length} characters`);
