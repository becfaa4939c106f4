import '../support/silence.ts';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { type Change, streamWorker } from '../../../shared/runtime/stream-worker.ts';
import { aContext } from '../support/lambda.ts';

const itemSchema = z.object({ call_id: z.string(), n: z.number() });
type Item = z.infer<typeof itemSchema>;

const image = (item: object | undefined) => item && (marshall(item) as Record<string, AttributeValue>);
const record = (sequence: number, after: object | undefined, before?: object): DynamoDBRecord => ({
  eventName: after ? (before ? 'MODIFY' : 'INSERT') : 'REMOVE',
  dynamodb: {
    SequenceNumber: String(sequence),
    ...(after && { NewImage: image(after) as Record<string, AttributeValue> }),
    ...(before && { OldImage: image(before) as Record<string, AttributeValue> }),
  },
});
const item = (n: number): Item => ({ call_id: `call_${n}`, n });

/** @returns where the batch begins again, and the changes that were dealt with. */
async function run(records: DynamoDBRecord[], work: (changes: Change<Item>[]) => string | undefined = () => undefined) {
  const given: Change<Item>[] = [];
  const handler = streamWorker(
    (value) => itemSchema.parse(value),
    async (changes) => {
      given.push(...changes);
      return work(changes);
    },
  );
  const { batchItemFailures } = await handler({ Records: records }, aContext());
  return { again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), given };
}

describe('a worker on a stream', () => {
  it('is given the changes in their order, with what stood there before', async () => {
    const { again, given } = await run([record(1, item(1)), record(2, item(2), { ...item(2), n: 0 })]);
    expect(again).toEqual([]);
    expect(given).toEqual([
      { sequenceNumber: '1', before: undefined, after: item(1) },
      { sequenceNumber: '2', before: { call_id: 'call_2', n: 0 }, after: item(2) },
    ]);
  });

  it('begins again with the change that its work names', async () => {
    const { again } = await run([record(1, item(1)), record(2, item(2)), record(3, item(3))], () => '2');
    expect(again).toEqual(['2']);
  });

  it('leaves deletions aside', async () => {
    const { again, given } = await run([record(1, undefined, item(1)), record(2, item(2))]);
    expect(again).toEqual([]);
    expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['2']);
  });

  it.each([
    ['its new image', record(2, { call_id: 7 })],
    ['its old image', record(2, item(2), { call_id: 7 })],
  ])(
    'does all before a record that cannot be read by %s, and begins again with that one',
    async (_what, unreadable) => {
      const { again, given } = await run([record(1, item(1)), unreadable, record(3, item(3))]);
      expect(again).toEqual(['2']);
      expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['1']);
    },
  );

  it('begins again with the earlier of a failed change and an unreadable record', async () => {
    const { again } = await run([record(1, item(1)), record(2, { call_id: 7 })], () => '1');
    expect(again).toEqual(['1']);
  });

  it('fails as a whole where its work throws: nothing of the batch is known to be done', async () => {
    const failing = run([record(1, item(1))], () => {
      throw new Error('no bus');
    });
    await expect(failing).rejects.toThrow('no bus');
  });
});
