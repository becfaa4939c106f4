import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newToken } from '../../../domain/ids.ts';
import { conditionalTable } from '../../dynamodb/conditional-table.ts';
import { query, readAll } from '../../dynamodb/reads.ts';
import type { Condition, ItemChange } from '../../dynamodb/update.ts';
import { orgOfScope, orgScope } from './slots.ts';

export type WaitingOrgStore = ReturnType<typeof waitingOrgStore>;

export const slotIndexes = { waiting: 'waiting' } as const;

/** Partition key of the index: with a single key, the index lists the organizations in the order of `waiting_since`. */
const LISTED = 'listed';

/** No `parked_until` is stored, or it has passed. */
const NOT_PARKED_UNTIL_LATER = 'attribute_not_exists(parked_until) OR parked_until <= :now';

/** An organization on the list, as the index shows it. The index may be a few seconds old. */
export type ListedOrg = {
  org_id: string;
  live: number;
  since: string;
  /** The latest instant at which one of its calls was known to wait. */
  seen: string;
};

/**
 * Accesses the list of organizations that may have calls to dial, on the items of their slots. It is a hint: an
 * organization may be on it without a waiting call, and recover-calls adds missing ones.
 */
export function waitingOrgStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const parking = (orgId: string, missing: 'slot' | 'credit', live: number): Promise<boolean> =>
    writes.tryUpdate({ scope: orgScope(orgId) }, { set: { parked: missing }, remove: ['waiting', 'waiting_since'] }, [
      { expression: 'waiting = :listed AND live >= :live', values: { listed: LISTED, live } },
    ]);
  return {
    /**
     * Puts an organization on the list, unless it is parked until a later instant; then the message for that instant
     * lists it. @param seen when one of its calls began to wait @param now ISO 8601
     * @param unlessParked whether to skip an organization that waits for the end of a live call
     * @returns false if it is parked
     */
    async list(orgId: string, seen: string, now: string, unlessParked = false): Promise<boolean> {
      const listing = (change: ItemChange, conditions: Condition[] = []) =>
        writes.tryUpdate(
          { scope: orgScope(orgId) },
          {
            set: { waiting: LISTED, ...change.set },
            setOnce: { waiting_since: now, ...change.setOnce },
            remove: ['parked_until'],
          },
          [
            { expression: NOT_PARKED_UNTIL_LATER, values: { now } },
            ...(unlessParked ? [{ expression: 'attribute_not_exists(parked)' }] : []),
            ...conditions,
          ],
        );
      const isLatest = { expression: 'attribute_not_exists(waiting_seen) OR waiting_seen <= :seen', values: { seen } };
      if (await listing({ set: { waiting_seen: seen } }, [isLatest])) return true;
      // Messages arrive in any order, and the latest instant decides whether the index may still lack a call.
      return await listing({ setOnce: { waiting_seen: seen } });
    },

    /** Lists organizations, starting with those that have waited longest since their last slot or ended call. */
    longestWaiting: (most: number): Promise<ListedOrg[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: slotIndexes.waiting,
          KeyConditionExpression: 'waiting = :listed',
          ExpressionAttributeValues: { ':listed': LISTED },
          Limit: most,
        }),
        (item) => ({
          org_id: orgOfScope(String(item.scope)),
          live: Number(item.live ?? 0),
          since: String(item.waiting_since),
          seen: String(item.waiting_seen),
        }),
        most,
      ),

    /** Removes an organization without a waiting call. @returns false if a call began to wait since it was read. */
    unlist: ({ org_id, seen }: Pick<ListedOrg, 'org_id' | 'seen'>): Promise<boolean> =>
      writes.tryUpdate({ scope: orgScope(org_id) }, { remove: ['waiting', 'waiting_since', 'waiting_seen'] }, [
        { expression: 'waiting_seen = :seen', values: { seen } },
      ]),

    /**
     * Removes an organization that has no free slot, until one of its calls releases one.
     * @returns false if a call has released a slot since
     */
    park: (orgId: string, limit: number): Promise<boolean> => parking(orgId, 'slot', limit),

    /**
     * Removes an organization that lacks credit, until one of its live calls ends or is postponed.
     * @returns false if it has no live call
     */
    parkForCredit: (orgId: string): Promise<boolean> => parking(orgId, 'credit', 1),

    /**
     * Removes an organization from the list until an instant, because its calling number is closed or a daily spend
     * limit is reached. `parked_by` names this write, so that a repeat of it by the SDK succeeds.
     * @returns false if it is already removed for that long, so that a message for the end is on its way
     */
    parkUntil(orgId: string, until: string): Promise<boolean> {
      const by = newToken();
      return writes.tryUpdate(
        { scope: orgScope(orgId) },
        { set: { parked_until: until, parked_by: by }, remove: ['waiting', 'waiting_since'] },
        [
          {
            expression: 'attribute_not_exists(parked_until) OR parked_until < :until OR parked_by = :by',
            values: { until, by },
          },
        ],
      );
    },

    /** Lets a removed organization be listed before that instant. */
    endParking: (orgId: string): Promise<boolean> =>
      writes.tryUpdate({ scope: orgScope(orgId) }, { remove: ['parked_until'] }, []),

    /**
     * Puts a removed organization on the list again. If it is also parked until a later instant, the message for that
     * instant lists it, and this write ends only the parking for a slot or credit.
     * @param hasEnded whether a call ended and settled its credit
     */
    async unpark(orgId: string, hasEnded: boolean, now: string): Promise<boolean> {
      const isParked = hasEnded
        ? { expression: 'attribute_exists(parked)' }
        : { expression: 'parked = :slot', values: { slot: 'slot' } };
      const unparking = (change: ItemChange, conditions: Condition[] = []) =>
        writes.tryUpdate({ scope: orgScope(orgId) }, { ...change, remove: ['parked'] }, [isParked, ...conditions]);
      const listing = { set: { waiting: LISTED, waiting_seen: now }, setOnce: { waiting_since: now } };
      if (await unparking(listing, [{ expression: NOT_PARKED_UNTIL_LATER, values: { now } }])) return true;
      await unparking({}, [{ expression: 'parked_until > :now', values: { now } }]);
      return false;
    },

    /** Moves a listed organization behind the organizations that have waited since before its call ended. */
    moveBehind: (orgId: string, endedAt: string): Promise<boolean> =>
      writes.tryUpdate({ scope: orgScope(orgId) }, { set: { waiting_since: endedAt } }, [
        { expression: 'waiting = :listed AND waiting_since < :ended', values: { listed: LISTED, ended: endedAt } },
      ]),
  };
}
