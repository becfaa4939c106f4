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

/** One write of a transaction. Stores build writes, operations combine them. */
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Item = Record<string, unknown>;

export type TransactionResult<Name extends string> =
  | { committed: true }
  /**
   * Nothing was written. Each named write whose condition did not hold comes with the stored item, where it reveals
   * one.
   */
  | { committed: false; refused: Partial<Record<Name, { item: Item | undefined }>> };

export type Transact = <Name extends string>(
  writes: Record<Name, Write | undefined>,
  options?: {
    /** Writes whose refusal is the result even if other writes met a conflict in the same try. */
    decidedBy?: readonly NoInfer<Name>[];
  },
) => Promise<TransactionResult<Name>>;

const MOST_TRIES = 8;
const MOST_WAITING_MS = 2_000;
const FIRST_WAIT_MS = 25;

/** Temporary reasons for a canceled transaction (Amazon DynamoDB API reference, "TransactWriteItems"). */
const temporaryReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Builds the function that runs all writes or none. Conflicts are normal, because all calls of an organization write
 * its credit: it retries up to 8 times within 2 s with full jitter. It throws TransactionContention if the conflicts
 * last.
 * @param timing for tests: `random` from 0 to 1, `sleep` in milliseconds.
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
    // One token for all tries, so that a try whose answer was lost is not repeated.
    const ClientRequestToken = newToken();
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await db.send(new TransactWriteCommand({ TransactItems: named.map(([, write]) => write), ClientRequestToken }));
        return { committed: true };
      } catch (error) {
        const reasons = reasonsOf(error);
        const refused: Partial<Record<Name, { item: Item | undefined }>> = {};
        named.forEach(([name], index) => {
          const reason = reasons[index];
          if (reason?.Code === 'ConditionalCheckFailed')
            refused[name] = { item: reason.Item && unmarshall(reason.Item) };
        });
        const mayPass =
          error instanceof TransactionInProgressException ||
          reasons.some(({ Code }) => temporaryReasons.has(Code ?? ''));
        const isDecided = Object.keys(refused).length > 0 && (!mayPass || decidedBy.some((name) => name in refused));
        if (isDecided) return { committed: false, refused };
        if (!mayPass) throw error;
        const wait = timing.random() * FIRST_WAIT_MS * 2 ** attempt;
        waited += wait;
        if (attempt === MOST_TRIES || waited > MOST_WAITING_MS)
          throw new TransactionContention(`${attempt} tries met conflicting transactions`);
        await timing.sleep(wait);
      }
    }
  };
}

function reasonsOf(error: unknown): CancellationReason[] {
  if (error instanceof TransactionCanceledException) return error.CancellationReasons ?? [];
  if (error instanceof TransactionInProgressException) return [];
  throw error;
}
