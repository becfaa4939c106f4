import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../domain/calls/call.ts';
import { terminalStatuses } from '../../domain/calls/call-status.ts';
import { phoneKeyOf } from '../../domain/calls/phone-key.ts';
import { remoteMarks, type Tombstone, tombstoneSchema } from '../../domain/calls/retention/erased-call.ts';
import { isErased } from '../../domain/calls/retention/erased-item.ts';
import { waitingPlaceAttributes } from '../../domain/calls/slots/waiting-place.ts';
import { hashOfPlatformId, mayBeId } from '../../domain/ids.ts';
import type { Shown } from '../../domain/newer-values.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll, readItem } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, isStill } from '../dynamodb/update.ts';
import { exists, oneOf } from './call-conditions.ts';
import { parseCall, parseToShow } from './call-item.ts';
import { callIndexes } from './calls.ts';

export type CallErasures = ReturnType<typeof callErasures>;

/** `call` is absent if its erasure is done. */
export type Erasable<Read = Call> = { tombstone?: Tombstone; call?: Read };

/** The key of a person's tombstones in the index by number. No number has this form. */
const personKeyOf = (orgId: string, person: string): string => `${orgId}#person#${person}`;

type RemoteMark = keyof typeof remoteMarks;

/** Returns the condition that a call's mark of a remote record has not changed since it was read. */
function hasMark(name: RemoteMark, mark: Call[RemoteMark]): Condition {
  if (!mark) return { expression: `attribute_not_exists(#${name})` };
  const { state, id } = mark;
  const isState = `#${name}.#state = :${name}_state`;
  return id === undefined
    ? { expression: `${isState} AND attribute_not_exists(#${name}.#id)`, values: { [`${name}_state`]: state } }
    : {
        expression: `${isState} AND #${name}.#id = :${name}_id`,
        values: { [`${name}_state`]: state, [`${name}_id`]: id },
      };
}

/**
 * Returns the conditions that a call has not changed since it was read, as far as its tombstone derives from it: ids at
 * the platform, records in remote systems, and unfinished work.
 */
const unchangedSinceRead = (call: Pick<Call, 'second_platform_ids' | 'unfinished' | RemoteMark>): Condition[] => [
  isStill('second_platform_ids', call.second_platform_ids),
  ...(Object.keys(remoteMarks) as RemoteMark[]).map((name) => hasMark(name, call[name])),
  ...(call.unfinished === undefined ? [{ expression: 'attribute_not_exists(unfinished)' }] : []),
];

/**
 * Erases calls in the Calls table, each in two writes. The first hides the call from every reader and refuses the
 * writes of every worker, but leaves the data that the erasure must find; the last leaves a tombstone.
 */
