import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { TransactionContention } from '../../shared/domain/contention.ts';
import { STAGE_SCOPE } from '../../shared/stores/calls/slots/slots.ts';
import { transactions, type Write } from '../../shared/stores/dynamodb/transaction.ts';
import { conflict } from '../simulation/processes.ts';
import { randomOf } from '../simulation/random.ts';
import { timeline } from '../simulation/timeline.ts';

/**
 * `npm run bench:slot-counters`: finds the rate of calls at which the counters shared by all calls of a stage become
 * contended. It is a model on a virtual clock, with the real retries and DynamoDB's rule that a transaction is refused
 * while another one is writing one of its items (Amazon DynamoDB developer guide, "Transaction conflict handling"). The
 * floor is one call a second without a spend limit.
 */
const CALLS_PER_SECOND = [1, 2.5, 5, 10, 20, 40];
/** How long a transaction occupies its items, in milliseconds. */
const [SHORTEST, LONGEST] = [5, 25];
const CALLS = 20_000;
/** The number of calls for which one transaction of hand-over-slots reserves slots. */
const RESERVED_AT_ONCE = 10;
const TALK_SECONDS = 180;
const DIAL_AFTER_MS = 1_000;

/** The items that the transactions of a call write. Other items are written by one call at a time. */
type Load = { name: string; reservation: string[]; dial: string[]; end: string[] };

const loads: Load[] = [
  { name: 'calls of many organizations', reservation: [STAGE_SCOPE], dial: [], end: [STAGE_SCOPE] },
  // Leads of a single organization write its credit in the same transactions.
  {
    name: 'calls that count against one daily spend limit, or the credit of one organization',
    reservation: [STAGE_SCOPE],
    dial: ['spend'],
    end: [STAGE_SCOPE, 'spend'],
  },
];

type Figures = { tries: number; p99: number; givenUp: number };

async function figuresAt(load: Load, callsPerSecond: number): Promise<Figures> {
  const clock = timeline(0);
  const random = randomOf(1);
  const occupied = new Set<string>();
  let tries = 0;
  const send = ({ input }: TransactWriteCommand) =>
    new Promise((resolve, reject) => {
      tries += 1;
      const items = (input.TransactItems ?? []).map(({ Update }) => String(Update?.Key?.scope));
      const isConflict = items.some((item) => occupied.has(item));
      if (!isConflict) for (const item of items) occupied.add(item);
      clock.after(SHORTEST + random.next() * (LONGEST - SHORTEST), () => {
        if (isConflict) return reject(conflict());
        for (const item of items) occupied.delete(item);
        resolve({});
      });
    });
  const transact = transactions(
    { send: send as never },
    {
      random: random.next,
      sleep: (ms) => new Promise((resolve) => clock.after(ms, () => resolve())),
    },
  );
  const counting = (scope: string): Write => ({ Update: { TableName: 'slots', Key: { scope }, UpdateExpression: '' } });

  const times: number[] = [];
  let givenUp = 0;
  const write = async (scopes: readonly string[]) => {
    if (scopes.length === 0) return;
    const began = clock.ms;
    try {
      await transact<string>(Object.fromEntries(scopes.map((scope) => [scope, counting(scope)])));
    } catch (error) {
      if (!(error instanceof TransactionContention)) throw error;
      givenUp += 1;
    }
    times.push(clock.ms - began);
  };
  let at = 0;
  for (let call = 0; call < CALLS; call += 1) {
    at += (-Math.log(1 - random.next()) * 1_000) / callsPerSecond;
    if (call % RESERVED_AT_ONCE === 0) clock.after(at, () => void write(load.reservation));
    clock.after(at + DIAL_AFTER_MS, () => void write(load.dial));
    clock.after(at + TALK_SECONDS * 1_000, () => void write(load.end));
  }
  await clock.run(() => false);
  const sorted = times.toSorted((one, other) => one - other);
  return { tries: tries / times.length, p99: sorted[Math.ceil(times.length * 0.99) - 1] ?? 0, givenUp };
}

let floor: Figures | undefined;
for (const load of loads) {
  console.log(load.name);
  for (const rate of CALLS_PER_SECOND) {
    const figures = await figuresAt(load, rate);
    floor ??= figures;
    const { tries, p99, givenUp } = figures;
    console.log(
      `  ${rate} calls a second (${rate * TALK_SECONDS} lines at ${TALK_SECONDS} s a call): ${tries.toFixed(2)} tries, ` +
        `99 % within ${p99.toFixed(0)} ms (ratio ${(p99 / floor.p99).toFixed(1)}), ` +
        `${givenUp} of ${CALLS} calls left to a redelivery`,
    );
  }
}
