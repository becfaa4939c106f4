import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const PROSE = ['*.md', 'docs/**/*.md', '.github/**/*.md', '*.mjs'];
const CODE = ['bin', 'lib', 'functions', 'shared', 'dashboard', 'local', 'scripts', 'test'].map(
  (folder) => `${folder}/**/*.{ts,tsx,js,mjs,py}`,
);
/** The page that quotes the words to avoid. */
const RULES = 'docs/writing.md';

/** Lists the files whose prose is checked, as paths from the root of the checkout. */
export const proseFiles = (): string[] =>
  globSync([...PROSE, ...CODE], { cwd: root })
    .filter((path) => path !== RULES)
    .sort();
