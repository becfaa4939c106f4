import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, type BatchGetCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

export const MAX_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem
const MAX_REQUESTS = 4;
const FIRST_WAIT_MS = 25;

/** Keys by table, at most a hundred. */
export type Batch = NonNullable<BatchGetCommandInput['RequestItems']>;

/** Replaced by tests. `random`: from 0 to 1. `sleep`: in milliseconds. */
export type Timing = { random: () => number; sleep: (ms: number) => Promise<void> };

const machineTiming: Timing = {
  random: Math.random,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Reads one batch. Requests again what DynamoDB leaves unprocessed, so that an existing item never seems to be absent.
 * @returns the items that exist, by table, in no order
 * @throws ProvisionedThroughputExceededException if a read is still unprocessed after four requests
 */
export async function readBatch(
  db: DynamoDBDocumentClient,
  batch: Batch,
  { random, sleep } = machineTiming,
): Promise<ReadonlyMap<string, Item[]>> {
  const found = new Map<string, Item[]>();
  let RequestItems = batch;
  for (let request = 1; ; request += 1) {
    const { Responses = {}, UnprocessedKeys = {} } = await db.send(new BatchGetCommand({ RequestItems }));
    for (const [table, items] of Object.entries(Responses)) found.set(table, [...(found.get(table) ?? []), ...items]);
    if (Object.keys(UnprocessedKeys).length === 0) return found;
    if (request === MAX_REQUESTS)
      throw new ProvisionedThroughputExceededException({ $metadata: {}, message: 'reads were left unprocessed' });
    await sleep(random() * FIRST_WAIT_MS * 2 ** request);
    RequestItems = UnprocessedKeys;
  }
}

/**
 * Reads any number of a table's items by their keys, a hundred in each request. Otherwise like `readBatch`.
 * @param keys may repeat a key, although DynamoDB refuses a batch that does
 * @param options consistency and projection of the reads
 */
export async function readByKeys(
  db: DynamoDBDocumentClient,
  table: string,
  keys: readonly Item[],
  options: Omit<Batch[string], 'Keys'> = {},
): Promise<Item[]> {
  const left = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
  const found: Item[] = [];
  while (left.length > 0) {
    const Keys = left.splice(0, MAX_KEYS_OF_A_BATCH);
    found.push(...((await readBatch(db, { [table]: { Keys, ...options } })).get(table) ?? []));
  }
  return found;
}
