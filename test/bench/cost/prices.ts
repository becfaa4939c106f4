/** The region of the prices. */
export const REGION = 'us-east-1';
/** When the prices were looked up. They exclude taxes and volume discounts. */
export const PRICES_OF = '2026-11-23';

type Price = {
  /** In US dollars. */
  dollars: number;
  /** For how many units. */
  per: number;
  unit: string;
  /** The page with the price, below aws.amazon.com. */
  page: string;
  /** The free units of every account in each month, without a time limit. */
  free?: number;
};

const MILLION = 1_000_000;
const GB = 1_000_000_000;

/** AWS's list prices, without the free tier. */
export const prices = {
  http: { dollars: 1, per: MILLION, unit: 'requests of an HTTP API, 512 KB each', page: 'api-gateway/pricing' },
  invocations: { dollars: 0.2, per: MILLION, unit: 'invocations', page: 'lambda/pricing', free: MILLION },
  compute: { dollars: 0.0000133334, per: 1, unit: 'GB-seconds on arm64', page: 'lambda/pricing', free: 400_000 },
  writes: {
    dollars: 0.625,
    per: MILLION,
    unit: 'write units on demand, 1 KB each',
    page: 'dynamodb/pricing/on-demand',
  },
  reads: { dollars: 0.125, per: MILLION, unit: 'read units on demand, 4 KB each', page: 'dynamodb/pricing/on-demand' },
  messages: { dollars: 0.4, per: MILLION, unit: 'requests to queues, 64 KB each', page: 'sqs/pricing', free: MILLION },
  fairness: { dollars: 0.1, per: MILLION, unit: 'requests with a message group, on top', page: 'sqs/pricing' },
  events: { dollars: 1, per: MILLION, unit: 'own events, 64 KB each', page: 'eventbridge/pricing' },
  schedules: { dollars: 1, per: MILLION, unit: 'one-time schedules', page: 'eventbridge/pricing', free: 14 * MILLION },
  puts: { dollars: 5, per: MILLION, unit: 'PUT requests to S3', page: 's3/pricing' },
  gets: { dollars: 0.4, per: MILLION, unit: 'other requests to S3', page: 's3/pricing' },
  encryption: { dollars: 3, per: MILLION, unit: 'requests to KMS', page: 'kms/pricing', free: 20_000 },
  secretReads: { dollars: 5, per: MILLION, unit: 'requests to Secrets Manager', page: 'secrets-manager/pricing' },
  logs: { dollars: 0.5, per: GB, unit: 'bytes of logs', page: 'cloudwatch/pricing', free: 5 * GB },
  alarms: { dollars: 0.1, per: 1, unit: 'metrics that alarms watch, a month', page: 'cloudwatch/pricing', free: 10 },
  composites: { dollars: 0.5, per: 1, unit: 'composite alarms, a month', page: 'cloudwatch/pricing' },
  metrics: { dollars: 0.3, per: 1, unit: 'own metrics, a month', page: 'cloudwatch/pricing', free: 10 },
  dashboards: { dollars: 3, per: 1, unit: 'CloudWatch dashboards, a month', page: 'cloudwatch/pricing', free: 3 },
  keys: { dollars: 1, per: 1, unit: 'KMS keys, a month', page: 'kms/pricing' },
  secrets: { dollars: 0.4, per: 1, unit: 'secrets, a month', page: 'secrets-manager/pricing' },
} as const satisfies Record<string, Price>;

export type PricedUnit = keyof typeof prices;

/** Numbers of priced units. */
export type Bill = Partial<Record<PricedUnit, number>>;

export const priceOf = (unit: PricedUnit): Price => prices[unit];

/** @returns dollars. @param hasFreeTier whether to deduct the whole free tier, as if the account had no other bill */
export const costOf = (bill: Bill, hasFreeTier = false): number =>
  (Object.entries(bill) as [PricedUnit, number][]).reduce((sum, [unit, count]) => {
    const { dollars, per, free = 0 } = priceOf(unit);
    return sum + (Math.max(0, count - (hasFreeTier ? free : 0)) * dollars) / per;
  }, 0);

/** Adds bills, each multiplied by its number. */
export function totalOf(bills: readonly (readonly [Bill, number])[]): Bill {
  const total: Bill = {};
  for (const [bill, times] of bills)
    for (const [unit, count] of Object.entries(bill) as [PricedUnit, number][])
      total[unit] = (total[unit] ?? 0) + count * times;
  return total;
}
