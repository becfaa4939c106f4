import { type Expression, parseSync, Visitor } from 'oxc-parser';

const DECLARES_TESTS = new Set(['it', 'test', 'describe', 'describeInBrowser']);

/** Blanks everything but the names of tests, so that line numbers stay the same and each name reads as Markdown. */
export function testNamesAsMarkdown(path: string, code: string): string {
  const lines = code.split('\n').map(() => '');
  const lineOf = (offset: number) => code.slice(0, offset).split('\n').length - 1;
  new Visitor({
    CallExpression({ callee, arguments: [name] }) {
      if (!name || !DECLARES_TESTS.has(rootOf(callee))) return;
      if (name.type === 'Literal' && typeof name.value === 'string') lines[lineOf(name.start)] = name.value;
      if (name.type === 'TemplateLiteral')
        lines[lineOf(name.start)] = name.quasis.map(({ value }) => value.cooked ?? '').join('…');
    },
  }).visit(parseSync(path, code).program);
  return lines.join('\n');
}

/** Returns `it` for `it`, `it.each` and `it.each(rows)`; an empty text for everything else. */
function rootOf(callee: Expression): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return rootOf(callee.object);
  if (callee.type === 'CallExpression') return rootOf(callee.callee);
  return '';
}
