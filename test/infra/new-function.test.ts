import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlan, triggers } from '../../scripts/new-function/plan.ts';
import { productShelves } from '../../scripts/new-function/shelves.ts';
import { importsIn } from './support/imports.ts';
import { codeOf, filesBelow, read, root } from './support/sources.ts';

const NOT_COPIED = new Set(['node_modules', 'dist', 'cdk.out', '.local', '.git', 'coverage']);
const AREA = 'leads';
/** A function for every trigger, on every shelf. */
const wanted = triggers.map((trigger, index) => ({
  trigger,
  name: `try-${trigger}`,
  shelf: productShelves[index % productShelves.length] ?? 'calls',
}));

let checkout: string;
const written: string[] = [];
const inCheckout = (program: string, args: string[]) => {
  // This test needs no bundles of the functions.
  const env = { ...process.env, BUNDLED_CHECKOUT: `${checkout}/` };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: checkout, env, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};
const run = (...args: string[]) => inCheckout(process.execPath, args);
const tool = (name: string, ...args: string[]) => inCheckout(join(root, 'node_modules/.bin', name), args);
const expectPass = ({ status, output }: ReturnType<typeof run>) =>
  expect([status, status === 0 ? '' : output]).toEqual([0, '']);

const rows = [
  'lib/functions.ts',
  'lib/queues.ts',
  `lib/dashboard/${AREA}.ts`,
  'shared/messages/rest/routes.ts',
  'shared/messages/dashboard/routes.ts',
  'shared/messages/dashboard/answers.ts',
  `shared/messages/dashboard/${AREA}.ts`,
];
/** A type that needs a member for each name, or excludes names. Most tables of the tests are partial. */
const NEEDS_ALL = /(?<!Partial<)Record<(?!string\b)|\bsatisfies\b|\[\w+ in |: never\b|\b(?:Exclude|Extract)</;
/** Lists the files whose types a new row may affect: of the tests, which take longest, those with such a type. */
function readersOfRows(): string[] {
  const code = ['bin', 'functions', 'lib', 'local', 'scripts', 'shared', 'test'].flatMap((name) =>
    filesBelow(name, '.ts'),
  );
  const mayBreak = code.filter((path) => !path.startsWith('test/') || NEEDS_ALL.test(codeOf(path)));
  return mayBreak.filter((path) => importsIn(path, read(path)).some(({ to }) => rows.includes(to)));
}

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'calling-service-copy-'));
  for (const name of readdirSync(root).filter((entry) => !NOT_COPIED.has(entry)))
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
});

afterAll(() => rmSync(checkout, { recursive: true, force: true }));

describe('npm run new:function', () => {
  it('writes functions for every trigger and names their files', () => {
    // In one process: each start takes half a second of CPU time.
    const calls = wanted.map(({ trigger, name, shelf }) => [trigger, name, '--shelf', shelf, '--area', AREA]);
    const { status, output } = run(
      ...['--input-type=module', '--eval'],
      `for (const args of ${JSON.stringify(calls)}) {
        process.argv = ['', '', ...args];
        await import('./scripts/new-function.ts?' + args[1]);
      }`,
    );
    const outputs = output.split(/(?<=^Next: .*\n)/m);
    expect([status, outputs.length]).toEqual([0, wanted.length]);
    for (const [index, { trigger, name, shelf }] of wanted.entries()) {
      const lines = outputs[index]?.split('\n') ?? [];
      expect(lines).toContain(`shared/operations/${shelf}/${name}.ts`);
      if (trigger === 'dashboard') expect(lines).toContain(`functions/dashboard/${AREA}/${name}.ts`);
      written.push(...lines.filter((line) => line.includes(name) && line.endsWith('.ts')));
    }
  });

  // The suites `types` and `lint` check the other files.
  it('writes functions that pass types and lint', () => {
    const files = [...rows, ...written, ...readersOfRows()];
    const config = { extends: './tsconfig.json', include: [], files };
    writeFileSync(join(checkout, 'tsconfig.written.json'), JSON.stringify(config));
    expectPass(tool('tsc', '--noEmit', '--checkers', '1', '--project', 'tsconfig.written.json'));
    rmSync(join(checkout, 'tsconfig.written.json'));
    expectPass(tool('biome', 'check', ...rows, ...written));
  });

  it('writes functions that pass the search for unused code, the rules of the house and their tests', () => {
    expectPass(run('scripts/routes.ts'));
    const unitTests = wanted.map(({ name, shelf }) => `test/unit/operations/${shelf}/${name}.test.ts`);
    expectPass(run('test/run.ts', 'unused', 'test/infra/house', 'test/infra/routes.test.ts', ...unitTests));
  });

  it('writes functions in plain English', () => {
    expect(run('scripts/prose.ts', ...written).output).toContain('0 found');
  });

  it('creates an end-to-end test for each, except functions on streams', () => {
    const tests = written.filter((path) => path.startsWith('test/e2e/'));
    const entries = written.filter((path) => /^functions\/(?!streams\/)/.test(path));
    const expected = entries.map((path) =>
      path.replace(/^functions\/([^/]+)\/(.*\/)?(.*)\.ts$/, 'test/e2e/$1/$3.test.ts'),
    );
    expect(expected).toHaveLength(wanted.length - 1);
    expect(tests.sort()).toEqual(expected.sort());
  });

  it('changes no file if the name is taken', () => {
    const before = readFileSync(join(checkout, 'lib/functions.ts'), 'utf8');
    expect(run('scripts/new-function.ts', 'rest', 'get-call')).toEqual({
      status: 2,
      output: 'functions/rest/get-call.ts exists: choose another name.\n',
    });
    expect(readFileSync(join(checkout, 'lib/functions.ts'), 'utf8')).toBe(before);
  });

  it.each([
    [[]],
    [['rest']],
    [['rest', 'Calls']],
    [['cron', 'list-calls']],
    [['rest', 'list-calls', '--shelf', 'x']],
    [['dashboard', 'list-calls', '--area', 'x']],
  ])('explains its arguments if it gets %j', (args) => {
    expect(() => readPlan(args)).toThrow('npm run new:function -- TRIGGER NAME');
  });
});
