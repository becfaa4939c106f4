import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type CostlyKind,
  costlyKinds,
  type RateCounters,
  windowSeconds,
} from '../../domain/organizations/rate-limit.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { readItem } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { countedIn } from '../dynamodb/update.ts';

export type KeyCounterStore = ReturnType<typeof keyCounterStore>;

type Kind = keyof RateCounters;
const kinds = ['requests', ...costlyKinds] as const satisfies readonly Kind[];
/** Short, because the whole item must fit into the kilobyte that one write unit pays for. */
const prefixes = { requests: 'r', outbound: 'o', analyses: 'a', uploads: 'u' } as const satisfies Record<Kind, string>;
/**
 * Consecutive windows use alternating counters, so that a late request of one window does not restart the count of the
 * next.
 */
const parities = [0, 1] as const;

/** The counter of a window, and the attribute that says which window it counts. */
type Counter = { name: string; ofWindow: string };
const counter = (kind: Kind, parity: number): Counter => {
  const name = `${prefixes[kind]}${parity}`;
  return { name, ofWindow: `${name}_of` };
};
const counters = kinds.flatMap((kind) => parities.map((parity) => counter(kind, parity)));

/** @returns the window of an instant, and its counter. */
function windowOf(kind: Kind, epochMs: number): Counter & { window: number } {
  const window = Math.floor(epochMs / (windowSeconds[kind] * 1_000));
  return { ...counter(kind, window % parities.length), window };
}

const countedKinds = (costs: CostlyKind | undefined): Kind[] => ['requests', ...(costs ? [costs] : [])];

/** @returns the counts of the present windows */
function readCounters(item: Item, epochMs: number): RateCounters {
  const counted = (kind: Kind) => {
    const { name, ofWindow, window } = windowOf(kind, epochMs);
    return countedIn(item, { counter: name, of: ofWindow, period: window });
  };
  return {
    requests: counted('requests'),
    ...Object.fromEntries(costlyKinds.map((kind) => [kind, counted(kind)])),
  };
}

/**
 * Accesses the request counts of API keys in the present windows, and the time of each key's last request: one item per
 * valid key, in the RateLimits table. The item proves that the key exists, so a request can be counted before the key
 * is read (docs/decisions/0030-budgets-of-analyses-and-uploads.md).
 */
export function keyCounterStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const keyOf = (keyHash: string) => ({ key_minute: keyHash });
  const none = {
    ...Object.fromEntries(counters.map(({ name }) => [name, 0])),
    ...Object.fromEntries(counters.map(({ ofWindow }) => [ofWindow, {}])),
  };
  const used = (epochMs: number) => ({ used_at: new Date(epochMs).toISOString() });
  const exist = (names: readonly string[]) => names.map((name) => `attribute_exists(${name})`).join(' AND ');

  /** Counts a request. @returns undefined, and writes nothing, for a key that does not exist. */
  const count = async (
    keyHash: string,
    costs: CostlyKind | undefined,
    epochMs: number,
  ): Promise<RateCounters | undefined> => {
    const present = countedKinds(costs).map((kind) => windowOf(kind, epochMs));
    const countIn = Object.fromEntries(
      present.map(({ name, ofWindow, window }) => [name, { of: ofWindow, period: window }]),
    );
    const item = await writes.tryUpdateReturning('ALL_NEW', keyOf(keyHash), { set: used(epochMs), countIn }, [
      { expression: exist(present.map(({ name }) => name)) },
    ]);
    return item && readCounters(item, epochMs);
  };

  return {
    /** Creates a key's counters. Belongs in the transaction that creates the key. */
    beginning: (keyHash: string): Write => writes.put({ ...keyOf(keyHash), ...none }, []),

    count,

    /** Counts a request of a key that exists, but has no counters, because an older version created it. */
    async begin(keyHash: string, costs: CostlyKind | undefined, epochMs: number): Promise<RateCounters> {
      const present = countedKinds(costs).map((kind) => windowOf(kind, epochMs));
      const first = Object.fromEntries(
        present.flatMap(({ name, ofWindow, window }): [string, unknown][] => [
          [name, 0],
          [ofWindow, { [window]: -1 }],
        ]),
      );
      const others = Object.fromEntries(Object.entries(none).filter(([name]) => !(name in first)));
      const item = await writes.tryUpdateReturning(
        'ALL_NEW',
        keyOf(keyHash),
        { set: { ...first, ...used(epochMs) }, setOnce: others },
        [{ expression: `NOT (${exist(present.map(({ name }) => name))})` }],
      );
      if (item) return readCounters(item, epochMs);
      // Another request has created the counters in the meantime.
      return (await count(keyHash, costs, epochMs)) ?? { requests: 1, ...(costs && { [costs]: 1 }) };
    },

    /** Reads when the key's last request was counted. @returns undefined if it has had none. */
    async lastUse(keyHash: string): Promise<string | undefined> {
      const item = await readItem(db, table, keyOf(keyHash));
      return item?.used_at as string | undefined;
    },

    /** Removes the counters of a revoked key. */
    async end(keyHash: string): Promise<void> {
      await db.send(new DeleteCommand({ TableName: table, Key: keyOf(keyHash) }));
    },
  };
}
