import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from './transaction.ts';

const MAX_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem
const MAX_REQUESTS = 4;
const FIRST_WAIT_MS = 25;

type Read = GetCommandInput & { Key: Item; TableName: string };
type Waiting = {
  read: Read;
  resolve: (answer: Pick<GetCommandOutput, 'Item'>) => void;
  reject: (error: unknown) => void;
};
type Batch = NonNullable<BatchGetCommandInput['RequestItems']>;

/**
 * Creates a client that combines concurrent consistent reads by key, up to a hundred per request, so that a cold
 * function pays for one request instead of three or more. They cost the same read units. If a request fails, all its
 * reads fail.
 * @param timing for tests: `random` from 0 to 1, `sleep` in milliseconds
 * @throws ProvisionedThroughputExceededException if a read is still unprocessed after four requests
 */
export function withBatchedReads(
  db: DynamoDBDocumentClient,
  timing: { random: () => number; sleep: (ms: number) => Promise<void> } = {
    random: Math.random,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  },
): DynamoDBDocumentClient {
  let waiting: Waiting[] = [];

  const readAll = async (all: readonly Waiting[]) => {
    try {
      const found = await readBatch(batchOf(all.map(({ read }) => read)));
      for (const { read, resolve } of all) {
        const items = found.get(read.TableName) ?? [];
        const Item = items.find((item) => Object.entries(read.Key).every(([name, value]) => item[name] === value));
        resolve({ ...(Item && { Item }) });
      }
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  };

  const readBatch = async (batch: Batch): Promise<ReadonlyMap<string, Item[]>> => {
    const found = new Map<string, Item[]>();
    let RequestItems = batch;
    for (let request = 1; ; request += 1) {
      const { Responses = {}, UnprocessedKeys = {} } = await db.send(new BatchGetCommand({ RequestItems }));
      for (const [table, items] of Object.entries(Responses)) found.set(table, [...(found.get(table) ?? []), ...items]);
      if (Object.keys(UnprocessedKeys).length === 0) return found;
      if (request === MAX_REQUESTS)
        throw new ProvisionedThroughputExceededException({ $metadata: {}, message: 'reads were left unprocessed' });
      await timing.sleep(timing.random() * FIRST_WAIT_MS * 2 ** request);
      RequestItems = UnprocessedKeys;
    }
  };

  const send = (command: { input: object }): Promise<unknown> => {
    if (!(command instanceof GetCommand && command.input.ConsistentRead)) return db.send(command as GetCommand);
    return new Promise((resolve, reject) => {
      // Runs after all pending microtasks, so that a read after an awaited settled promise still joins the batch.
      if (waiting.length === 0)
        setImmediate(() => {
          const all = waiting;
          waiting = [];
          for (let start = 0; start < all.length; start += MAX_KEYS_OF_A_BATCH)
            void readAll(all.slice(start, start + MAX_KEYS_OF_A_BATCH));
        });
      waiting.push({ read: command.input as Read, resolve, reject });
    });
  };
  return Object.assign(Object.create(db), { send });
}

/** Builds the batch that reads each item once. */
function batchOf(reads: readonly Read[]): Batch {
  const tables = new Map<string, Map<string, Item>>();
  for (const { TableName, Key } of reads) {
    const keys = tables.get(TableName) ?? new Map<string, Item>();
    tables.set(TableName, keys.set(JSON.stringify(Key), Key));
  }
  return Object.fromEntries(
    [...tables].map(([table, keys]) => [table, { Keys: [...keys.values()], ConsistentRead: true }]),
  );
}
