import '../support/silence.ts';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { logger } from '../../../shared/runtime/logger.ts';
import { type StreamChange, streamWorker } from '../../../shared/runtime/stream-worker.ts';
import { aContext } from '../support/lambda.ts';

const itemSchema = z.object({ call_id: z.string(), n: z.number() });
type Item = z.infer<typeof itemSchema>;

const image = (item: object | undefined) => item && (marshall(item) as Record<string, AttributeValue>);
const record = (sequence: number, after: object | undefined, before?: object) =>
  ({
    eventName: after ? (before ? 'MODIFY' : 'INSERT') : 'REMOVE',
    dynamodb: { SequenceNumber: String(sequence), NewImage: image(after), OldImage: image(before) },
  }) as DynamoDBRecord;
const item = (n: number): Item => ({ call_id: `call_${n}`, n });

/** @returns the position where the batch starts again, and the processed changes */
async function run(
  records: DynamoDBRecord[],
  work: (changes: StreamChange<Item>[]) => string | undefined = () => undefined,
) {
  const given: StreamChange<Item>[] = [];
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

describe('a stream worker', () => {
  it('receives changes in order, with the previous item', async () => {
    const { again, given } = await run([record(1, item(1)), record(2, item(2), { ...item(2), n: 0 })]);
    expect(again).toEqual([]);
    expect(given).toEqual([
      { sequenceNumber: '1', before: undefined, after: item(1) },
      { sequenceNumber: '2', before: { call_id: 'call_2', n: 0 }, after: item(2) },
    ]);
  });

  it('retries from the change that its work reports', async () => {
    const { again } = await run([record(1, item(1)), record(2, item(2)), record(3, item(3))], () => '2');
    expect(again).toEqual(['2']);
  });

  it('hands over each removed item, and retries from a removal that failed', async () => {
    const removed: Item[] = [];
    const handler = streamWorker(
      (value) => itemSchema.parse(value),
      async () => undefined,
      async (old) => {
        if (old.n === 3) throw new Error('no table');
        removed.push(itemSchema.parse(old));
      },
    );
    const records = [record(1, undefined, item(1)), record(2, item(2)), record(3, undefined, item(3))];
    const { batchItemFailures } = await handler({ Records: records }, aContext());
    expect([removed, batchItemFailures]).toEqual([[item(1)], [{ itemIdentifier: '3' }]]);
  });

  it('ignores deletions', async () => {
    const { again, given } = await run([record(1, undefined, item(1)), record(2, item(2))]);
    expect(again).toEqual([]);
    expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['2']);
  });

  it.each([
    ['its new image', record(2, { call_id: 7 })],
    ['its old image', record(2, item(2), { call_id: 7 })],
  ])('processes all changes before an unreadable record (%s) and retries from it', async (_what, unreadable) => {
    const { again, given } = await run([record(1, item(1)), unreadable, record(3, item(3))]);
    expect(again).toEqual(['2']);
    expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['1']);
  });

  it('retries from a failed change or an unreadable record, whichever comes first', async () => {
    const { again } = await run([record(1, item(1)), record(2, item(2)), record(3, { call_id: 7 })], () => '2');
    expect(again).toEqual(['2']);
  });

  it.each([
    ['cannot be read', [record(1, { call_id: 7 }), record(2, item(2))], undefined],
    ['failed', [record(1, item(1)), record(2, item(2))], '1'],
  ])('throws if the first change of a batch %s, so that the batch is halved', async (_what, records, failed) => {
    await expect(run(records, () => failed)).rejects.toThrow('the first change of the batch failed');
  });

  it('retries the whole batch if its work throws', async () => {
    const failing = run([record(1, item(1))], () => {
      throw new Error('no bus');
    });
    await expect(failing).rejects.toThrow('no bus');
  });

  it('names in its log the changed items, each once, and the unreadable one', async () => {
    const lines: [string, unknown][] = [];
    for (const level of ['info', 'error'] as const)
      jest.spyOn(logger, level).mockImplementation((...[message, facts]) => void lines.push([String(message), facts]));
    const keyed = (of: DynamoDBRecord, call_id: string) => ({
      ...of,
      dynamodb: { ...of.dynamodb, Keys: image({ call_id }) as Record<string, AttributeValue> },
    });
    const records = [record(1, item(1)), record(2, item(1), item(1)), record(3, { call_id: 7 })];
    await run(records.map((each, index) => keyed(each, index < 2 ? 'call_1' : 'call_7')));
    expect(lines).toEqual([
      ['a change cannot be processed', expect.objectContaining({ call_id: 'call_7', sequence_number: '3' })],
      ['done', { call_ids: ['call_1', 'call_7'], changes: 2, again: true }],
    ]);
    jest.restoreAllMocks();
  });
});
