import { type FunctionName, functionNames } from '../../lib/functions.ts';
import { names } from '../../lib/names.ts';
import { readSeenUse, type SeenRight, type SeenRights } from '../support/stack/seen-use.ts';
import { seldomUsed } from './support/seldom-used.ts';

const STAGE = 'local';
/** Suites whose tests use a function in all its ways. The browser suite repeats some of them. */
const needed = ['e2e', 'faults'];

/** Rights that AWS requires, but the local cloud does not. */
const unasked = [
  // Lambda writes the log, receives from queues and streams, and sends permanently failed events.
  /^logs:/,
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueUrl|GetQueueAttributes) /,
  /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams) /,
  /^sqs:SendMessage .*-dead-letters$/,
  // The emulator sees a part of another request: the schedule's, and the object's.
  /^iam:PassRole /,
  /^s3:PutObjectTagging /,
  // Simulators replace these services.
  /^bedrock:/,
  /^ses:/,
];

const prefix = `${names(STAGE).stack('')}`;
const seen = readSeenUse('rights', needed);
const rightsOf = (rights: SeenRights, name: FunctionName) => rights[`${prefix}${name}`] ?? [];

/** A right in short form: the action, and the resource without account, stage and generated names. */
function short({ action, resource }: SeenRight): string {
  const path = resource
    .split(':')
    .slice(5)
    .join(':')
    .replace(/^table\//, '')
    .replace(new RegExp(`^${prefix}data-files[^/]*/`), 'files/')
    .replace(new RegExp(`^${prefix}`), '')
    .replace(/^secret:.*\/(.*)-\?{6}$/, 'secret/$1')
    .replace(/^(key|schedule|role|userpool)\/.*/, '$1');
  return `${action} ${path}`;
}

/** Sums over all stacks of the run, whose policies come from one template. */
function usesOf(name: FunctionName): SeenRight[] {
  const [first, ...others] = seen.map((rights) => rightsOf(rights, name));
  return (first ?? []).map((right, place) => ({
    ...right,
    uses: others.reduce((sum, rights) => sum + (rights[place]?.uses ?? 0), right.uses),
  }));
}

/** S3 itself uses the files' key. */
const isThroughS3 = ({ conditions }: SeenRight) => JSON.stringify(conditions).includes('kms:ViaService');
const isSeldom = (name: FunctionName, right: string) => seldomUsed.some(({ rights }) => rights[name]?.includes(right));
const unusedBy = (name: FunctionName) =>
  usesOf(name)
    .filter((right) => right.uses === 0 && !isThroughS3(right))
    .map(short)
    .filter((right) => !unasked.some((pattern) => pattern.test(right)) && !isSeldom(name, right));

describe('each right is used by a request of its function:', () => {
  it.each(functionNames)('%s', (name) => {
    const actions = seen.map((rights) => rightsOf(rights, name).map(({ action }) => action));
    expect(actions).toEqual(actions.map(() => expect.arrayContaining(['logs:PutLogEvents'])));
    expect(actions).toEqual(actions.map(() => actions[0]));
    expect(unusedBy(name)).toEqual([]);
  });
});

it('every right in the list of seldom used ones belongs to its function', () => {
  const pairs = seldomUsed.flatMap(({ rights }) =>
    functionNames.flatMap((name) => (rights[name] ?? []).map((right) => [name, right] as const)),
  );
  expect(pairs.filter(([name, right]) => !usesOf(name).map(short).includes(right))).toEqual([]);
  expect(pairs).toHaveLength(new Set(pairs.map((pair) => pair.join(' '))).size);
});
