import { type FunctionName, functionNames } from '../../lib/functions.ts';
import { names } from '../../lib/names.ts';
import { readSeenRights, type SeenRight, type SeenRights } from '../support/seen-rights.ts';
import { seldomUsed } from './support/seldom-used.ts';

const STAGE = 'local';
/** Suites whose tests use a function in every way that it has. Those of the browser use some of them again. */
const needed = ['e2e', 'faults'];

/** Rights that AWS asks for, but the local cloud does not. */
const unasked = [
  // Lambda writes the log, receives from queues and streams, and sends what failed for good.
  /^logs:/,
  /^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueUrl|GetQueueAttributes) /,
  /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams) /,
  /^sqs:SendMessage .*-dead-letters$/,
  // The emulator sees a part of another request: that of the schedule, and that of the object.
  /^iam:PassRole /,
  /^s3:PutObjectTagging /,
  // Simulators have taken their place.
  /^bedrock:/,
  /^ses:/,
];

const prefix = `${names(STAGE).stack('')}`;
const seen = readSeenRights(needed);
const rightsOf = (rights: SeenRights, name: FunctionName) => rights[`${prefix}${name}`] ?? [];

/** A right in short: the action, and the resource without account, stage and generated names. */
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

/** The sum of what all stacks of the run have seen, whose policies come from one template. */
function usesOf(name: FunctionName): SeenRight[] {
  const [first, ...others] = seen.map((rights) => rightsOf(rights, name));
  return (first ?? []).map((right, place) => ({
    ...right,
    uses: others.reduce((sum, rights) => sum + (rights[place]?.uses ?? 0), right.uses),
  }));
}

/** S3 asks for the key of the files itself. */
const isThroughS3 = ({ conditions }: SeenRight) => JSON.stringify(conditions).includes('kms:ViaService');
const isSeldom = (name: FunctionName, right: string) =>
  seldomUsed.some(({ functions, rights }) => functions.includes(name) && rights.includes(right));
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

it('no right counts as seldom used that its function does not have', () => {
  const gone = seldomUsed.flatMap(({ functions, rights }) =>
    rights.filter((right) => !functions.some((name) => usesOf(name).map(short).includes(right))),
  );
  const without = seldomUsed.flatMap(({ functions, rights }) =>
    functions.filter((name) => !usesOf(name).some((right) => rights.includes(short(right)))),
  );
  expect([gone, without]).toEqual([[], []]);
});
