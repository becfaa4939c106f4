import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Part, partsOf, runsLast } from './runner/parts.ts';
import { preparation } from './runner/prepare.ts';
import { jestSuites, type Request, readRequest, suiteNames, UsageError } from './runner/request.ts';
import { sharedFolder } from './runner/shared-folder.ts';
import { skippedIn } from './runner/skipped.ts';
import { type Result, runPart, watchSuite } from './runner/suites.ts';

/**
 * `npm test`: runs the suites, and prints the passed and failed tests and the skipped checks at the end.
 *
 *   npm test                                    every suite
 *   npm test -- unit infra                      only these
 *   npm test -- test/unit/domain                only the tests of a file or a folder
 *   npm test -- test/unit/domain -t 'exceeds'   only the tests whose name matches
 *   npm test -- --watch                         the unit tests that a change affects, after every change
 *   npm test -- --shuffle                       files in random order; `--seed N` repeats an order
 *   npm test -- --matrix faults                 with the faults that take long
 */
const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * How many parts run at once. Three more than the cores keep them busy, because the suites with a cloud mostly wait:
 * three of them use little more than one core.
 */
const AT_ONCE = availableParallelism() + 3;

// Programs in Go collect garbage less often: a fifth less CPU time for the type check, a tenth less for the bundles,
// and no more memory.
process.env.GOGC = '400';

const request = read();
if (request.isMatrix) process.env.FAULTS = 'matrix';
if (request.seed !== undefined) console.log(`Test files run in random order; --seed ${request.seed} repeats it.`);
process.exit(request.isWatch ? await watch(request) : await runAll(request));

function read(): Request {
  try {
    return readRequest(process.argv.slice(2), root);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

async function watch(watched: Request): Promise<number> {
  const name = jestSuites.find((suite) => watched.suites.has(suite));
  return name ? await watchSuite(name, watched) : 2;
}

async function runAll(asked: Request): Promise<number> {
  const shared = sharedFolder(root);
  process.env.LOCAL_SHARED ??= shared;
  process.env.SEEN_USE_FOLDER = join(shared, 'use');
  process.env.SEEN_COMMANDS_FOLDER = join(shared, 'commands');
  const skippedFile = join(shared, 'skipped');
  process.env.SKIPPED_FILE = skippedFile;
  const parts = partsOf(asked, root);
  const rows = new Map<string, string>();
  const total: Result = { passed: 0, failed: 0 };
  const waiting = parts.filter((part) => !runsLast(part));
  const prepare = preparation(shared);
  const runOne = async (part: Part): Promise<void> => {
    await prepare(part.suites);
    console.log(`\n=== ${part.name}`);
    const started = performance.now();
    const result = await runPart(part, asked);
    total.passed += result.passed;
    total.failed += result.failed;
    rows.set(part.name, rowOf(part.name, result, performance.now() - started));
  };
  const runNext = async (): Promise<void> => {
    for (let part = waiting.shift(); part; part = waiting.shift()) await runOne(part);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  for (const part of parts.filter(runsLast)) await runOne(part);
  const named = suiteNames
    .flatMap((suite) => parts.filter(({ suites }) => suites[0] === suite))
    .map(({ name }) => name);
  console.log(`\n${named.flatMap((name) => rows.get(name) ?? []).join('\n')}\n`);
  for (const sentence of skippedIn(skippedFile)) console.log(`skipped: ${sentence}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

function rowOf(name: string, { passed, failed, reason }: Result, milliseconds: number): string {
  const seconds = (milliseconds / 1000).toFixed(0).padStart(4);
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed`;
  return `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${counts} ${seconds} s${reason ? `: ${reason}` : ''}`;
}
