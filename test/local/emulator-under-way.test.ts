import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { eventually } from './support/eventually.ts';
import { arn, lambda, mapping, queue, streamArn, table } from './support/stack.ts';
import { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

const IDLE = { changes: 0, messages: 0, polls: 0, batches: 0, invocations: 0 };

async function underWay(): Promise<Record<string, number>> {
  const answer = await fetch(`${cloud.emulator.url}/_ministack/under-way`);
  return (await answer.json()) as Record<string, number>;
}

test('a change counts until its stream has delivered it', async () => {
  const code = "record('began'); await released('change');";
  const refs = await cloud.deploy('changes', {
    Table: table(),
    ...lambda('changes', code, { statements: [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }] }),
    Mapping: mapping(streamArn('Table'), 'changes', { StartingPosition: 'TRIM_HORIZON' }),
  });
  await cloud.dynamodb.send(new PutItemCommand({ TableName: refs.Table, Item: { id: { S: 'a' } } }));
  await eventually(async () => expect(await cloud.records('changes')).toEqual(['began']));
  await eventually(async () => expect(await underWay()).toEqual({ ...IDLE, changes: 1, invocations: 1 }));
  await cloud.release('change');
  await eventually(async () => expect(await underWay()).toEqual(IDLE));
});

test('a message counts while it waits or is processed, but not while it is delayed or invisible', async () => {
  const code = "record('began'); await released('message'); throw new Error('again later');";
  const { Queue = '' } = await cloud.deploy('messages', {
    Queue: queue({ VisibilityTimeout: 600 }),
    ...lambda('messages', code, { statements: [{ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }] }),
    Mapping: mapping(arn('Queue'), 'messages', { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } }),
  });
  await cloud.send(Queue, 'delayed', 600);
  await eventually(async () => expect(await underWay()).toEqual(IDLE));
  for (const message of ['one', 'two', 'three']) await cloud.send(Queue, message);
  await eventually(async () => expect(await cloud.records('messages')).toEqual(['began', 'began']));
  const twoOfThree = { ...IDLE, messages: 1, batches: 2, invocations: 2 };
  await eventually(async () => expect(await underWay()).toEqual(twoOfThree));
  await cloud.release('message');
  await eventually(async () => expect(await cloud.records('messages')).toHaveLength(3));
  // Each message has failed and is invisible for ten minutes.
  await eventually(async () => expect(await underWay()).toEqual(IDLE));
});
