import { fileURLToPath } from 'node:url';
import { jestSuites, type Request, readRequest, type SuiteName, suiteNames, UsageError } from './runner/request.ts';
import { type Result, runSuite, watchSuite } from './runner/suites.ts';

/**
 * `npm test`: runs the suites and ends with what passed and failed.
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
 * The suites of a lane run one after the other, beside the other lanes. Three lanes keep two cores busy, because suites
 * with a cloud also wait. Each of these has a cloud of its own.
 */
const lanes: SuiteName[][] = [['types', 'lint', 'unused', 'unit', 'infra', 'contracts'], ['local', 'e2e'], ['faults']];

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
  const rows = new Map<SuiteName, string>();
  const total: Result = { passed: 0, failed: 0 };
  const runLane = async (lane: SuiteName[]) => {
    for (const name of lane.filter((suite) => asked.suites.has(suite))) {
      console.log(`\n=== ${name}`);
      const started = performance.now();
      const result = await runSuite(name, asked);
      total.passed += result.passed;
      total.failed += result.failed;
      rows.set(name, rowOf(name, result, performance.now() - started));
    }
  };
  await Promise.all(lanes.map(runLane));
  console.log(`\n${suiteNames.flatMap((name) => rows.get(name) ?? []).join('\n')}\n`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

function rowOf(name: SuiteName, { passed, failed }: Result, milliseconds: number): string {
  const seconds = (milliseconds / 1000).toFixed(0).padStart(4);
  const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed`;
  return `${failed === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(9)} ${counts} ${seconds} s`;
}
