import { dirname } from 'node:path';
import { codeFiles, linesOf } from '../support/checkout.ts';
import { filesBelow, read } from '../support/sources.ts';

describe('files', () => {
  it('are never barrels', () => {
    expect(codeFiles.filter((path) => /(^|\/)index\.tsx?$/.test(path))).toEqual([]);
  });

  it('have at most 400 lines', () => {
    const folders = ['bin', 'dashboard', 'lib', 'functions', 'shared', 'local', 'scripts', 'test'];
    const written = folders.flatMap((folder) => filesBelow(folder));
    expect(written.filter((path) => /\.(ts|tsx|mjs|py)$/.test(path) && linesOf(path) > 400)).toEqual([]);
  });

  it('are at most 25 in one folder', () => {
    const folders = ['bin', 'dashboard', 'lib', 'functions', 'shared', 'local', 'scripts', 'test']
      .flatMap((folder) => filesBelow(folder))
      .filter((path) => !/__(init|main)__\.py$|\.txt$/.test(path))
      .map(dirname);
    const crowded = [...new Set(folders)].filter((folder) => folders.filter((one) => one === folder).length > 25);
    expect(crowded).toEqual([]);
  });

  it('of functions only compose other modules, in at most 90 lines', () => {
    expect(filesBelow('functions', '.ts').filter((path) => linesOf(path) > 90)).toEqual([]);
  });
});

describe('the checkout', () => {
  it('names no absolute path of a machine and no registry', () => {
    // Composed here, so that this file does not contain the names either.
    const machine = new RegExp(`(?<![\\w.$}/-])/(${['work', 'root', 'home/[a-z]+', 'Users/[A-Za-z]+'].join('|')})/`);
    const registry = new RegExp(
      ['registry\\.', '(npmjs|yarnpkg)\\.', '(org|com)'].join('').concat('|files\\.python', 'hosted'),
    );
    const texts = filesBelow('').filter((path) =>
      /\.(ts|tsx|mjs|json|md|py|txt|ya?ml|css|html)$|(^|\/)\.[a-z]+$/.test(path),
    );
    const naming = texts.filter((path) => machine.test(read(path)) || registry.test(read(path)));
    expect(naming).toEqual([]);
    expect(texts).toEqual(expect.arrayContaining(['package-lock.json', 'biome.json']));
  });
});
