import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm test`: everything that is checked, suite after suite, and at the end what ran. Names of suites as arguments
 * run only those; `-- --matrix` adds the faults that take long.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const SUITE_MILLISECONDS = 25 * 60_000;

type Result = { passed: number; failed: number };
type Suite = () => Promise<Result>;

/** A tool that either finds nothing wrong or does. */
const tool =
  (...command: [string, ...string[]]): Suite =>
  async () =>
    (await run(command)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };

/** A project of jest.config.mjs. Those that share the stack and its clock run one file after the other. */
const tests =
  (project: string, ...flags: string[]): Suite =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'calling-service-test-'));
    const outputFile = join(folder, 'result.json');
    try {
      const code = await run(['jest', '--selectProjects', project, ...flags, '--json', '--outputFile', outputFile]);
      return readResult(outputFile, code);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

const suites: Record<string, Suite> = {
  types: tool('tsc', '--noEmit'),
  lint: tool('biome', 'check', '.'),
  unit: tests('unit'),
  infra: tests('infra', '--runInBand'),
  contracts: tests('contracts'),
  local: tests('local', '--runInBand'),
  e2e: tests('e2e', '--runInBand'),
  faults: tests('faults', '--runInBand'),
};

async function run([command, ...args]: [string, ...string[]]): Promise<number> {
  const child = spawn(join(bin, command), args, {
    cwd: root,
    // What the tools say of themselves goes to the error output; jest's JSON stays out of sight.
    stdio: ['ignore', command === 'jest' ? 'ignore' : 'inherit', 'inherit'],
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    },
    signal: AbortSignal.timeout(SUITE_MILLISECONDS),
  });
  const [code] = await once(child, 'exit').catch(() => [1]);
  return code ?? 1;
}

/** A suite that broke before it could count fails once. */
function readResult(file: string, code: number): Result {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const asked = process.argv.slice(2).filter((argument) => argument !== '--matrix');
if (process.argv.includes('--matrix')) process.env.FAULTS = 'matrix';
const unknown = asked.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}

/** What mostly waits runs beside each other; every suite with a cloud has one of its own. */
const phases = [
  [['types', 'lint', 'unit', 'infra', 'contracts'], ['local']],
  [['e2e'], ['faults']],
];

const rows = new Map<string, string>();
const total: Result = { passed: 0, failed: 0 };
async function runAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const suite = suites[name];
    if (!suite || (asked.length > 0 && !asked.includes(name))) continue;
    console.log(`\n=== ${name}`);
    const started = performance.now();
    const { passed, failed } = await suite();
    total.passed += passed;
    total.failed += failed;
    const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4);
    rows.set(
      name,
      `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(9)} ${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed ${seconds} s`,
    );
  }
}
for (const lanes of phases) await Promise.all(lanes.map(runAll));
console.log(
  `\n${Object.keys(suites)
    .flatMap((name) => rows.get(name) ?? [])
    .join('\n')}\n`,
);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
