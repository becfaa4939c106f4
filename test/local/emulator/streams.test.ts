import { BatchWriteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { allow, arn, lambda, mapping, queue, streamArn, table } from '../support/stack.ts';
import { TestCloud } from '../support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await TestCloud.start();
});
afterAll(() => cloud?.stop());

// The next two tests run first, because the counts include the work of all functions.
const IDLE = { changes: 0, messages: 0, polls: 0, batches: 0, invocations: 0 };

const untilUnderWay = (counts: object) =>
  untilNoError(async () => {
    const answer = await fetch(`${cloud.emulator.url}/_ministack/under-way`);
    expect(await answer.json()).toEqual(counts);
  });

test('a change counts until its stream has delivered it', async () => {
  const code = "record('began'); await released('change');";
  const refs = await cloud.deploy('changes', {
    Table: table(),
    ...lambda('changes', code, { statements: allow('dynamodb:*') }),
    Mapping: mapping(streamArn('Table'), 'changes', { StartingPosition: 'TRIM_HORIZON' }),
  });
  await cloud.dynamodb.send(new PutItemCommand({ TableName: refs.Table, Item: { id: { S: 'a' } } }));
  await cloud.untilRecorded('changes', ['began']);
  await untilUnderWay({ ...IDLE, changes: 1, invocations: 1 });
  await cloud.release('change');
  await untilUnderWay(IDLE);
});

test('a message counts while it waits or is processed, but not while it is delayed or invisible', async () => {
  const code = "record('began'); await released('message'); throw new Error('again later');";
  const { Queue = '' } = await cloud.deploy('messages', {
    Queue: queue({ VisibilityTimeout: 600 }),
    ...lambda('messages', code, { statements: allow('sqs:*') }),
    Mapping: mapping(arn('Queue'), 'messages', { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } }),
  });
  await cloud.send(Queue, 'delayed', 600);
  await untilUnderWay(IDLE);
  for (const message of ['one', 'two', 'three']) await cloud.send(Queue, message);
  await cloud.untilRecorded('messages', ['began', 'began']);
  const twoOfThree = { ...IDLE, messages: 1, batches: 2, invocations: 2 };
  await untilUnderWay(twoOfThree);
  await cloud.release('message');
  await cloud.untilRecorded('messages', ['began', 'began', 'began']);
  // Each message has failed and is invisible for ten minutes.
  await untilUnderWay(IDLE);
});

test('the changes of a day ago expire once, however many functions read their stream', async () => {
  const { expiryRole, expiry } = lambda('expiry', '', { statements: allow('dynamodb:*') });
  const readers = Array.from({ length: 40 }, (_, place) => {
    const name = `expiry${place}`;
    const own = { FunctionName: name, Code: { ZipFile: 'exports.handler = async () => {};' } };
    const none = { FilterCriteria: { Filters: [{ Pattern: '{"eventName":["NONE"]}' }] } };
    return {
      [name]: { ...expiry, Properties: { ...expiry?.Properties, ...own } },
      [`${name}Mapping`]: mapping(streamArn('Table'), name, { StartingPosition: 'TRIM_HORIZON', ...none }),
    };
  });
  const resources = { Table: table(), expiryRole, ...Object.assign({}, ...readers) };
  const { Table = '' } = await cloud.deploy('expiry', resources);
  const items = (batch: number) =>
    Array.from({ length: 25 }, (_, place) => ({ PutRequest: { Item: { id: { S: `${batch} ${place}` } } } }));
  // Enough that other threads read the stream while one removes the changes; half as many were removed too fast.
  for (let batch = 0; batch < 400; batch += 1)
    await cloud.dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [Table]: items(batch) } }));
  await untilUnderWay(IDLE);
  try {
    await cloud.moveClock(25 * 3600);
    await untilUnderWay(IDLE);
  } finally {
    await cloud.moveClock(0);
  }
});

const IDS = 'const ids = event.Records.map((r) => r.dynamodb.Keys.id.S); record(ids);';

/** Deploys a table, a queue for batches that are given up, and a function on the table's stream. */
async function deployStream(name: string, code: string, properties: object = {}) {
  const refs = await cloud.deploy(name, {
    Table: table(),
    GivenUp: queue(),
    ...lambda(name, code, { statements: allow('dynamodb:*', 'sqs:SendMessage') }),
    Mapping: mapping(streamArn('Table'), name, {
      StartingPosition: 'TRIM_HORIZON',
      DestinationConfig: { OnFailure: { Destination: arn('GivenUp') } },
      ...properties,
    }),
  });
  const put = (id: string) =>
    cloud.dynamodb.send(new PutItemCommand({ TableName: refs.Table, Item: { id: { S: id } } }));
  return { put, givenUp: refs.GivenUp ?? '' };
}

test('a poison record of a stream is given up after its retries, and the next record is delivered', async () => {
  const code = `${IDS} if (ids.includes('poison')) throw new Error('poison');`;
  const { put, givenUp } = await deployStream('retries', code, { BatchSize: 1, MaximumRetryAttempts: 2 });
  await put('poison');
  await put('next');
  await cloud.untilRecorded('retries', [['poison'], ['poison'], ['poison'], ['next']]);
  const messages = (await cloud.receive(givenUp)).map((body) => JSON.parse(body));
  expect(messages).toHaveLength(1);
  expect(messages[0].requestContext.condition).toBe('RetryAttemptsExhausted');
});

