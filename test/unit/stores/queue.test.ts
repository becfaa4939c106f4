import fc from 'fast-check';
import { queueSender } from '../../../shared/stores/queue.ts';
import { anyCharacter } from '../../support/values/any-text.ts';

type Message = { text: string };
type Entry = { Id: string; MessageBody: string };
type Input = { QueueUrl: string; Entries: Entry[]; MessageBody: string; DelaySeconds?: number };

const LIMIT = 256 * 1024;
const failure = (Id: string) => ({ Id, Code: 'InternalError', SenderFault: false });

/** A queue that records its messages. @param answer to the n-th request */
function sending(answer: (request: number, input: Input) => object = () => ({})) {
  const sent: { name: string; input: Input }[] = [];
  const send = async (command: { input: Input }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    return answer(sent.length, command.input);
  };
  return { queue: queueSender<Message>({ send } as never, 'https://queue'), sent };
}

const batchesIn = (sent: { input: Input }[]) => sent.map(({ input }) => input.Entries);
const bytesOf = (entries: Entry[]) => entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
const named = (count: number): Message[] => Array.from({ length: count }, (_, index) => ({ text: `m${index}` }));

describe('a list of messages', () => {
  it('is sent in batches of 256 KB; one byte more starts the next batch', async () => {
    const frame = Buffer.byteLength(JSON.stringify({ text: '' }));
    const half: Message = { text: 'x'.repeat(LIMIT / 2 - frame) };
    const { queue, sent } = sending();
    await queue.sendMany([half, half, half, { text: 'x'.repeat(LIMIT / 2 - frame + 1) }]);
    expect(batchesIn(sent).map((entries) => entries.length)).toEqual([2, 1, 1]);
  });

  it('is sent once, in order, in the fewest batches within both limits, each entry with its own id', async () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.integer({ min: 0, max: 250_000 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 0, max: 80_000 }).map((length) => '€'.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 35 }), async (all) => {
        const { queue, sent } = sending();
        await queue.sendMany(all.map((text) => ({ text })));
        for (const { name, input } of sent)
          expect([name, input.QueueUrl]).toEqual(['SendMessageBatchCommand', 'https://queue']);
        const batches = batchesIn(sent);
        const bodies = batches.flat().map(({ MessageBody }) => MessageBody);
        expect(bodies).toEqual(all.map((text) => JSON.stringify({ text })));
        for (const [index, entries] of batches.entries()) {
          expect(entries.length).toBeGreaterThan(0);
          expect(entries.length).toBeLessThanOrEqual(10);
          expect(bytesOf(entries)).toBeLessThanOrEqual(LIMIT);
          expect(new Set(entries.map(({ Id }) => Id)).size).toBe(entries.length);
          for (const { Id } of entries) expect(Id).toMatch(/^[\w-]{1,80}$/);
          const next = batches[index + 1];
          if (next && entries.length < 10) expect(bytesOf([...entries, ...next.slice(0, 1)])).toBeGreaterThan(LIMIT);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('fails if the queue refuses a message of any batch', async () => {
    for (const failing of [1, 2, 3]) {
      const { queue } = sending((request) => (request === failing ? { Successful: [], Failed: [failure('3')] } : {}));
      await expect(queue.sendMany(named(30))).rejects.toThrow('the queue refused 1 messages: InternalError');
    }
  });

  it('is sent at most ten batches at a time', async () => {
    const waiting: (() => void)[] = [];
    let [underWay, most] = [0, 0];
    const send = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise<void>((answer) => waiting.push(answer));
      underWay -= 1;
      return {};
    };
    const queue = queueSender<Message>({ send } as never, 'https://queue');
    const sent = queue.sendMany(named(255));
    for (let answered = 0; answered < 26; answered += 1) {
      await new Promise(setImmediate);
      waiting.shift()?.();
    }
    await sent;
    expect(most).toBe(10);
  });

  it('fails if a request fails, but only after all requests have ended', async () => {
    const sent: number[] = [];
    let request = 0;
    const send = async () => {
      request += 1;
      const own = request;
      if (own === 2) throw new Error('time-out');
      await new Promise(setImmediate);
      sent.push(own);
      return {};
    };
    const queue = queueSender<Message>({ send } as never, 'https://queue');
    await expect(queue.sendMany(named(150))).rejects.toThrow('time-out');
    expect(sent.sort((one, other) => one - other)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  it('is sent if the queue reports no refused messages', async () => {
    for (const Failed of [undefined, []]) {
      const { queue } = sending(() => ({ Failed }));
      await expect(queue.sendMany(named(3))).resolves.toBeUndefined();
    }
  });
});

describe('a single message', () => {
  it('is sent with its delay in whole seconds, at most 15 minutes', async () => {
    const { queue, sent } = sending();
    for (const delay of [undefined, 0, 0.2, 5, 900, 4000, -1]) await queue.send({ text: 'a' }, delay);
    expect(sent.map(({ name }) => name)).toEqual(Array(7).fill('SendMessageCommand'));
    expect(sent.map(({ input }) => input.DelaySeconds)).toEqual([0, 0, 1, 5, 900, 900, 0]);
    expect(sent[0]?.input).toEqual({ QueueUrl: 'https://queue', MessageBody: '{"text":"a"}', DelaySeconds: 0 });
  });
});
