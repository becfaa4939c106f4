import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '../mutation/rules.ts';
import { root } from './support/sources.ts';

/** Returns the patterns that a pattern with alternatives, `{a,b}` or `@(a|b)`, stands for. */
function alternativesOf(pattern: string): string[] {
  const braces = pattern.replace(/@\(([^()]*)\)/g, (_, names: string) => `{${names.replaceAll('|', ',')}}`);
  const innermost = /\{([^{}]*)\}/.exec(braces);
  if (!innermost) return [braces];
  const [choice, names = ''] = innermost;
  return names.split(',').flatMap((name) => alternativesOf(braces.replace(choice, name)));
}

const patterns = [...new Set(Object.values(rules).flatMap(alternativesOf))];
/** A schema and a constant, which the tests of other rules of their sets cover. */
const WITHOUT_OWN_TESTS = ['leads/lead', 'calls/absence'];
const filesOf = (pattern: string) => globSync(`shared/domain/${pattern}.ts`, { cwd: root });

describe('the rules that mutation tests change', () => {
  it.each(patterns)('exist: %s', (pattern) => {
    expect(filesOf(pattern)).not.toEqual([]);
  });

  it('have unit tests of the same name', () => {
    const tested = patterns.filter((pattern) => !WITHOUT_OWN_TESTS.includes(pattern)).flatMap(filesOf);
    const tests = tested.map((file) => `test/unit/${file.slice('shared/'.length, -3)}.test.ts`);
    expect(tests.filter((test) => !existsSync(join(root, test)))).toEqual([]);
  });
});
