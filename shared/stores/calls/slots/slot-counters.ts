import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../../dynamodb/conditional-table.ts';
import type { Item } from '../../dynamodb/transaction.ts';

const MOST_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem

export type SlotCounterStore = ReturnType<typeof slotCounters>;

/** A counter of live calls, the number of slots that have moved so far, and the error that the last run found. */
export type SlotCounter = { scope: string; live: number; moves: number; drift?: number };

/** The counters of the Slots table, for recover-calls, which compares them with the calls. */
export function slotCounters(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. A scope without a counter is absent. */
    async read(scopes: readonly string[]): Promise<SlotCounter[]> {
      const counters: SlotCounter[] = [];
      let keys = [...new Set(scopes)].map((scope): Item => ({ scope }));
      while (keys.length > 0) {
        const Keys = keys.slice(0, MOST_KEYS_OF_A_BATCH);
        const answer = await db.send(
          new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
        );
        for (const { scope, live, moves, drift } of answer.Responses?.[table] ?? [])
          counters.push({
            scope: String(scope),
            live: Number(live ?? 0),
            moves: Number(moves ?? 0),
            ...(drift !== undefined && { drift: Number(drift) }),
          });
        if (answer.UnprocessedKeys?.[table]) throw new Error('DynamoDB throttled the read of slot counters');
        keys = keys.slice(MOST_KEYS_OF_A_BATCH);
      }
      return counters;
    },

    /** Records a counter's error. @param drift 0 if it is right. */
    note: (scope: string, drift: number): Promise<boolean> =>
      writes.tryUpdate({ scope }, drift === 0 ? { remove: ['drift'] } : { set: { drift } }, []),

    /**
     * Corrects a counter. @param note the drift that is left for the next run; 0 for none
     * @returns false if another run has corrected it, or noted another drift, since it was read
     */
    correct: ({ scope, drift }: SlotCounter, by: number, note = 0): Promise<boolean> =>
      writes.tryUpdate(
        { scope },
        { add: { live: -by }, ...(note === 0 ? { remove: ['drift'] } : { set: { drift: note } }) },
        [
          drift === undefined
            ? { expression: 'attribute_not_exists(drift)' }
            : { expression: 'drift = :noted', values: { noted: drift } },
        ],
      ),
  };
}
