import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, filesBelow, read, root } from './support/sources.ts';

type Expression = { at: string; pattern: string; flags: string };

// The JavaScript build runs everywhere, but takes four times the CPU time of the binary. It is chosen at the import.
const hasBinary = process.platform === 'linux' && existsSync(join(root, `node_modules/recheck-linux-${process.arch}`));
process.env.RECHECK_BACKEND = hasBinary ? 'native' : 'pure';
const { check } = await import('recheck');

/** The code of the service, its operators, its pages, `npm start` and the developers' commands. */
const FOLDERS = ['shared', 'functions', 'lib', 'bin', 'dashboard', 'local', 'scripts'];

/** Files that compose expressions of fixed or escaped parts. Simulators apply them to the tests' requests. */
const COMPOSING = [
  'shared/domain/organizations/api-key.ts',
  'local/simulators/crm-b/rules/caller.ts',
  'local/simulators/crm-b/rules/coql.ts',
  'local/simulators/help-desk/rules/caller.ts',
  'local/simulators/help-desk/rules/query.ts',
  'local/simulators/model/rules/converse.ts',
  'local/simulators/model/rules/fill.ts',
  'local/simulators/zoho-accounts/rules/consents.ts',
  'scripts/destinations.ts',
  'scripts/prose/words.ts',
];
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

const expressions = sources.flatMap(expressionsIn);
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
