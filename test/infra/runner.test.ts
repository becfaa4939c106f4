import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { order, partsOf, runsLast } from '../runner/parts.ts';
import { readRequest, suiteNames } from '../runner/request.ts';
import { sharedFolder } from '../runner/shared-folder.ts';
import ShuffledOrder from '../runner/shuffled-order.ts';
import { runPart } from '../runner/suites.ts';
import { atOnce } from '../support/runner/at-once.ts';
import { filesBelow, root } from './support/sources.ts';

describe('the arguments of npm test', () => {
  const nothing = { namePattern: undefined, seed: undefined, isWatch: false, isMatrix: false };
  it.each<[string, string[], Record<string, string[]>, object]>([
    ['every suite by default', [], Object.fromEntries(suiteNames.map((name) => [name, []])), nothing],
    ['only the named suites', ['unit', 'infra'], { unit: [], infra: [] }, nothing],
    [
      'paths in their suites, in every form of a path',
      ['test/unit/domain/a.test.ts', './test/unit/domain', join(root, 'test/e2e/consumers/dial-call.test.ts')],
      { unit: ['test/unit/domain/a.test.ts', 'test/unit/domain'], e2e: ['test/e2e/consumers/dial-call.test.ts'] },
      nothing,
    ],
    ['tests with a name', ['unit', '-t', 'rings once'], { unit: [] }, { namePattern: 'rings once' }],
    ['files in the order of a seed', ['unit', '--seed', '7'], { unit: [] }, { seed: 7 }],
    ['files in a random order', ['unit', '--shuffle'], { unit: [] }, { seed: expect.any(Number) }],
    ['the slow faults', ['--matrix', 'faults'], { faults: [] }, { isMatrix: true }],
    ['the unit tests after every change', ['--watch'], { unit: [] }, { isWatch: true }],
    ['another suite after every change', ['--watch', 'test/infra'], { infra: ['test/infra'] }, { isWatch: true }],
  ])('run %s', (_, args, suites, request) => {
    const { suites: chosen, ...others } = readRequest(args, root);
    expect(Object.fromEntries(chosen)).toEqual(suites);
    expect(others).toMatchObject(request);
  });

  it.each([
    [['nothing'], 'neither a suite'],
    [['test/support/rest/rest.ts'], 'neither a suite'],
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

describe('the parts of npm test', () => {
  const partsFor = (...args: string[]) => partsOf(readRequest(args, root), root);

  it('contain every suite, and every file of a divided suite once', () => {
    const parts = partsFor();
    expect(new Set(parts.flatMap(({ suites }) => suites))).toEqual(new Set(suiteNames));
    for (const divided of ['local', 'e2e']) {
      const files = filesBelow(`test/${divided}`, '.test.ts');
      const paths = parts.flatMap((part) => part.paths).filter((path) => path.startsWith(`test/${divided}/`));
      expect(paths.length).toBeGreaterThan(1);
      const times = files.map((file) => paths.filter((path) => file === path || file.startsWith(`${path}/`)).length);
      expect(new Set(times)).toEqual(new Set([1]));
    }
  });

  it('have their place in the order, each', () => {
    expect(partsFor().map(({ name }) => name)).toEqual(order);
  });

  it('end with the rights, which depend on the other suites', () => {
    expect(partsFor().filter(runsLast)).toEqual([{ name: 'rights', suites: ['rights'], project: 'rights', paths: [] }]);
  });

  it('do not divide files that a person names', () => {
    const path = 'test/local/start.test.ts';
    expect(partsFor(path)).toEqual([{ name: 'local', suites: ['local'], project: 'local', paths: [path] }]);
  });

  it('do not divide a suite that runs without the one that shares its cloud', () => {
    expect(partsFor('e2e')).toEqual([{ name: 'e2e', suites: ['e2e'], project: 'e2e', paths: [] }]);
  });
});

it('removes the shared folder of a killed run’s clouds, but not a running one’s', () => {
  const home = mkdtempSync(join(tmpdir(), 'runner-'));
  const [killed, running] = ['run-2147483647', `run-${process.ppid}`];
  for (const name of [killed, running, 'cloud']) mkdirSync(join(home, '.local', name), { recursive: true });
  const folder = sharedFolder(home);
  expect(readdirSync(join(home, '.local')).sort()).toEqual(['cloud', running, basename(folder)].sort());
  rmSync(home, { recursive: true });
});

it.each([
  [['test/unit/domain/organizations/credit.test.ts', '-t', 'hold'], 0, /^[1-9]\d* passed, 0 failed$/m],
  [['test/unit/no-such.test.ts'], 1, /^0 passed, 1 failed$/m],
  [['units'], 2, /types, lint, unused, unit/],
])('npm test runs %j, exits with %i, and reports the result', (args, exitCode, text) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/run.ts', ...args], { cwd: root });
  expect([status, `${stdout}${stderr}`]).toEqual([exitCode, expect.stringMatching(text)]);
});

it.each([
  ['--calls', 'abc'],
  ['--calls', '0'],
  ['--requests', '1.5'],
  ['--from', '-1'],
  ['--seed', ''],
])('npm run simulate refuses %s=%s with a sentence', (option, value) => {
  const ran = spawnSync(process.execPath, ['test/simulation/main.ts', `${option}=${value}`], { cwd: root });
  expect([ran.status, String(ran.stderr)]).toEqual([2, expect.stringContaining(`${option} is a whole number`)]);
});

describe('a suite', () => {
  const { PATH } = process.env;
  const run = async () => {
    const request = readRequest(['test/unit/no-such.test.ts'], root);
    return Promise.all(partsOf(request, root).map((part) => runPart(part, request)));
  };

  afterEach(() => {
    process.env.PATH = PATH;
    jest.restoreAllMocks();
  });

  it('that cannot start fails with the reason', async () => {
    process.env.PATH = '/nowhere';
    expect(await run()).toEqual([{ passed: 0, failed: 1, reason: 'spawn nice ENOENT' }]);
  });

  it('that exceeds its time fails with the reason', async () => {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    expect(await run()).toEqual([{ passed: 0, failed: 1, reason: 'ended after 25 minutes' }]);
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

  it('is reproducible with its seed, whatever the initial order', () => {
    expect(ordered(1, [...files].reverse())).toEqual(ordered(1));
    expect(ordered(2)).not.toEqual(ordered(1));
  });
});

describe('tests that run at once', () => {
  it('start in the order of their calls, up to the limit, and each reports its own outcome', async () => {
    const begun: number[] = [];
    let [running, most] = [0, 0];
    const together = atOnce(2);
    const tests = [0, 1, 2, 3].map((number) =>
      together(async () => {
        begun.push(number);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        if (number === 1) throw new Error('failed');
      }),
    );
    expect(begun).toEqual([]);
    const outcomes: string[] = [];
    for (const test of [...tests].reverse())
      outcomes.push(
        await test().then(
          () => 'passed',
          ({ message }: Error) => message,
        ),
      );
    expect(outcomes).toEqual(['passed', 'passed', 'failed', 'passed']);
    expect([begun, most]).toEqual([[0, 1, 2, 3], 2]);
  });
});
