import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readRequest, suiteNames } from '../runner/request.ts';
import ShuffledOrder from '../runner/shuffled-order.ts';
import { root } from './support/sources.ts';

const suitesOf = (...args: string[]) => Object.fromEntries(readRequest(args, root).suites);

describe('the arguments of npm test', () => {
  it('run every suite by default', () => {
    expect(Object.keys(suitesOf())).toEqual(suiteNames);
  });

  it('run only the named suites', () => {
    expect(suitesOf('unit', 'infra')).toEqual({ unit: [], infra: [] });
  });

  it('run paths in their suites, in every form of a path', () => {
    const paths = ['test/unit/domain/a.test.ts', './test/unit/domain', join(root, 'test/e2e/dial-call.test.ts')];
    expect(suitesOf(...paths)).toEqual({
      unit: ['test/unit/domain/a.test.ts', 'test/unit/domain'],
      e2e: ['test/e2e/dial-call.test.ts'],
    });
  });

  it('accept a pattern of test names, a seed, and the slow faults', () => {
    expect(readRequest(['unit', '-t', 'rings once', '--seed', '7'], root)).toMatchObject({
      namePattern: 'rings once',
      seed: 7,
    });
    expect(readRequest(['--matrix', 'faults'], root)).toMatchObject({ isMatrix: true });
    expect(readRequest(['--shuffle'], root).seed).toEqual(expect.any(Number));
    expect(readRequest([], root)).toMatchObject({ seed: undefined, isWatch: false, isMatrix: false });
  });

  it('watch the unit tests unless a suite or a path is named', () => {
    expect(suitesOf('--watch')).toEqual({ unit: [] });
    expect(suitesOf('--watch', 'test/infra/lock.test.ts')).toEqual({ infra: ['test/infra/lock.test.ts'] });
  });

  it.each([
    [['nothing'], 'neither a suite'],
    [['test/support/rest.ts'], 'neither a suite'],
    [['shared/domain/ids.ts'], 'neither a suite'],
    [['--fast'], '--fast'],
    [['--seed', 'x'], '--seed'],
    [['-t', 'x'], '-t needs'],
    [['--watch', 'unit', 'infra'], '--watch runs one'],
    [['--watch', 'types'], '--watch runs one'],
  ])('are refused with a sentence: %j', (args, sentence) => {
    expect(() => readRequest(args, root)).toThrow(sentence);
  });
});

describe('npm test', () => {
  const npmTest = (...args: string[]) => spawnSync(process.execPath, ['test/run.ts', ...args], { cwd: root });

  it('runs one file and only its matching tests, and ends with the counts', () => {
    const { status, stdout } = npmTest('test/unit/domain/organizations/credit.test.ts', '-t', 'hold');
    const last = String(stdout).trim().split('\n').at(-1);
    expect(last).toMatch(/^[1-9]\d* passed, 0 failed$/);
    expect(status).toBe(0);
  });

  it('fails if a path has no tests', () => {
    const { status, stdout } = npmTest('test/unit/no-such.test.ts');
    expect(String(stdout).trim().split('\n').at(-1)).toBe('0 passed, 1 failed');
    expect(status).toBe(1);
  });

  it('lists the suites if an argument is wrong', () => {
    const { status, stderr } = npmTest('units');
    expect(String(stderr)).toContain('types, lint, unused, unit');
    expect(status).toBe(2);
  });
});

describe('npx', () => {
  it('runs the tools with the Node.js of the lock file, not with the one on PATH', () => {
    const path = process.env.PATH?.split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const env = { ...process.env, PATH: path?.join(delimiter) };
    const ran = execFileSync('npx', ['--no', '-c', 'node -p process.execPath'], { cwd: root, env, encoding: 'utf8' });
    expect(realpathSync(ran.trim())).toBe(realpathSync(process.execPath));
  });
});

describe('the random order of test files', () => {
  const files = Array.from({ length: 50 }, (_, index) => ({ path: `test/unit/${index}.test.ts` }));
  const ordered = (seed: number, given = files) => new ShuffledOrder({ globalConfig: { seed } }).sort(given);

  it('contains every file once', () => {
    expect(new Set(ordered(1))).toEqual(new Set(files));
    expect(ordered(1)).toHaveLength(files.length);
  });

  it('is repeated by its seed, whatever the initial order', () => {
    expect(ordered(1, [...files].reverse())).toEqual(ordered(1));
    expect(ordered(2)).not.toEqual(ordered(1));
  });
});
