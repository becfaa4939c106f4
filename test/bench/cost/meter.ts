import { type Bill, type PricedUnit, totalOf } from './prices.ts';

/** The emulator's counts for one function (local/emulator/meter.py). */
export type Units = Record<string, number>;
/** By the name of the function, or of another caller. */
export type Reading = Record<string, Units>;

/** Lines that Lambda writes for each invocation: START, END and REPORT. */
const LOG_BYTES_OF_INVOCATION = 330;
/** A line of the API's access log. */
const LOG_BYTES_OF_REQUEST = 300;
/** With this memory, a function has one processor (Lambda guide, "Configure memory"). */
const MB_OF_A_PROCESSOR = 1_769;
/** The time of a request to DynamoDB, SQS and others in the same region. Requests run one after the other. */
const MS_OF_A_REQUEST = 5;

/** The most memory of a function's workers: the only unit that is not a sum. */
const MAX_MEMORY = 'most_memory_kb';

/** How long remote systems make a function wait: typical answers in milliseconds, not measured here. */
const REMOTE_MS: Record<string, number> = {
  'dial-call': 700,
  'finish-call': 6_000,
  'sync-crm-b': 1_500,
  'create-ticket': 3_000,
  'notify-callback': 300,
};
/** The name under which a request is charged; null if it is free. */
const actions: Record<string, PricedUnit | null> = {
  http_requests: 'http',
  invocations: 'invocations',
  write_units: 'writes',
  read_units: 'reads',
  sqs_requests: 'messages',
  sqs_fair_requests: 'fairness',
  events: 'events',
  'scheduler:CreateSchedule': 'schedules',
  's3:PutObject': 'puts',
  's3:PutObjectTagging': 'puts',
  's3:GetObject': 'gets',
  's3:DeleteObject': null,
  'kms:Encrypt': 'encryption',
  'kms:Decrypt': 'encryption',
  'secretsmanager:GetSecretValue': 'secretReads',
  // Not charged by themselves; `billedMs` uses them.
  dynamodb_requests: null,
  warm: null,
  warm_ms: null,
  warm_processor_ms: null,
  [MAX_MEMORY]: null,
  log_bytes: 'logs',
};

/** @returns the counts between two readings, divided by `times`. */
export function between(before: Reading, after: Reading, times: number): Reading {
  const counted: Reading = {};
  for (const [name, units] of Object.entries(after)) {
    const since = Object.entries(units)
      .map(([unit, count]): [string, number] => [
        unit,
        unit === MAX_MEMORY ? count : (count - (before[name]?.[unit] ?? 0)) / times,
      ])
      .filter(([, count]) => count > 0);
    if (since.length > 0) counted[name] = Object.fromEntries(since);
  }
  return counted;
}

/**
 * Estimates the milliseconds that an invocation takes on AWS: its computing, slowed by its share of a processor, and
 * its waiting.
 */
export function billedMs(name: string, units: Units, memoryMb: number): number {
  const processor = (units.warm_processor_ms ?? 0) / (units.warm || 1);
  const slowed = processor * Math.max(1, MB_OF_A_PROCESSOR / memoryMb);
  const { dynamodb_requests: items = 0, sqs_requests: messages = 0, events = 0 } = units;
  const others = Object.entries(units).reduce((sum, [unit, count]) => sum + (unit.includes(':') ? count : 0), 0);
  const requests = (items + messages + events + others) / (units.invocations || 1);
  return slowed + requests * MS_OF_A_REQUEST + (REMOTE_MS[name] ?? 0);
}

/** @throws Error for a request without a price, so that no request is free by mistake. */
function billOf(name: string, units: Units, memoryMb: number): Bill {
  const bill: Bill = {};
  const add = (unit: PricedUnit, count: number) => {
    bill[unit] = (bill[unit] ?? 0) + count;
  };
  for (const [unit, count] of Object.entries(units)) {
    if (isMetric(unit)) continue;
    const priced = actions[unit];
    if (priced === undefined) throw new Error(`${name}: ${unit} has no price`);
    if (priced) add(priced, count);
  }
  const { invocations = 0, http_requests: http = 0 } = units;
  if (invocations > 0) {
    add('logs', invocations * LOG_BYTES_OF_INVOCATION + http * LOG_BYTES_OF_REQUEST);
    add('compute', (invocations * billedMs(name, units, memoryMb) * memoryMb) / 1024 / 1000);
  }
  return bill;
}

/** The most memory that a worker of the function has used, in MB; 0 if it was not measured. */
export const mostMemoryMb = (units: Units): number => (units[MAX_MEMORY] ?? 0) / 1024;

const isMetric = (unit: string): boolean => unit.startsWith('metric ');

/** Names the custom metrics that were written, each with its dimensions. AWS charges for them by the hour. */
export const metricsIn = (reading: Reading): string[] =>
  Object.values(reading).flatMap((units) => Object.keys(units).filter(isMetric));

/** @param memoryOf returns the memory of a function, in MB. */
export const billsOf = (reading: Reading, memoryOf: (name: string) => number): Record<string, Bill> =>
  Object.fromEntries(Object.entries(reading).map(([name, units]) => [name, billOf(name, units, memoryOf(name))]));

export const billOfAll = (bills: Record<string, Bill>): Bill =>
  totalOf(Object.values(bills).map((bill) => [bill, 1] as const));
