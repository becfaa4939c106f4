import type { Idle } from './idle.ts';
import { billedMs, mostMemoryMb, type Reading } from './meter.ts';
import { type Bill, costOf, PRICES_OF, type PricedUnit, priceOf, prices, REGION } from './prices.ts';

const units = Object.keys(prices) as PricedUnit[];

const row = (...cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), `|${head.map((_, index) => (index === 0 ? '---|' : '--:|')).join('')}`, ...rows].join('\n');
const dollars = (value: number): string => value.toFixed(2);
const share = (bill: Bill, ...of: PricedUnit[]): number =>
  costOf(Object.fromEntries(of.map((unit) => [unit, bill[unit] ?? 0])));
/** Rounds to three significant digits, without trailing zeros. */
const number = (value: number): string => String(Number(value.toPrecision(3)));
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const MILLION = 1_000_000;

const groups: Record<string, PricedUnit[]> = {
  API: ['http'],
  Lambda: ['invocations', 'compute'],
  writes: ['writes'],
  reads: ['reads'],
  queues: ['messages', 'fairness'],
  others: ['events', 'schedules', 'puts', 'gets', 'encryption', 'secretReads'],
  logs: ['logs'],
};

/** Shows the cost of a million requests, by charged unit. */
export const requestsTable = (bills: Record<string, Bill>): string =>
  table(
    ['a million', ...Object.keys(groups).map((name) => `${name}, $`), 'without logs, $', 'in all, $'],
    Object.entries(bills).map(([name, bill]) =>
      row(
        name,
        ...Object.values(groups).map((of) => dollars(share(bill, ...of) * MILLION)),
        dollars((costOf(bill) - share(bill, 'logs')) * MILLION),
        dollars(costOf(bill) * MILLION),
      ),
    ),
  );

/** Shows the units of one piece of work of each kind, and the cost of a thousand. */
export const kindsTable = (bills: Record<string, Bill>): string => {
  const counted: [string, PricedUnit, (count: number) => string][] = [
    ['API', 'http', number],
    ['invocations', 'invocations', number],
    ['GB-s', 'compute', number],
    ['writes', 'writes', number],
    ['reads', 'reads', number],
    ['queues', 'messages', number],
    ['events', 'events', number],
    ['S3 PUT', 'puts', number],
    ['KMS', 'encryption', number],
    ['log, KB', 'logs', (bytes) => number(bytes / 1000)],
  ];
  return table(
    ['one', ...counted.map(([name]) => name), '$ for 1,000'],
    Object.entries(bills).map(([name, bill]) =>
      row(name, ...counted.map(([, unit, show]) => show(bill[unit] ?? 0)), dollars(costOf(bill) * 1000)),
    ),
  );
};

/**
 * Returns the rows of an idle month that the templates decide. test/infra/stacks/cost.test.ts compares them with
 * docs/cost.md.
 */
export const idleRows = ({ bill, alarms, polledQueues }: Idle): string[] => {
  const one = (what: string, unit: PricedUnit) =>
    row(what, whole(bill[unit] ?? 0), dollars(share(bill, unit)), dollars(costOf({ [unit]: bill[unit] ?? 0 }, true)));
  return [
    one(`metrics that ${alarms} alarms watch`, 'alarms'),
    one('KMS keys', 'keys'),
    one('secrets', 'secrets'),
    one('dashboards', 'dashboards'),
    one(`polls of ${polledQueues} empty queues`, 'messages'),
  ];
};

export const runsRow = (name: string, runs: number): string => `| runs of ${name} | ${whole(runs)} |`;

/** Shows the cost of an idle month, at list prices and with the free tier. */
export const idleTable = (
  idle: Idle,
  runs: readonly { name: string; runs: number; bill: Bill }[],
  total: Bill,
): string =>
  table(
    ['in 30 days', 'number', 'list, $', 'beyond the free tier, $'],
    [
      ...idleRows(idle),
      ...runs.map(({ name, runs: times, bill }) => `${runsRow(name, times)} ${dollars(costOf(bill) * times)} |  |`),
      row(
        'own metrics that they write',
        number(total.metrics ?? 0),
        dollars(share(total, 'metrics')),
        dollars(costOf({ metrics: total.metrics ?? 0 }, true)),
      ),
      row('**in all**', '', `**${dollars(costOf(total))}**`, `**${dollars(costOf(total, true))}**`),
    ],
  );

/** Shows the time of invocations, as measured here and as priced, and the most memory of each function. */
export const measuredTable = (counted: Record<string, Reading>, memoryOf: (name: string) => number): string => {
  const seen = new Map<string, (string | number)[]>();
  const most = new Map<string, number>();
  for (const reading of Object.values(counted))
    for (const [name, of] of Object.entries(reading)) {
      most.set(name, Math.max(most.get(name) ?? 0, mostMemoryMb(of)));
      if (!of.warm || seen.has(name)) continue;
      const times = [(of.warm_ms ?? 0) / of.warm, (of.warm_processor_ms ?? 0) / of.warm];
      seen.set(name, [...times.map(whole), whole(billedMs(name, of, memoryOf(name)))]);
    }
  return table(
    ['function', 'MB', 'most memory, MB', 'took here, ms', 'of it computing, ms', 'priced, ms'],
    [...seen.keys()]
      .sort()
      .map((name) => row(`\`${name}\``, memoryOf(name), whole(most.get(name) ?? 0), ...(seen.get(name) ?? []))),
  );
};

export const pricesTable = (): string =>
  table(
    [`${REGION}, ${PRICES_OF}`, '$', 'for', 'free in a month', 'page'],
    units.map((name) => {
      const { dollars: price, per, unit, page, free } = priceOf(name);
      return row(unit, String(price), whole(per), free ? whole(free) : '–', `aws.amazon.com/${page}`);
    }),
  );
