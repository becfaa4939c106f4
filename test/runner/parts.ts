import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JestSuite, Request, SuiteName } from './request.ts';

/** A part of `npm test` that runs as one command. Its tests share one cloud, if they need one. */
export type Part = {
  /** Unique in a run: the suites' names, with a number if there are several parts of a suite. */
  name: string;
  suites: readonly [SuiteName, ...SuiteName[]];
  /** Jest's project of the suites (jest.config.mjs). */
  project: string;
  /** The test files or folders to run; empty for all of the suites. */
  paths: readonly string[];
};

/**
 * The starting order. Long parts come first, so that none of them runs alone at the end; `unit`, which never waits,
 * runs beside them. The last parts only compute, because a part that waits would leave a core idle.
 */
export const order: readonly string[] = [
  'e2e 1/2',
  'faults',
  'browser, e2e 2/2',
  'unit',
  'local 1/2',
  'local 2/2',
  'infra',
  'contracts',
  'types',
  'lint',
  'unused',
  'rights',
];

/** Returns whether a part examines the others' results, and therefore runs after them. */
export const runsLast = ({ suites }: Part): boolean => suites.includes('rights');

/** The files of `local` that wait longest. They are a part of their own, so that they do not run alone at the end. */
const SLOW_LOCAL_FILES = ['start.test.ts'];

/** The end-to-end tests that share a cloud with `browser`: both need a process for most functions of the dashboard. */
const E2E_BESIDE_BROWSER = ['dashboard'];

/** Lists the parts of a run, in their starting order. @param root the checkout. */
export function partsOf({ suites }: Request, root: string): Part[] {
  const isWhole = (suite: SuiteName): boolean => suites.get(suite)?.length === 0;
  const divided: Part[] = [];
  if (isWhole('local')) {
    const [slow, others] = divide('local', SLOW_LOCAL_FILES, root);
    divided.push({ ...partOf('local', slow), name: 'local 1/2' }, { ...partOf('local', others), name: 'local 2/2' });
  }
  if (isWhole('e2e') && isWhole('browser')) {
    const [beside, others] = divide('e2e', E2E_BESIDE_BROWSER, root);
    const paths = [join('test', 'browser'), ...beside];
    divided.push({ ...partOf('e2e', others), name: 'e2e 1/2' });
    divided.push({ name: 'browser, e2e 2/2', suites: ['browser', 'e2e'], project: 'browser-e2e', paths });
  }
  const isDivided = (suite: SuiteName): boolean => divided.some((part) => part.suites.includes(suite));
  const undivided = [...suites].filter(([suite]) => !isDivided(suite)).map(([suite, paths]) => partOf(suite, paths));
  return [...undivided, ...divided].sort((one, other) => placeOf(one) - placeOf(other));
}

const partOf = (suite: SuiteName, paths: string[]): Part => ({ name: suite, suites: [suite], project: suite, paths });

const placeOf = ({ name }: Part): number => order.findIndex((part) => part.startsWith(name));

/** Divides the files and folders of a suite into the named ones and the others. */
function divide(suite: JestSuite, named: readonly string[], root: string): [named: string[], others: string[]] {
  const folder = join('test', suite);
  const others = readdirSync(join(root, folder)).filter((name) => !named.includes(name) && name !== 'support');
  return [named.map((name) => join(folder, name)), others.map((name) => join(folder, name))];
}