test('a failed batch is bisected until the poison record is alone', async () => {
  // The first invocation waits, so that the other records form one batch.
  const code = `${IDS} if (ids.includes('first')) await released('bisect'); if (ids.includes('c')) throw new Error('poison');`;
  const { put, givenUp } = await deployStream('bisect', code, {
    BatchSize: 10,
    MaximumRetryAttempts: 1,
    BisectBatchOnFunctionError: true,
  });
  await put('first');
  await cloud.untilRecorded('bisect', [['first']]);
  for (const id of ['a', 'b', 'c', 'd']) await put(id);
  await cloud.release('bisect');
  await cloud.untilRecorded('bisect', [['first'], ['a', 'b', 'c', 'd'], ['a', 'b'], ['c', 'd'], ['c'], ['c'], ['d']]);
  expect(await cloud.receive(givenUp)).toHaveLength(1);
});

test('a partial batch response repeats the batch from the first record that failed', async () => {
  const code = `${IDS} if (ids[0] === 'first') await released('partial');
    const failed = calls === 2 && event.Records.find((r) => r.dynamodb.Keys.id.S === 'b');
    return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb.SequenceNumber }] : [] };`;
  const { put } = await deployStream('partial', code, {
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
  await put('first');
  await cloud.untilRecorded('partial', [['first']]);
  for (const id of ['a', 'b', 'c']) await put(id);
  await cloud.release('partial');
  await cloud.untilRecorded('partial', [['first'], ['a', 'b', 'c'], ['b', 'c']]);
});

test('a batch is split at the record that its function names, and then not halved', async () => {
  const code = `${IDS} if (ids[0] === 'first') await released('split');
    const failed = event.Records.find((r) => r.dynamodb.Keys.id.S === 'b');
    return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb.SequenceNumber }] : [] };`;
  const { put, givenUp } = await deployStream('split', code, {
    BatchSize: 10,
    MaximumRetryAttempts: 1,
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
  });
  await put('first');
  await cloud.untilRecorded('split', [['first']]);
  for (const id of ['a', 'b', 'c']) await put(id);
  await cloud.release('split');
  await cloud.untilRecorded('split', [['first'], ['a', 'b', 'c'], ['b', 'c'], ['b', 'c']]);
  // The good record behind the bad one is given up with it, as on AWS.
  const [message = ''] = await cloud.receive(givenUp);
  expect(JSON.parse(message).DDBStreamBatchInfo.batchSize).toBe(2);
});

test('a failing record is given up when it is too old', async () => {
  const { put, givenUp } = await deployStream('age', `${IDS} throw new Error('always');`, {
    BatchSize: 1,
    MaximumRecordAgeInSeconds: 60,
  });
  await put('old');
  await untilNoError(async () => expect((await cloud.records('age')).length).toBeGreaterThanOrEqual(2));
  try {
    await cloud.moveClock(120);
    const messages = await cloud.receive(givenUp);
    expect(messages.map((body) => JSON.parse(body).requestContext.condition)).toEqual(['RecordAgeExceeded']);
  } finally {
    await cloud.moveClock(0);
  }
});

test('a record that is too old when a new mapping first reads it is given up without a delivery', async () => {
  const code = 'record(event.Records.map((r) => r.dynamodb.Keys.id.S));';
  const withoutMapping = {
    Table: table(),
    GivenUp: queue(),
    ...lambda('unread', code, { statements: allow('dynamodb:*', 'sqs:SendMessage') }),
  };
  const refs = await cloud.deploy('unread', withoutMapping);
  const put = (id: string) =>
    cloud.dynamodb.send(new PutItemCommand({ TableName: refs.Table, Item: { id: { S: id } } }));
  await put('old');
  try {
    await cloud.moveClock(120);
    await put('young');
    await cloud.deploy('unread', {
      ...withoutMapping,
      Mapping: mapping(streamArn('Table'), 'unread', {
        StartingPosition: 'TRIM_HORIZON',
        DestinationConfig: { OnFailure: { Destination: arn('GivenUp') } },
        MaximumRecordAgeInSeconds: 60,
      }),
    });
    await cloud.untilRecorded('unread', [['young']]);
    const [message = '', ...others] = await cloud.receive(refs.GivenUp ?? '');
    const { requestContext, DDBStreamBatchInfo } = JSON.parse(message);
    expect([requestContext.condition, DDBStreamBatchInfo.batchSize, others]).toEqual(['RecordAgeExceeded', 1, []]);
  } finally {
    await cloud.moveClock(0);
  }
});

test('a slow stream function delays neither another stream nor a queue', async () => {
  const slow = await deployStream('slow', `${IDS} await released('slow'); record('done');`);
  const quick = await deployStream('quick', IDS);
  const { Queue = '' } = await cloud.deploy('quick-queue', {
    Queue: queue(),
    ...lambda('consumer', 'record(event.Records.length);', { statements: allow('sqs:*') }),
    Mapping: mapping(arn('Queue'), 'consumer'),
  });
  await slow.put('a');
  await cloud.untilRecorded('slow', [['a']]);
  await quick.put('b');
  await cloud.send(Queue, 'c');
  await cloud.untilRecorded('quick', [['b']]);
  await cloud.untilRecorded('consumer', [1]);
  expect(await cloud.records('slow')).toEqual([['a']]);
  await cloud.release('slow');
  await cloud.untilRecorded('slow', [['a'], 'done']);
});
