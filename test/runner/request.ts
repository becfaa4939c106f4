import { isAbsolute, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const jestSuites = ['unit', 'infra', 'contracts', 'local', 'e2e', 'faults', 'browser', 'rights'] as const;
const toolSuites = ['types', 'lint', 'unused'] as const;
export const suiteNames = [...toolSuites, ...jestSuites];

export type JestSuite = (typeof jestSuites)[number];
export type SuiteName = (typeof suiteNames)[number];

/** The work of one call of `npm test`. */
export type Request = {
  /** The suites to run, each with its test files or folders; an empty list for all. */
  suites: Map<SuiteName, string[]>;
  /** A pattern for the names of the tests to run. */
  namePattern: string | undefined;
  isWatch: boolean;
  isMatrix: boolean;
  /** The seed of the random order of test files. */
  seed: number | undefined;
};

/** A mistake in the arguments, explained to the person who made it. */
export class UsageError extends Error {}

const isSuite = (name: string): name is SuiteName => (suiteNames as readonly string[]).includes(name);
const isJestSuite = (name: string): name is JestSuite => (jestSuites as readonly string[]).includes(name);

/**
 * Reads the arguments of `npm test`.
 *
 * @param root the checkout, to which relative paths belong
 * @throws {UsageError}
 */
export function readRequest(args: string[], root: string): Request {
  const { values, positionals } = parse(args);
  const suites = suitesOf(positionals, root);
  if (suites.size === 0) {
    if (values.testNamePattern !== undefined) throw new UsageError('-t needs a suite or the path of a test file.');
    for (const name of values.watch ? ['unit' as const] : suiteNames) suites.set(name, []);
  }
  if (values.watch && (suites.size > 1 || ![...suites.keys()].every(isJestSuite)))
    throw new UsageError(`--watch runs one suite; there are ${jestSuites.join(', ')}.`);
  return {
    suites,
    namePattern: values.testNamePattern,
    isWatch: values.watch,
    isMatrix: values.matrix,
    seed: seedOf(values),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        testNamePattern: { type: 'string', short: 't' },
        watch: { type: 'boolean', default: false },
        matrix: { type: 'boolean', default: false },
        shuffle: { type: 'boolean', default: false },
        seed: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function suitesOf(positionals: string[], root: string): Map<SuiteName, string[]> {
  const suites = new Map<SuiteName, string[]>();
  for (const positional of positionals) {
    if (isSuite(positional)) {
      suites.set(positional, []);
      continue;
    }
    const path = relative(root, isAbsolute(positional) ? positional : resolve(root, positional));
    const [folder, suite = ''] = path.split(/[\\/]/);
    if (folder !== 'test' || !isJestSuite(suite))
      throw new UsageError(`${positional} is neither a suite (${suiteNames.join(', ')}) nor a path of one's tests.`);
    suites.set(suite, [...(suites.get(suite) ?? []), path]);
  }
  return suites;
}

function seedOf({ seed, shuffle }: { seed?: string; shuffle: boolean }): number | undefined {
  if (seed === undefined) return shuffle ? Math.floor(Math.random() * 2 ** 31) : undefined;
  if (!/^\d{1,9}$|^[12]\d{9}$/.test(seed)) throw new UsageError(`--seed is a whole number below 2^31, not ${seed}.`);
  return Number(seed);
}
