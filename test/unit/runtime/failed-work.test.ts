import '../support/silence.ts';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { METRIC_DIMENSION, WORK_FAILED } from '../../../shared/domain/metric.ts';
import { callWork } from '../../../shared/messages/call-work.ts';
import { batchWorker, queueWorker } from '../../../shared/runtime/queue-worker.ts';
import { streamWorker } from '../../../shared/runtime/stream-worker.ts';
import { aContext } from '../support/lambda.ts';
import { metricLinesOf } from '../support/metric-lines.ts';

const ROLLOUT = 'a1b2c3d4e5f6';

beforeEach(() => {
  process.env.ROLLOUT = ROLLOUT;
});
afterEach(() => {
  delete process.env.ROLLOUT;
});

/** A worker's count of failed work in each metric line that it writes. */
const failedIn = async (work: () => Promise<unknown>) =>
  (await metricLinesOf(work)).map((line) => line[WORK_FAILED.name]);
const messages = (...bodies: string[]) =>
  ({ Records: bodies.map((body, index) => ({ messageId: `message-${index}`, body })) }) as SQSEvent;
const call = (id: string) => JSON.stringify({ call_id: id });
const fail = () => Promise.reject(new Error('no'));

describe('work that fails in a rollout', () => {
  it('is counted under the rollout and the dimension of all metrics, which its alarm reads', async () => {
    const [line, ...others] = await metricLinesOf(() => queueWorker(callWork, fail)(messages(call('a')), aContext()));
    expect(others).toEqual([]);
    expect(line).toMatchObject({ [WORK_FAILED.name]: 1, [WORK_FAILED.dimension]: ROLLOUT, ...METRIC_DIMENSION });
    expect(line?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: 'CallingService/test',
        Dimensions: [['service', WORK_FAILED.dimension]],
        Metrics: [{ Name: WORK_FAILED.name, Unit: 'Count' }],
      },
    ]);
  });

  it('is every message of a batch that stays on its queue, even an unreadable one', async () => {
    const worker = queueWorker(callWork, async ({ call_id }) => (call_id === 'good' ? 'done' : fail()));
    expect(await failedIn(() => worker(messages(call('good'), call('bad'), 'no JSON'), aContext()))).toEqual([2]);
    const batch = batchWorker(callWork, fail);
    expect(await failedIn(() => batch(messages(call('a'), call('b'), 'no JSON'), aContext()))).toEqual([3]);
  });

  it('is a change of a stream that is delivered again', async () => {
    const NewImage = marshall({ call_id: 'a' }) as Record<string, AttributeValue>;
    const records = ['1', '2'].map((SequenceNumber) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber, NewImage },
    }));
    const stream = (again: string) =>
      streamWorker(
        (item) => item,
        async () => again,
      );
    const event = { Records: records } as DynamoDBStreamEvent;
    expect(await failedIn(() => stream('2')(event, aContext()))).toEqual([1]);
    expect(await failedIn(() => stream('1')(event, aContext()).catch(() => undefined))).toEqual([1]);
  });

  it('is not counted if all work succeeds, or if the stage deploys without canaries', async () => {
    const done = queueWorker(callWork, async () => 'done');
    expect(await failedIn(() => done(messages(call('a')), aContext()))).toEqual([]);
    delete process.env.ROLLOUT;
    expect(await failedIn(() => queueWorker(callWork, fail)(messages(call('a')), aContext()))).toEqual([]);
  });
});
