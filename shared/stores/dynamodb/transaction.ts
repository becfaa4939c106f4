import {
  type CancellationReason,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { TransactionContention } from '../../domain/contention.ts';
import { newToken } from '../../domain/ids.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a transaction. Stores build writes, operations combine them. */
export type Write = TransactItem & {
  /** Rebuilds the write for each try, because it depends on an item that other transactions replace. */
  rebuilt?: () => Promise<RebuiltWrite>;
};

/** @param basis writes, or checks, the item that the write depends on. Its refusal means that the item has changed. */
type RebuiltWrite = { write: TransactItem; basis: TransactItem };

export type Item = Record<string, unknown>;

export type TransactionResult<Name extends string> =
  | { committed: true }
  /** Nothing was written. Each named write whose condition did not hold comes with the stored item, if revealed. */
  | { committed: false; refused: Partial<Record<Name, { item: Item | undefined }>> };

export type Transact = <Name extends string>(
  writes: Record<Name, Write | undefined>,
  options?: {
    /** Writes whose refusal is the result even if other writes met a conflict in the same try. */
    decidedBy?: readonly NoInfer<Name>[];
  },
) => Promise<TransactionResult<Name>>;

const MAX_TRIES = 8;
const MAX_WAITING_MS = 2_000;
const FIRST_WAIT_MS = 25;
/** Many writers of one basis are serialized: more tries, closer together. 60 at once finish in 1.2 s. */
const MAX_REBUILD_TRIES = 16;
const LONGEST_REBUILD_WAIT_MS = 200;

/** Temporary reasons for a canceled transaction (Amazon DynamoDB API reference, "TransactWriteItems"). */
const temporaryReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Builds the function that runs all writes or none. Conflicts are normal, because all calls of an organization write
 * its credit: it makes up to 8 tries with full jitter, and waits 2 s at most. It throws TransactionContention if the
 * conflicts last. A changed basis is not a refusal: the write is rebuilt, in up to 16 tries within the same 2 s.
 * @param timing for tests: `random` from 0 to 1, `sleep` in milliseconds
 */
export function transactions(
  db: Pick<DynamoDBDocumentClient, 'send'>,
  timing: { random: () => number; sleep: (ms: number) => Promise<void> } = {
    random: Math.random,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  },
): Transact {
  return async <Name extends string>(
    writes: Record<Name, Write | undefined>,
    { decidedBy = [] }: { decidedBy?: readonly NoInfer<Name>[] } = {},
  ): Promise<TransactionResult<Name>> => {
    const named = Object.entries<Write | undefined>(writes).filter((entry): entry is [Name, Write] => !!entry[1]);
    const isRemade = named.some(([, write]) => write.rebuilt);
    const [mostTries, longestWait] = isRemade
      ? [MAX_REBUILD_TRIES, LONGEST_REBUILD_WAIT_MS]
      : [MAX_TRIES, Number.POSITIVE_INFINITY];
    let items = await itemsOf(named);
    // One token for all tries of the same items, so that a try whose answer was lost is not repeated.
    let ClientRequestToken = newToken();
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await db.send(new TransactWriteCommand({ TransactItems: items.map(({ item }) => item), ClientRequestToken }));
        return { committed: true };
      } catch (error) {
        const reasons = reasonsOf(error);
        const refused: Partial<Record<Name, { item: Item | undefined }>> = {};
        let isOutdated = false;
        items.forEach(({ name }, index) => {
          const reason = reasons[index];
          if (reason?.Code !== 'ConditionalCheckFailed') return;
          if (name === undefined) isOutdated = true;
          else refused[name] = { item: reason.Item && unmarshall(reason.Item) };
        });
        const mayPass =
          isOutdated ||
          error instanceof TransactionInProgressException ||
          reasons.some(({ Code }) => temporaryReasons.has(Code ?? ''));
        const isDecided = Object.keys(refused).length > 0 && (!mayPass || decidedBy.some((name) => name in refused));
        if (isDecided) return { committed: false, refused };
        if (!mayPass) throw error;
        const wait = timing.random() * Math.min(FIRST_WAIT_MS * 2 ** attempt, longestWait);
        waited += wait;
        if (attempt === mostTries || waited > MAX_WAITING_MS) {
          const hasUnknownOutcome = error instanceof TransactionInProgressException;
          throw new TransactionContention(`${attempt} tries met conflicting transactions`, { hasUnknownOutcome });
        }
        await timing.sleep(wait);
        // A canceled try has written nothing. One in progress may still write its items.
        if (isRemade && error instanceof TransactionCanceledException) {
          items = await itemsOf(named);
          ClientRequestToken = newToken();
        }
      }
    }
  };
}

/** Builds the items of a try, each with the name of its write; the basis of another write has no name. */
async function itemsOf<Name extends string>(
  writes: readonly [Name, Write][],
): Promise<{ name?: Name; item: TransactItem }[]> {
  const items = await Promise.all(
    writes.map(async ([name, { rebuilt, ...item }]) => {
      if (!rebuilt) return [{ name, item }];
      const { write, basis } = await rebuilt();
      return [{ name, item: write }, { item: basis }];
    }),
  );
  return items.flat();
}

function reasonsOf(error: unknown): CancellationReason[] {
  if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
  if (error instanceof TransactionInProgressException) return [];
  throw error;
}