export function callErasures(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  async function read<Read>(callId: string, parse: (item: Item) => Read): Promise<Erasable<Read> | undefined> {
    if (!mayBeId(callId)) return undefined;
    const item = await readItem(db, table, { call_id: callId });
    if (!item) return undefined;
    if (!isErased(item)) return { call: parse(item) };
    const tombstone = tombstoneSchema.parse(item);
    if (tombstone.erasure_done_at !== undefined) return { tombstone };
    return { tombstone, call: parse({ ...item, org_id: tombstone.erased_of }) };
  }
  return {
    /** Reads a call, even an erased one. Reads consistently. @throws for a call with a value of a newer version */
    get: (callId: string): Promise<Erasable | undefined> => read(callId, parseCall),

    /** Reads a call that is only shown, even with a value of a newer version. Otherwise like `get`. */
    getToShow: (callId: string): Promise<Erasable<Shown<Call>> | undefined> => read(callId, parseToShow),

    /**
     * Begins the erasure of an ended call. Refused if it has begun, or if, since the call was read, the voice platform
     * has revealed another id, the mark of a remote record has changed, or work on the call has begun.
     * @param call as it was read for the tombstone @param phone its number in canonical spelling, by which a repeat
     * finds it
     */
    beginning: (
      { call_id, ...tombstone }: Tombstone,
      call: Parameters<typeof unchangedSinceRead>[0] & Pick<Call, 'org_id'>,
      phone: string,
    ): Write =>
      writes.update(
        { call_id },
        {
          set: { ...tombstone, org_phone: phoneKeyOf({ org_id: call.org_id, phone_number: phone }) },
          remove: ['org_id', 'unfinished', 'expires_at', ...waitingPlaceAttributes],
        },
        [exists, oneOf('status', terminalStatuses), ...unchangedSinceRead(call)],
      ),

    /**
     * Replaces a call whose erasure has begun by its tombstone.
     * @param of the pseudonym of the called person, by which `ofPerson` finds the tombstone
     * @returns false if it already has a tombstone, or the platform has revealed another id
     */
    end: (tombstone: Tombstone, of: { person: string; created_at: string }): Promise<boolean> =>
      writes.tryPut(
        { ...tombstone, created_at: of.created_at, org_phone: personKeyOf(tombstone.erased_of, of.person) },
        [
          { expression: 'attribute_exists(erased_at) AND attribute_not_exists(erasure_done_at)' },
          isStill('late_platform_ids', tombstone.late_platform_ids),
        ],
      ),

    /** Stores the tombstone of a call that the table removed. @returns false if an item has its id again. */
    addTombstone: (tombstone: Tombstone): Promise<boolean> =>
      writes.tryPut(tombstone, [{ expression: 'attribute_not_exists(call_id)' }]),

    /** Begins the erasure of the data that retention has left of a removed call. Refused if it has begun. */
    beginningRest: ({
      call_id,
      found,
      rest_erased_at,
    }: Pick<Tombstone, 'call_id' | 'found' | 'rest_erased_at'>): Write =>
      writes.update({ call_id }, { set: { found, rest_erased_at } }, [
        { expression: 'attribute_exists(removed_at) AND attribute_not_exists(rest_erased_at)' },
      ]),

    /**
     * Reads the tombstones of a person's calls.
     * @param person the pseudonym that was passed to `end`
     * @param ids of further calls, which the index may lack for a few seconds; calls of other persons are ignored
     */
    async ofPerson(orgId: string, person: string, ids: Iterable<string> = []): Promise<Tombstone[]> {
      const key = personKeyOf(orgId, person);
      const found = await readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.byPhone,
          KeyConditionExpression: 'org_phone = :person',
          ExpressionAttributeValues: { ':person': key },
        }),
        ({ call_id }) => String(call_id),
      );
      const tombstones: Tombstone[] = [];
      for (const call_id of new Set([...found, ...ids])) {
        const item = await readItem(db, table, { call_id });
        if (item?.org_phone === key) tombstones.push(tombstoneSchema.parse(item));
      }
      return tombstones;
    },

    /**
     * Stores the results for records in remote systems.
     * @param outcomes of all records so far @param before as they were read
     * @returns false if another run has stored other outcomes since
     */
    noteRecords: (
      callId: string,
      outcomes: NonNullable<Tombstone['record_outcomes']>,
      before: Tombstone['record_outcomes'],
    ): Promise<boolean> =>
      writes.tryUpdate({ call_id: callId }, { set: { record_outcomes: outcomes } }, [
        { expression: 'attribute_exists(erasure_done_at)' },
        isStill('record_outcomes', before),
      ]),

    /** Records that the voice platform has deleted its data under one id, even if it reveals others meanwhile. */
    notePlatformId: ({ call_id }: Tombstone, platformId: string): Promise<boolean> =>
      writes.tryUpdate({ call_id }, { add: { erased_platform_hashes: new Set([hashOfPlatformId(platformId)]) } }, [
        { expression: 'attribute_exists(erasure_done_at)' },
      ]),

    /**
     * Records that the voice platform has deleted its data under the known ids, except `rest`.
     * @returns false if the ids have changed since they were read: the platform has revealed another one, or another
     * erasure of the call has noted its result
     */
    notePlatform: (
      { call_id, platform_ids, late_platform_ids }: Tombstone,
      rest: readonly string[],
      now: string,
    ): Promise<boolean> =>
      writes.tryUpdate(
        { call_id },
        rest.length > 0
          ? { set: { platform_ids: rest }, remove: ['late_platform_ids'] }
          : { set: { platform_erased_at: now }, remove: ['platform_ids', 'late_platform_ids'] },
        [
          { expression: 'attribute_exists(erasure_done_at)' },
          isStill('platform_ids', platform_ids),
          isStill('late_platform_ids', late_platform_ids),
        ],
      ),
  };
}
