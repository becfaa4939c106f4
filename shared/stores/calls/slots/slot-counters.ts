import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../../dynamodb/conditional-table.ts';
import type { Item, Write } from '../../dynamodb/transaction.ts';
import { STAGE_SCOPE } from './slots.ts';

const MAX_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem

export type SlotCounterStore = ReturnType<typeof slotCounters>;

/** A counter of live calls, the number of slots that have moved so far, and the error that the last run found. */
export type SlotCounter = { scope: string; live: number; moves: number; drift?: number };

/** Accesses the counters of the Slots table, for recover-calls, which compares them with the calls. */
export function slotCounters(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. A scope without a counter is absent. */
    async read(scopes: readonly string[]): Promise<SlotCounter[]> {
      const counters: SlotCounter[] = [];
      let keys = [...new Set(scopes)].map((scope): Item => ({ scope }));
      while (keys.length > 0) {
        const Keys = keys.slice(0, MAX_KEYS_OF_A_BATCH);
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
        keys = keys.slice(MAX_KEYS_OF_A_BATCH);
      }
      return counters;
    },

    /** Records a counter's error. @param drift 0 if it is right. */
    note: (scope: string, drift: number): Promise<boolean> =>
      writes.tryUpdate({ scope }, drift === 0 ? { remove: ['drift'] } : { set: { drift } }, []),

    /**
     * Corrects a counter by the noted drift, or a part of it, and removes the note. Refused if the note has changed
     * since it was read: another run has corrected the counter, or found another drift.
     */
    correcting: ({ scope, drift = 0 }: SlotCounter, by: number): Write =>
      writes.update({ scope }, { add: { live: -by }, remove: ['drift'] }, [
        { expression: 'drift = :noted', values: { noted: drift } },
      ]),

    /**
     * Subtracts from the stage's counter the number that the same transaction subtracts from an organization's counter.
     */
    correctingStageToo: (by: number): Write => writes.update({ scope: STAGE_SCOPE }, { add: { live: -by } }),
  };
}
