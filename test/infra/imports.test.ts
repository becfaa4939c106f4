import { importsIn } from './support/imports.ts';

const targetsOf = (code: string) =>
  importsIn('shared/domain/a.ts', code).map(({ to, isTypeOnly }) => `${to}${isTypeOnly ? ' (type)' : ''}`);

describe('the imports of a file', () => {
  it.each([
    ["import { v } from './b.ts';", 'shared/domain/b.ts'],
    ["import v from './b.ts';", 'shared/domain/b.ts'],
    ["import * as v from '../b.ts';", 'shared/b.ts'],
    ["import './b.ts';", 'shared/domain/b.ts'],
    ["import v, { type T } from './b.ts';", 'shared/domain/b.ts'],
    ["import type { T } from './b.ts';", 'shared/domain/b.ts (type)'],
    ["import { type T } from './b.ts';", 'shared/domain/b.ts (type)'],
    ["export { v } from './b.ts';", 'shared/domain/b.ts'],
    ["export * from './b.ts';", 'shared/domain/b.ts'],
    ["export type { T } from './b.ts';", 'shared/domain/b.ts (type)'],
    ["export type * from './b.ts';", 'shared/domain/b.ts (type)'],
    ["const lazy = async () => await import('./b.ts');", 'shared/domain/b.ts'],
    ['await import(name);', '(computed)'],
    ["type T = import('./b.ts').T;", 'shared/domain/b.ts (type)'],
    ["type T = typeof import('./b.ts');", 'shared/domain/b.ts (type)'],
    ["import {\n  v, // from 'x'\n} from\n  './b.ts';", 'shared/domain/b.ts'],
    ["import fs from 'node:fs';", 'node:fs'],
    ["import { z } from '@scope/name/part';", '@scope/name/part'],
  ])('include %j', (code, target) => {
    expect(targetsOf(code)).toEqual([target]);
  });

  it.each([
    "// import './b.ts';",
    "/* import './b.ts'; */",
    'const text = "import \'./b.ts\';";',
    'export const v = 1;',
  ])('do not include %j', (code) => {
    expect(targetsOf(code)).toEqual([]);
  });

  it('are refused if the code cannot be parsed', () => {
    expect(() => targetsOf('import {')).toThrow('shared/domain/a.ts');
  });
});
