import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JestSuite, Request, SuiteName } from './request.ts';

/** A part of `npm test` that runs as one command, with a cloud of its own if its tests need one. */
export type Part = {
  suite: SuiteName;
  /** Unique in a run: the suite's name, with a number if there are several parts of it. */
  name: string;
  /** The test files or folders to run; empty for all of the suite. */
  paths: string[];
};

/**
 * The longest first, so that no long part runs alone at the end, and `unit`, which never waits, beside them. The parts
 * at the end compute, because a core would be idle beside a part that waits.
 */
export const order: readonly string[] = [
  'e2e',
  'faults 1/2',
  'faults 2/2',
  'unit',
  'local 1/2',
  'browser',
  'local 2/2',
  'infra',
  'contracts',
  'types',
  'lint',
  'unused',
  'rights',
];

/** Returns whether a part examines the others' results, and therefore runs after them. */
export const runsLast = ({ suite }: Part): boolean => suite === 'rights';

/**
 * The suites that are too long for one part, and the distribution of their slow files. Other files are quick, and
 * distributed in turn.
 */
const slowFiles: Partial<Record<JestSuite, string[][]>> = {
  faults: [
    ['rest-calls', 'burst-of-leads', 'dial-lead', 'notify-callback'],
    ['burst', 'remote-writes', 'burst-of-tickets', 'process-lead'],
  ],
  // One part would run alone at the end, and mostly wait.
  local: [
    ['start'],
    [
      ...['cloud', 'crm-a-sender', 'emulator/deployments', 'emulator/functions', 'emulator/schedules'],
      ...['emulator/streams', 'stage-repair', 'stage/restore-again', 'voice-simulator/messages'],
    ],
  ],
};

/** Lists the parts of a run, in their starting order. @param root the checkout. */
export function partsOf({ suites }: Request, root: string): Part[] {
  return [...suites]
    .flatMap(([suite, paths]) => {
      const dealt = slowFiles[suite as JestSuite];
      return dealt && paths.length === 0 ? split(suite, dealt, root) : [{ suite, name: suite, paths }];
    })
    .sort((one, other) => placeOf(one) - placeOf(other));
}

const placeOf = ({ name }: Part): number => order.findIndex((part) => part.startsWith(name));

function split(suite: SuiteName, dealt: string[][], root: string): Part[] {
  const folder = join('test', suite);
  const path = (file: string) => join(folder, `${file}.test.ts`);
  const slow = dealt.map((files) => files.map(path));
  const all = readdirSync(join(root, folder), { encoding: 'utf8', recursive: true }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const quick = all.map((file) => join(folder, file)).filter((file) => !slow.flat().includes(file));
  return slow.map((files, index) => ({
    suite,
    name: `${suite} ${index + 1}/${slow.length}`,
    paths: [...files, ...quick.filter((_, place) => place % slow.length === index)],
  }));
}
