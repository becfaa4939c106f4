import { parseSync, Visitor } from 'oxc-parser';
import { codeOf, filesBelow, read } from './support/sources.ts';

type Expression = { at: string; pattern: string; flags: string };

// The JavaScript build runs everywhere; the others need Java or a binary for the platform. It is chosen at the import.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** What the service, its operators and its pages run. The simulators read only what tests send. */
const FOLDERS = ['shared', 'functions', 'lib', 'bin', 'dashboard'];
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
const unsafe = ({ pattern, flags }: Omit<Expression, 'at'>) =>
  checkSync(pattern, flags, { timeout: null }).status !== 'safe';

describe('regular expressions', () => {
  it('need linear time for every text, so that a long document delays no call', () => {
    const slow = expressions.filter(unsafe).map(({ at, pattern }) => `${at}: ${pattern}`);
    expect(expressions.length).toBeGreaterThan(50);
    expect(slow).toEqual([]);
  });

  it('are literals, which can be checked, except for the fixed parts of an API key', () => {
    const computed = sources.filter((path) => /\bRegExp\(/.test(codeOf(path)));
    expect(computed).toEqual(['shared/domain/organizations/api-key.ts']);
  });

  it('of quadratic time are found', () => {
    expect(unsafe({ pattern: '<(?=\\s*\\/?\\s*lead\\b)', flags: 'g' })).toBe(true);
  });
});
