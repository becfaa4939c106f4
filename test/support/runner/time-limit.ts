import { wrapTests } from './wrapped-tests.ts';

/** Long enough for a busy two-core machine: the limit fails a test that hangs, and is not an expected duration. */
const MINUTES = 10;
/** The limit of `faults`, whose tests send bursts and kill workers. */
const FAULTS_MINUTES = 20;
/** The limit of `npm run test:matrix` and `npm run fuzz`: every fault, or thousands of random requests. */
const MATRIX_MINUTES = 120;

// Fake timers of a test do not stop its limit.
const { setTimeout, clearTimeout } = globalThis;

// jest-light-runner knows no time limits.
wrapTests(limited);

async function limited(run: () => unknown): Promise<void> {
  const isOfFaults = expect.getState().testPath?.includes('/test/faults/');
  const minutes = process.env.FAULTS === 'matrix' ? MATRIX_MINUTES : isOfFaults ? FAULTS_MINUTES : MINUTES;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The test was not over after ${minutes} minutes.`)), minutes * 60_000);
  });
  await Promise.race([Promise.resolve().then(run), late]).finally(() => clearTimeout(timer));
}
