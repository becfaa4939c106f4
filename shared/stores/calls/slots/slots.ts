import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../../dynamodb/conditional-table.ts';
import { readItem } from '../../dynamodb/reads.ts';
import type { Write } from '../../dynamodb/transaction.ts';
import { type Condition, type ItemChange, staysWithin } from '../../dynamodb/update.ts';

export type SlotStore = ReturnType<typeof slotStore>;

/** The scope of the whole stage. Its limit is the concurrency of the platform account. */
export const STAGE_SCOPE = 'stage';

const ORG_PREFIX = 'org#';

export const orgScope = (orgId: string): string => `${ORG_PREFIX}${orgId}`;

export const orgOfScope = (scope: string): string => scope.slice(ORG_PREFIX.length);

const notPaused: Condition = { expression: 'attribute_not_exists(paused_at)' };

/**
 * Accesses the Slots table: live calls per scope, and whether dialing is paused. `moves` counts taken and released
 * slots, so that recover-calls knows how many moved while it read the calls.
 */
export function slotStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const taking = (
    scope: string,
    count: number,
    limit: number,
    set: ItemChange['set'],
    conditions: Condition[],
  ): Write =>
    writes.update({ scope }, { add: { live: count, moves: count }, ...(set && { set }) }, [
      ...conditions,
      ...(Number.isFinite(limit) ? [staysWithin('live', limit, count)] : []),
    ]);

  return {
    /** Takes slots of the stage. Refused if it lacks them or is paused. */
    takingOfStage: (count: number, limit: number): Write => taking(STAGE_SCOPE, count, limit, undefined, [notPaused]),

    /**
     * Takes slots of an organization, and moves it to the end of the waiting list.
     * @param limit infinite to count only. Refused if the slots would exceed it
     */
    takingOfOrg: (orgId: string, count: number, limit: number, now: string): Write =>
      taking(orgScope(orgId), count, limit, { waiting_since: now }, []),

    /** Releases a slot that a call held. */
    givingBack: (scope: string): Write => writes.update({ scope }, { add: { live: -1, moves: 1 } }),

    /** Reads consistently. */
    async stage(): Promise<{ live: number; paused: boolean }> {
      const item = await readItem(db, table, { scope: STAGE_SCOPE });
      return { live: Number(item?.live ?? 0), paused: item?.paused_at !== undefined };
    },

    /** Refused if dialing is already paused: the first pause counts. */
    pausing: (now: string): Write => writes.update({ scope: STAGE_SCOPE }, { set: { paused_at: now } }, [notPaused]),

    /** Refused if dialing is not paused. */
    resuming: (): Write =>
      writes.update({ scope: STAGE_SCOPE }, { remove: ['paused_at'] }, [{ expression: 'attribute_exists(paused_at)' }]),
  };
}
