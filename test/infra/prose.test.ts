import { proseFiles } from '../../scripts/prose/files.ts';
import { findingsIn } from '../../scripts/prose/findings.ts';
import { wordRules } from '../../scripts/prose/words.ts';
import { read } from './support/sources.ts';

const found = async (path: string, ...lines: string[]) =>
  (await findingsIn(path, lines.join('\n'))).map(({ line, message }) => `${line}: ${message}`);

describe('the prose of this repository', () => {
  it('follows the machine-checkable rules of docs/writing.md', async () => {
    const findings: string[] = [];
    for (const path of proseFiles())
      for (const { line, message } of await findingsIn(path, read(path))) findings.push(`${path}:${line} ${message}`);
    expect(findings).toEqual([]);
  });

  it('has a README that a newcomer finishes: at most 130 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
  });
});

describe('the check of prose', () => {
  const long = `${'word '.repeat(24)}end.`;

  it('finds a phrase to avoid in Markdown, even across a line break', async () => {
    expect(await found('a.md', '# Title', '', 'It runs for', 'ever and goes by the id.')).toEqual([
      '3: for ever => forever',
      '4: goes by => uses',
    ]);
  });

  it.each(wordRules.flatMap(({ specs }) => specs).filter(({ from, to }) => from !== to))(
    'finds the phrase of the example $from',
    async ({ from }) => {
      expect(await found('a.md', from)).toHaveLength(1);
      expect(await found('a.md', `- _${from}_`)).toHaveLength(1);
      expect(await found('a.ts', '/**', ...from.split(' ').map((word) => ` * ${word}`), ' */')).toHaveLength(1);
    },
  );

  it('finds a phrase in a list, a table and a link', async () => {
    expect(await found('a.md', '- It goes by the id.')).toHaveLength(1);
    expect(await found('a.md', '| a | b |', '|---|---|', '| c | it goes by d |')).toHaveLength(1);
    expect(await found('a.md', 'See [what it goes by](b.md).')).toHaveLength(1);
  });

  it('ignores code in Markdown', async () => {
    expect(await found('a.md', 'Call `whom`.', '', '```sh', `whom ${long}`, '```')).toEqual([]);
  });

  it('finds a phrase in the comments of TypeScript and names its line', async () => {
    const code = ['/**', ' * Runs for', ' * ever.', ' */', 'run(); // goes by the id'];
    expect(await found('a.ts', ...code)).toEqual(['2: for ever => forever', '5: goes by => uses']);
  });

  it('ignores the code of TypeScript', async () => {
    expect(await found('a.ts', "const whom = 'nobody';", `const text = '${long}';`)).toEqual([]);
  });

  it('finds a phrase in the names of tests, but not in their code', async () => {
    const code = [
      "describe('what goes by the id', () => {",
      "  it.each(['nobody'])('runs for ever', () => run('whom'));",
      '});',
    ];
    expect(await found('a.test.ts', ...code)).toEqual(['1: goes by => uses', '2: for ever => forever']);
    expect(await found('a.ts', ...code)).toEqual([]);
  });

  it('finds a phrase in the docstrings and comments of Python', async () => {
    const code = ['"""Runs for', 'ever."""', 'whom = "nobody"', '# It goes by the id.', 'x = """goes by"""'];
    expect(await found('a.py', ...code)).toEqual(['1: for ever => forever', '4: goes by => uses']);
  });

  it('covers the dashboard and the emulator', () => {
    expect(proseFiles()).toEqual(expect.arrayContaining(['dashboard/main.tsx', 'local/emulator/clock.py']));
  });

  it('finds lines of more than 120 characters, except in tables and headings', async () => {
    const finding = 'has 124 characters, 120 at most';
    expect(await found('a.md', long, '', `# ${long}`, '', '| a |', '|---|', `| ${long} |`)).toEqual([`1: ${finding}`]);
    expect(await found('a.ts', 'run();', `// ${long.slice(3)}`)).toEqual([`2: ${finding}`]);
  });

  it('accepts a long line of a single word, which cannot be broken', async () => {
    expect(await found('a.md', `- ${'x'.repeat(130)}`)).toEqual([]);
  });
});
