import {
  ConditionalCheckFailedException,
  InternalServerError,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { transactions, type Write } from '../../../../shared/stores/dynamodb/transaction.ts';

/** DynamoDB's reasons for each write of a canceled transaction; the emulator omits those of writes that passed. */
type Reason = { Code: string; Item?: Record<string, unknown> };

const canceled = (...reasons: Reason[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'canceled',
    CancellationReasons: reasons.map(({ Code, Item }) => ({ Code, ...(Item && { Item: marshall(Item) }) })),
  });
const none = { Code: 'None' };
const conflict = { Code: 'TransactionConflict' };
const refusal = (Item?: Record<string, unknown>): Reason => ({ Code: 'ConditionalCheckFailed', ...(Item && { Item }) });

/** A client that gives the next of `answers` to each attempt and repeats the last one, and a counting clock. */
function transacting(answers: (Error | 'committed')[], random = () => 1) {
  const sent: unknown[] = [];
  const waits: number[] = [];
  const send = async (command: { input: unknown }) => {
    sent.push(command.input);
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer !== 'committed') throw answer;
    return {};
  };
  const transact = transactions({ send } as never, {
    random,
    sleep: async (ms) => {
      waits.push(ms);
    },
  });
  return { transact, sent, waits };
}

const put = (id: string): Write => ({ Put: { TableName: 'calls', Item: { call_id: id } } });
const writes = { call: put('call'), credit: put('credit') };
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('a transaction', () => {
  it('is sent once if it is committed, with its writes in order and without undefined ones', async () => {
    const { transact, sent, waits } = transacting(['committed']);
    expect(await transact({ call: put('call'), nothing: undefined, credit: put('credit') })).toEqual({
      committed: true,
    });
    expect(sent).toEqual([{ TransactItems: [put('call'), put('credit')], ClientRequestToken: expect.any(String) }]);
    expect(waits).toEqual([]);
  });

  it('has one token for all attempts, so that a retry after a lost answer is not written twice', async () => {
    const { transact, sent } = transacting([canceled(conflict, conflict), 'committed', 'committed']);
    await transact(writes);
    await transact(writes);
    const tokens = sent.map((input) => (input as { ClientRequestToken?: string }).ClientRequestToken);
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).not.toBe(tokens[0]);
  });

  it('names the writes whose conditions failed, each with the stored item', async () => {
    const { transact, sent } = transacting([canceled(refusal({ call_id: 'call', attempts: 2 }), refusal())]);
    expect(await transact(writes)).toEqual({
      committed: false,
      refused: { call: { item: { call_id: 'call', attempts: 2 } }, credit: { item: undefined } },
    });
    expect(sent).toHaveLength(1);
  });

  it('names the failed writes correctly even if other writes are undefined', async () => {
    const { transact } = transacting([canceled(none, refusal({ org_id: 'org' }))]);
    expect(await transact({ call: put('call'), nothing: undefined, credit: put('credit') })).toEqual({
      committed: false,
      refused: { credit: { item: { org_id: 'org' } } },
    });
  });
});

describe('a transaction in conflict with another', () => {
  const passing = [
    canceled(conflict, none),
    canceled(none, { Code: 'ThrottlingError' }),
    canceled({ Code: 'ProvisionedThroughputExceeded' }, conflict),
    new TransactionInProgressException({ $metadata: {}, message: 'in progress' }),
  ];

  it('is retried with the same items until it is committed', async () => {
    for (let conflicts = 1; conflicts <= 7; conflicts += 1) {
      const answers = Array.from({ length: conflicts }, (_, index) => passing[index % passing.length] as Error);
      const { transact, sent } = transacting([...answers, 'committed'], () => 0.1);
      expect(await transact(writes)).toEqual({ committed: true });
      expect(sent).toHaveLength(conflicts + 1);
      expect(new Set(sent.map((input) => JSON.stringify(input))).size).toBe(1);
    }
  });

  it('waits at most two seconds in total and makes at most eight attempts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 8 }), async (chances) => {
        let next = 0;
        const { transact, sent, waits } = transacting([canceled(conflict)], () => chances[next++] ?? 1);
        await expect(transact({ call: put('call') })).rejects.toBeInstanceOf(TransactionContention);
        expect(sum(waits)).toBeLessThanOrEqual(2000);
        expect(sent.length).toBeLessThanOrEqual(8);
        expect(sent.length).toBeGreaterThanOrEqual(6);
        expect(waits).toHaveLength(sent.length - 1);
      }),
    );
  });

  it('waits a random time below a limit that doubles, and is given up after eight attempts or two seconds', async () => {
    for (const [random, expected] of [
      [1, [50, 100, 200, 400, 800]],
      [0, Array(7).fill(0)],
    ] as const) {
      const { transact, sent, waits } = transacting([canceled(conflict, none)], () => random);
      await expect(transact(writes)).rejects.toBeInstanceOf(TransactionContention);
      expect(waits).toEqual(expected);
      expect(sent).toHaveLength(expected.length + 1);
    }
  });

  it('is given up with an unknown outcome only if its last attempt may still be carried out', async () => {
    const inProgress = new TransactionInProgressException({ $metadata: {}, message: 'in progress' });
    for (const [answers, hasUnknownOutcome] of [
      [[canceled(conflict), inProgress], true],
      [[inProgress, canceled(conflict)], false],
    ] as const) {
      const { transact } = transacting([...answers], () => 0);
      const failure = await transact(writes).catch((error) => error);
      expect(failure).toBeInstanceOf(TransactionContention);
      expect(failure).toMatchObject({ hasUnknownOutcome });
    }
  });
});

