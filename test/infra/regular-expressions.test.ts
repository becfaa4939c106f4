import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, filesBelow, read, root } from './support/sources.ts';

type Expression = { at: string; pattern: string; flags: string };

// The JavaScript build runs everywhere, but takes four times the CPU time of the binary. It is chosen at the import.
const hasBinary = process.platform === 'linux' && existsSync(join(root, `node_modules/recheck-linux-${process.arch}`));
process.env.RECHECK_BACKEND = hasBinary ? 'native' : 'pure';
const { check } = await import('recheck');

/** The code of the service, its operators and its pages, which read texts of strangers. */
const FOLDERS = ['shared', 'functions', 'lib', 'bin', 'dashboard'];

/** Files that compose expressions of fixed or escaped parts. */
const COMPOSING = ['shared/domain/organizations/api-key.ts'];
const sources = FOLDERS.flatMap((folder) => [...filesBelow(folder, '.ts'), ...filesBelow(folder, '.tsx')]);

function expressionsIn(at: string): Expression[] {
  const found: Expression[] = [];
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ at, ...node.regex });
    },
  }).visit(parseSync(at, read(at)).program);
  return found;
}

/** Each expression once, because the check of some takes half a second. */
const expressions = [
  ...new Map(sources.flatMap(expressionsIn).map((one) => [`/${one.pattern}/${one.flags}`, one])).values(),
];
const isSafe = async ({ pattern, flags }: Omit<Expression, 'at'>) =>
  (await check(pattern, flags, { timeout: null })).status === 'safe';

describe('regular expressions', () => {
  it('need linear time for every text, so that a long document delays no call', async () => {
    const slow: string[] = [];
    for (const expression of expressions)
      if (!(await isSafe(expression))) slow.push(`${expression.at}: ${expression.pattern}`);
    expect(expressions.length).toBeGreaterThan(50);
    expect(slow).toEqual([]);
  });

  it('are literals, which can be checked, except in files that compose them of fixed or escaped parts', () => {
    const computed = sources.filter((path) => /\bRegExp\(/.test(codeOf(path)));
    expect(computed).toEqual(COMPOSING);
  });

  it('of quadratic time are found', async () => {
    expect(await isSafe({ pattern: '<(?=\\s*\\/?\\s*lead\\b)', flags: 'g' })).toBe(false);
  });
});
