import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../dynamodb/conditional-table.ts';

export type SlotCounterStore = ReturnType<typeof slotCounters>;

/** A counter of live calls, and by how much the last run found it wrong. */
export type SlotCounter = { scope: string; live: number; drift?: number };

/** The counters of the Slots table, for recover-calls, which compares them with the calls. */
export function slotCounters(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads the counters that are not 0 or were wrong: at most one item for each organization. */
    async all(): Promise<SlotCounter[]> {
      const counters: SlotCounter[] = [];
      const pages = paginateScan(
        { client: db },
        {
          TableName: table,
          FilterExpression: 'live <> :zero OR attribute_exists(drift)',
          ExpressionAttributeValues: { ':zero': 0 },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages)
        for (const { scope, live, drift } of Items)
          if (live !== undefined)
            counters.push({
              scope: String(scope),
              live: Number(live),
              ...(drift !== undefined && { drift: Number(drift) }),
            });
      return counters;
    },

    /** Notes by how much a counter is wrong. @param drift 0 = it is right. */
    note: (scope: string, drift: number): Promise<boolean> =>
      writes.tryUpdate({ scope }, drift === 0 ? { remove: ['drift'] } : { set: { drift } }, []),

    /** Corrects a counter. @returns false where another run has done so since it was read. */
    correct: ({ scope, drift }: SlotCounter, by: number): Promise<boolean> =>
      writes.tryUpdate({ scope }, { add: { live: -by }, remove: ['drift'] }, [
        { expression: 'drift = :noted', values: { noted: drift } },
      ]),
  };
}
