import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../../dynamodb/conditional-table.ts';
import { readByKeys } from '../../dynamodb/reads-by-key.ts';
import type { Write } from '../../dynamodb/transaction.ts';
import { STAGE_SCOPE } from './slots.ts';

export type SlotCounterStore = ReturnType<typeof slotCounters>;

/** A counter of live calls, the number of slots that have moved so far, and the error that the last run found. */
export type SlotCounter = { scope: string; live: number; moves: number; drift?: number };

/** Accesses the counters of the Slots table, for recover-calls, which compares them with the calls. */
export function slotCounters(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. A scope without a counter is absent. */
    async read(scopes: readonly string[]): Promise<SlotCounter[]> {
      const keys = scopes.map((scope) => ({ scope }));
      const items = await readByKeys(db, table, keys, { ConsistentRead: true });
      return items.map(({ scope, live, moves, drift }) => ({
        scope: String(scope),
        live: Number(live ?? 0),
        moves: Number(moves ?? 0),
        ...(drift !== undefined && { drift: Number(drift) }),
      }));
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