describe('a transaction with a refused write and a conflicting one', () => {
  const mixed = canceled(refusal({ call_id: 'call' }), conflict);

  it.each([
    ['is retried, because the refusal may be temporary', mixed, []],
    ['is retried if the refused write is not decisive', canceled(conflict, refusal()), ['call']],
  ] as const)('%s', async (_name, cancellation, decidedBy) => {
    const { transact, sent } = transacting([cancellation, 'committed'], () => 0);
    expect(await transact(writes, { decidedBy })).toEqual({ committed: true });
    expect(sent).toHaveLength(2);
  });

  it('is given up as contention, not as a refusal, if the conflicts last', async () => {
    const { transact } = transacting([mixed], () => 0);
    await expect(transact(writes)).rejects.toBeInstanceOf(TransactionContention);
  });

  it('is refused at once by a decisive write', async () => {
    const { transact, sent } = transacting([mixed], () => 0);
    expect(await transact(writes, { decidedBy: ['call'] })).toEqual({
      committed: false,
      refused: { call: { item: { call_id: 'call' } } },
    });
    expect(sent).toHaveLength(1);
  });
});

describe('a write that depends on another item', () => {
  /** Counts its attempts. */
  function depending() {
    let made = 0;
    const entry: Write = {
      rebuilt: async () => {
        made += 1;
        return { write: put(`entry ${made}`), basis: put(`head ${made}`) };
      },
    };
    return { entry, call: put('call') };
  }
  const tryOf = (number: number) => [put(`entry ${number}`), put(`head ${number}`), put('call')];
  const itemsAndTokens = (sent: unknown[]) =>
    (sent as { TransactItems: object[]; ClientRequestToken: string }[]).map((input) => [
      input.TransactItems,
      input.ClientRequestToken,
    ]);

  it('is built again in another transaction if the item has changed', async () => {
    const { transact, sent } = transacting([canceled(none, refusal(), none), 'committed']);
    expect(await transact(depending())).toEqual({ committed: true });
    const [first, second] = itemsAndTokens(sent);
    expect([first?.[0], second?.[0]]).toEqual([tryOf(1), tryOf(2)]);
    expect(second?.[1]).not.toBe(first?.[1]);
  });

  it('is sent again unchanged, with its token, while the first try may still be carried out', async () => {
    const inProgress = new TransactionInProgressException({ $metadata: {}, message: 'in progress' });
    const { transact, sent } = transacting([inProgress, 'committed']);
    expect(await transact(depending())).toEqual({ committed: true });
    expect(itemsAndTokens(sent)[1]).toEqual(itemsAndTokens(sent)[0]);
  });

  it("is refused under its own name, as is another write, but never under the item's name", async () => {
    const { transact } = transacting([
      canceled(none, refusal(), refusal({ call_id: 'call' })),
      canceled(refusal(), none, refusal({ call_id: 'call' })),
    ]);
    expect(await transact(depending())).toEqual({
      committed: false,
      refused: { entry: { item: undefined }, call: { item: { call_id: 'call' } } },
    });
  });

  it('is given up after 16 tries or two seconds', async () => {
    for (const [random, tries] of [
      [0, 16],
      [1, 12],
    ] as const) {
      const { transact, sent, waits } = transacting([canceled(none, refusal(), none)], () => random);
      await expect(transact(depending())).rejects.toBeInstanceOf(TransactionContention);
      expect([sent.length, sum(waits) <= 2000]).toEqual([tries, true]);
    }
  });
});

describe('any other failure', () => {
  it.each([
    ['a validation error of one write', canceled(none, { Code: 'ValidationError' })],
    ['a server error', new InternalServerError({ $metadata: { httpStatusCode: 500 }, message: 'x' })],
    [
      'a failed condition outside of a transaction',
      new ConditionalCheckFailedException({ $metadata: {}, message: 'x' }),
    ],
    ['a time-out', Object.assign(new Error('timed out'), { name: 'TimeoutError' })],
  ])('is thrown unchanged at once: %s', async (_what, error) => {
    const { transact, sent } = transacting([error]);
    await expect(transact(writes)).rejects.toBe(error);
    expect(sent).toHaveLength(1);
  });

  it('is thrown unchanged after conflicts', async () => {
    const error = new Error('gone');
    const { transact, sent } = transacting([canceled(conflict), error], () => 0);
    await expect(transact(writes)).rejects.toBe(error);
    expect(sent).toHaveLength(2);
  });
});
