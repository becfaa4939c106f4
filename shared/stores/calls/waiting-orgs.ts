import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import { orgOfScope, orgScope } from './slots.ts';

export type WaitingOrgStore = ReturnType<typeof waitingOrgStore>;

export const slotIndexes = { waiting: 'waiting' } as const;

/** Partition key of the index: an index over one key lists the organizations in the order of `waiting_since`. */
const LISTED = 'listed';

/** The organization's calling number is not known to be closed. */
const MAY_DIAL = 'attribute_not_exists(parked_until) OR parked_until <= :now';

/** An organization on the list, as the index shows it. The index may be some seconds old. */
export type ListedOrg = {
  org_id: string;
  live: number;
  since: string;
  /** The latest instant at which a call of it was known to wait. */
  seen: string;
};

/**
 * The list of organizations that may have calls to dial, on the items of their slots. It is a hint: an organization may
 * be on it without a waiting call, and recover-calls puts a missing one on it.
 */
export function waitingOrgStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const parking = (orgId: string, missing: 'slot' | 'credit', live: number): Promise<boolean> =>
    writes.tryUpdate({ scope: orgScope(orgId) }, { set: { parked: missing }, remove: ['waiting', 'waiting_since'] }, [
      { expression: 'waiting = :listed AND live >= :live', values: { listed: LISTED, live } },
    ]);
  return {
    /**
     * Puts an organization on the list, unless its calling number is closed: then the message for the end of that time
     * does. @param seen when a call of it began to wait. @param now ISO 8601.
     */
    async list(orgId: string, seen: string, now: string): Promise<void> {
      const write = new UpdateCommand({
        TableName: table,
        Key: { scope: orgScope(orgId) },
        UpdateExpression:
          'SET waiting = :listed, waiting_seen = :seen, waiting_since = if_not_exists(waiting_since, :now) ' +
          'REMOVE parked, parked_until',
        ConditionExpression: MAY_DIAL,
        ExpressionAttributeValues: { ':listed': LISTED, ':seen': seen, ':now': now },
      });
      await db.send(write).catch((error: unknown) => {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },

    /** Lists organizations, those first that have waited longest since their last turn. */
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

    /** Removes an organization without a waiting call. @returns false where a call began to wait since it was read. */
    unlist: ({ org_id, seen }: Pick<ListedOrg, 'org_id' | 'seen'>): Promise<boolean> =>
      writes.tryUpdate({ scope: orgScope(org_id) }, { remove: ['waiting', 'waiting_since', 'waiting_seen'] }, [
        { expression: 'waiting_seen = :seen', values: { seen } },
      ]),

    /**
     * Removes an organization that has no free slot, until one of its calls gives one back.
     * @returns false where one has done so since.
     */
    park: (orgId: string, limit: number): Promise<boolean> => parking(orgId, 'slot', limit),

    /**
     * Removes an organization that lacks credit, until one of its live calls ends.
     * @returns false where it has no live call.
     */
    parkForCredit: (orgId: string): Promise<boolean> => parking(orgId, 'credit', 1),

    /**
     * Removes an organization from the list until an instant, because its calling number is closed.
     * @returns false where it is parked for as long already, so that a message for the end is under way.
     */
    parkUntil: (orgId: string, until: string): Promise<boolean> =>
      writes.tryUpdate(
        { scope: orgScope(orgId) },
        { set: { parked_until: until }, remove: ['waiting', 'waiting_since'] },
        [{ expression: 'attribute_not_exists(parked_until) OR parked_until < :until', values: { until } }],
      ),

    /** Lets an organization that was parked until an instant be listed before. */
    endParking: (orgId: string): Promise<boolean> =>
      writes.tryUpdate({ scope: orgScope(orgId) }, { remove: ['parked_until'] }, []),

    /** Puts a parked organization on the list again. @param hasEnded whether a call ended and settled its credit. */
    unpark: (orgId: string, hasEnded: boolean, now: string): Promise<boolean> =>
      writes.tryUpdate(
        { scope: orgScope(orgId) },
        { set: { waiting: LISTED, waiting_since: now, waiting_seen: now }, remove: ['parked'] },
        [
          hasEnded
            ? { expression: 'attribute_exists(parked)' }
            : { expression: 'parked = :slot', values: { slot: 'slot' } },
          { expression: MAY_DIAL, values: { now } },
        ],
      ),
  };
}
