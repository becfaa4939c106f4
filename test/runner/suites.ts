import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCode } from '../../local/process.ts';
import type { Part } from './parts.ts';
import type { JestSuite, Request, SuiteName } from './request.ts';

/** The tests of a part. The reason says why its program ended, unless it exited itself. */
export type Result = { passed: number; failed: number; reason?: string };
type Ended = { code: number; reason?: string };
type Command = [program: string, ...args: string[]];

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const shuffledOrder = join(root, 'test', 'runner', 'shuffled-order.ts');
const SUITE_MILLISECONDS = 25 * 60_000;
/** For every fault, or thousands of random requests: a little more than the limit of one test. */
const MATRIX_MILLISECONDS = 130 * 60_000;

const tools: Record<Exclude<SuiteName, JestSuite>, Command[]> = {
  // Two checkers would both check the shared files, for a quarter more CPU time, and other suites need the other core.
  types: [
    ['tsc', '--noEmit', '--checkers', '1'],
    ['tsc', '-p', 'dashboard', '--checkers', '1'],
  ],
  lint: [['biome', 'check', '.']],
  unused: [['knip']],
};

/**
 * Suites that only compute. They leave the processors to those with a cloud, whose tests wait with time limits, and
 * use them while those wait.
 */
const computing: readonly SuiteName[] = ['types', 'lint', 'unused', 'unit', 'infra', 'contracts'];
const NICENESS = '5';

/** Suites whose tests share one machine or one stack: their files run one after the other. */
const sequential: readonly SuiteName[] = ['infra', 'local', 'e2e', 'faults', 'browser'];

export async function runPart(part: Part, request: Request): Promise<Result> {
  const [suite] = part.suites;
  if (!isTool(suite)) return await runTests(part, request);
  const result: Result = { passed: 0, failed: 0 };
  for (const command of tools[suite]) {
    const ended = await run(atPriorityOf(suite, command), ['ignore', 'inherit', 'inherit'], SUITE_MILLISECONDS);
    result[ended.code === 0 ? 'passed' : 'failed'] += 1;
    if (ended.reason) result.reason ??= ended.reason;
  }
  return result;
}

/** Runs one suite after every change until the person ends it. */
export async function watchSuite(name: JestSuite, request: Request): Promise<number> {
  const part: Part = { name, suites: [name], project: name, paths: request.suites.get(name) ?? [] };
  // Without paths, jest picks the tests that the uncommitted changes affect.
  const mode = part.paths.length > 0 ? '--watchAll' : '--watch';
  return (await run([join(bin, 'jest'), ...jestArguments(part, request), mode], 'inherit')).code;
}

function atPriorityOf(suite: SuiteName, [program, ...args]: Command): Command {
  const command: Command = [join(bin, program), ...args];
  return computing.includes(suite) ? ['nice', '-n', NICENESS, ...command] : command;
}

const isTool = (name: SuiteName): name is keyof typeof tools => name in tools;

function jestArguments({ suites: [suite], project, paths }: Part, { namePattern, seed }: Request): string[] {
  return [
    ...paths,
    `--selectProjects=${project}`,
    ...(sequential.includes(suite) ? ['--runInBand'] : []),
    ...(namePattern === undefined ? [] : [`--testNamePattern=${namePattern}`]),
    ...(seed === undefined ? [] : [`--seed=${seed}`, `--testSequencer=${shuffledOrder}`]),
  ];
}

async function runTests(part: Part, request: Request): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'calling-service-test-'));
  const outputFile = join(folder, 'result.json');
  try {
    const command: Command = ['jest', ...jestArguments(part, request), '--json', '--outputFile', outputFile];
    // Progress goes to the error output; the JSON on the standard output is also in the file.
    const limit = request.isMatrix ? MATRIX_MILLISECONDS : SUITE_MILLISECONDS;
    const { code, reason } = await run(atPriorityOf(part.suites[0], command), ['ignore', 'ignore', 'inherit'], limit);
    return { ...readResult(outputFile, code), ...(reason && { reason }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run([program, ...args]: Command, stdio: StdioOptions, milliseconds?: number): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: root,
    stdio,
    env: {
      ...process.env,
      PATH: [bin, process.env.PATH].join(delimiter),
      // Most of what a test file allocates is short-lived: a large young generation saves a tenth of the CPU time.
      // Garbage collection on several threads costs more CPU time, because other suites use the other cores.
      NODE_OPTIONS: '--max-semi-space-size=64 --v8-pool-size=1',
      NODE_COMPILE_CACHE: compiledCode,
    },
    ...(milliseconds !== undefined && { signal: AbortSignal.timeout(milliseconds) }),
  });
  try {
    const [code, signal] = await once(child, 'exit');
    return signal ? { code: 1, reason: `killed by ${signal}` } : { code };
  } catch (error) {
    const { name, message } = error as Error;
    const isOverdue = name === 'AbortError' && milliseconds !== undefined;
    return { code: 1, reason: isOverdue ? `ended after ${milliseconds / 60_000} minutes` : message };
  }
}

/** Reads jest's counts. A suite that broke before it could count fails once. */
function readResult(file: string, code: number): Result {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
