import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { analysisAtEnd } from '../../domain/calls/analysis.ts';
import { type Call, isWaiting, type UnfinishedWork } from '../../domain/calls/call.ts';
import { type CallStatus, openStatuses } from '../../domain/calls/call-status.ts';
import type { Ending } from '../../domain/calls/ending.ts';
import { phoneKeyOf } from '../../domain/calls/phone-key.ts';
import type { UnfinishedCall } from '../../domain/calls/recovery/unfinished-call.ts';
import { isErased } from '../../domain/calls/retention/erased-item.ts';
import { callExpiry } from '../../domain/calls/retention/kept-files.ts';
import {
  placeAt,
  type WaitingClass,
  waitingPlaceAttributes,
  waitingPlaceOf,
} from '../../domain/calls/slots/waiting-place.ts';
import { mayBeId } from '../../domain/ids.ts';
import type { Shown } from '../../domain/newer-values.ts';
import { conditionalTable, type IfRefused } from '../dynamodb/conditional-table.ts';
import { type Page, query, readAll, readItem, readPage } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import type { Condition, ItemChange } from '../dynamodb/update.ts';
import { callAnalysis } from './call-analysis.ts';
import { callAttempts } from './call-attempts.ts';
import {
  asRead,
  claimedAt,
  exists,
  isErasedItem,
  isKnownAs,
  leadAsRead,
  mayBeKnownAs,
  oneOf,
  reservedAt,
  scheduledFor,
  unclaimed,
  waiting,
} from './call-conditions.ts';
import { callItem, parseCall, parseToShow, parseToShowUnlessErased, parseUnlessErased } from './call-item.ts';
import { callLeads } from './call-leads.ts';
import { callMarks } from './call-marks.ts';
import { callPlaces } from './call-places.ts';

export type CallStore = ReturnType<typeof callStore>;

export const callIndexes = {
  byOrg: 'by-org',
  byPhone: 'by-phone',
  unfinished: 'unfinished',
  waiting: 'waiting',
} as const;

/** A position in the list of an organization's calls. */
export type CallPosition = Pick<Call, 'call_id' | 'created_at'>;

type CallRange = { from?: string; to?: string; limit: number; before?: CallPosition };

/** A position in the index of unfinished calls. */
export type UnfinishedPosition = Pick<UnfinishedCall, 'call_id' | 'dial_by'>;

/** The open statuses except `scheduled`: only in these can a call hold slots or credit. */
const openUnscheduledStatuses = openStatuses.filter((status) => status !== 'scheduled');

const recordingPending: Condition = { expression: 'recording.#state = :pending', values: { pending: 'pending' } };

/**
 * Accesses the Calls table. Every write is conditional on the state that it expects, so a repeated write is a no-op.
 */
export function callStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const makeWrite = (callId: string, change: ItemChange, conditions: Condition[], ifRefused?: IfRefused): Write =>
    writes.update({ call_id: callId }, change, [exists, ...conditions], ifRefused);
  const tryWrite = (callId: string, change: ItemChange, conditions: Condition[]): Promise<boolean> =>
    writes.tryUpdate({ call_id: callId }, change, [exists, ...conditions]);
  const tryWriteErased = (callId: string, change: ItemChange, conditions: Condition[]): Promise<boolean> =>
    writes.tryUpdate({ call_id: callId }, change, [isErasedItem, ...conditions]);

  const read = async <T>(callId: string, parse: (item: Item) => T | undefined): Promise<T | undefined> => {
    if (!mayBeId(callId)) return undefined;
    const item = await readItem(db, table, { call_id: callId });
    return item && parse(item);
  };
  const page = <T>(
    orgId: string,
    { from = '0', to = '9999', limit, before }: CallRange,
    parse: (item: Item) => T,
  ): Promise<Page<T, CallPosition>> =>
    readPage(
      db,
      {
        TableName: table,
        IndexName: callIndexes.byOrg,
        KeyConditionExpression: 'org_id = :org AND created_at BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': to },
        ScanIndexForward: false,
        Limit: limit,
        ...(before && {
          ExclusiveStartKey: { org_id: orgId, created_at: before.created_at, call_id: before.call_id },
        }),
      },
      parse,
    );

  return {
    parse: parseCall,

    parseToShow,

    /** Reads consistently. An erased call no longer exists. @throws for a call with a value of a newer version */
    get: (callId: string): Promise<Call | undefined> => read(callId, parseUnlessErased),

    /** Distinguishes an erased call from one that never existed. Otherwise like `get`. */
    getOrErased: (callId: string): Promise<Call | 'erased' | undefined> =>
      read(callId, (item) => (isErased(item) ? 'erased' : parseCall(item))),

    /** Reads a call that is only shown, even with a value of a newer version. Otherwise like `get`. */
    getToShow: (callId: string): Promise<Shown<Call> | undefined> => read(callId, parseToShowUnlessErased),

    /** Distinguishes an erased call from one that never existed. Otherwise like `getToShow`. */
    getToShowOrErased: (callId: string): Promise<Shown<Call> | 'erased' | undefined> =>
      read(callId, (item) => (isErased(item) ? 'erased' : parseToShow(item))),

    /** Returns the organization of an erased call, or of one whose erasure has begun. Reads consistently. */
    erasedOf: (callId: string): Promise<string | undefined> =>
      read(callId, (item) => (isErased(item) ? String(item.erased_of) : undefined)),

    /** Returns when a person canceled the call of a lead that was erased since. Reads consistently. */
    erasedCancelation: (callId: string): Promise<string | undefined> =>
      read(callId, ({ canceled_at }) => (canceled_at === undefined ? undefined : String(canceled_at))),

    /** Lists calls of an organization that are only shown, newest first. The index may be a few seconds old. */
    listOfOrg: (orgId: string, { limit, status }: { limit: number; status?: CallStatus }): Promise<Shown<Call>[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ...(status && { FilterExpression: '#status = :status', ExpressionAttributeNames: { '#status': 'status' } }),
          ExpressionAttributeValues: { ':org': orgId, ...(status && { ':status': status }) },
          ScanIndexForward: false,
        }),
        parseToShow,
        limit,
      ),

    /**
     * Reads a page of an organization's calls, newest first. The index may be a few seconds old.
     * @param range `from` and `to` in ISO 8601, both inclusive; `before`, the last call of the previous page
     * @throws if a call has a value of a newer version
     */
    pageOfOrg: (orgId: string, range: CallRange): Promise<Page<Call, CallPosition>> => page(orgId, range, parseCall),

    /** Reads a page of calls that are only shown, even with values of a newer version. Otherwise like `pageOfOrg`. */
    pageToShow: (orgId: string, range: CallRange): Promise<Page<Shown<Call>, CallPosition>> =>
      page(orgId, range, parseToShow),

    /** Returns those of the calls whose hold the ledger lacks (docs/call-lifecycle.md, "Money"). Reads consistently. */
    async unentered(callIds: readonly string[]): Promise<Set<string>> {
      const keys = callIds.map((call_id) => ({ call_id }));
      const options = { ProjectionExpression: 'call_id, hold_unentered', ConsistentRead: true };
      const items = await readByKeys(db, table, keys, options);
      return new Set(items.filter((item) => item.hold_unentered).map((item) => String(item.call_id)));
    },

    /**
     * Yields the calls that need this work, the earliest `dial_by` first; with `connectionId`, only calls of its leads,
     * and with `after`, only calls after this position. The index may be a few seconds old.
     */
    unfinished: (
      work: UnfinishedWork,
      { connectionId, after }: { connectionId?: string; after?: UnfinishedPosition | undefined } = {},
    ): AsyncGenerator<UnfinishedCall> =>
      query(db, {
        TableName: table,
        IndexName: callIndexes.unfinished,
        KeyConditionExpression: 'unfinished = :work',
        ...(connectionId !== undefined && { FilterExpression: 'connection_id = :connection' }),
        ...(after && { ExclusiveStartKey: { unfinished: work, dial_by: after.dial_by, call_id: after.call_id } }),
        ExpressionAttributeValues: {
          ':work': work,
          ...(connectionId !== undefined && { ':connection': connectionId }),
        },
      }) as AsyncGenerator<UnfinishedCall>,

    /**
     * Reads the ids of the calls of an organization that wait for a slot and may be dialed now, in their order. The
     * index may be a few seconds old.
     * @param now ISO 8601
     * @param most the maximum number of calls to read
     */
    waitingOfOrg: (orgId: string, of: WaitingClass, now: string, most: number): Promise<string[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.waiting,
          KeyConditionExpression: 'waiting_org = :org AND waiting_turn BETWEEN :first AND :last',
          ExpressionAttributeValues: { ':org': orgId, ':first': placeAt(of, ''), ':last': placeAt(of, now) },
          Limit: most,
        }),
        ({ call_id }) => String(call_id),
        most,
      ),

    /** Writes the number of a call in canonical spelling. Refused if the call has changed since it was read. */
    respelling: ({ call_id, org_id, phone_number: former, progress_at }: Call, phone: string): Write =>
      makeWrite(call_id, { set: { phone_number: phone, org_phone: phoneKeyOf({ org_id, phone_number: phone }) } }, [
        { expression: 'phone_number = :former AND progress_at = :progress', values: { former, progress: progress_at } },
      ]),

    /** Creates a call. Refused, with the stored call, if the id is taken. */
    creation: (call: Call): Write =>
      writes.put(callItem(call), [{ expression: 'attribute_not_exists(call_id)' }], 'ALL_OLD'),

    /** Queues a scheduled call. Refused if it was scheduled for another time since it was read. */
    releasing: (
      call: Call,
      now: string,
      set: Pick<Call, 'phone_number' | 'assistant_id' | 'assistant_name' | 'rate' | 'max_duration_seconds' | 'held'> &
        Pick<Call, 'holds' | 'dial_by' | 'dial_after' | 'claims_day' | 'lead'>,
    ): Write =>
      makeWrite(
        call.call_id,
        {
          set: {
            ...set,
            status: 'queued',
            unfinished: 'waiting',
            progress_at: now,
            org_phone: phoneKeyOf({ ...call, ...set }),
            ...waitingPlaceOf(call, set.dial_after),
          },
        },
        [scheduledFor(call.scheduled_for), leadAsRead(call)],
      ),

    /** Moves a scheduled or waiting call to a later opening of its call window. */
    postponing: (
      call: Call,
      now: string,
      set: { scheduled_for: string } & Pick<Call, 'dial_by' | 'dial_after' | 'claims_day' | 'phone_number' | 'lead'>,
    ): Write =>
      makeWrite(
        call.call_id,
        {
          set: {
            ...set,
            org_phone: phoneKeyOf({ ...call, ...set }),
            status: 'scheduled',
            unfinished: 'scheduled',
            held: 0,
            holds: call.holds ?? 1,
            progress_at: now,
          },
          add: { postponements: 1 },
          remove: ['absent_since', 'slots', 'slots_at', 'reserved_at', 'spend', ...waitingPlaceAttributes],
        },
        [
          ...(call.status === 'scheduled'
            ? [scheduledFor(call.scheduled_for)]
            : [waiting, reservedAt(call.reserved_at)]),
          asRead(call),
          leadAsRead(call),
        ],
      ),

    /**
     * Ends the call. Refused if the call
     * - has ended,
     * - has another hold, number, dial claim, reservation, schedule or platform id than when it was read, or
     * - has not been dialed, and a newer event of its lead has confirmed it.
     * @param end.cost in units
     * @param usageDay the IST day to whose usage the same transaction adds the end
     */
    ending: (
      call: Call,
      end: Ending & {
        cost: number;
        beyondHold: number;
        platformId?: string;
        transcriptKey?: string;
        linesKey?: string;
      },
      { now, usageDay }: { now: string; usageDay: string },
    ): Write =>
      makeWrite(
        call.call_id,
        {
          set: {
            status: end.status,
            ended_reason: end.ended_reason,
            started_at: end.started_at,
            ended_at: end.ended_at,
            duration: end.duration,
            cost: end.cost,
            beyond_hold: end.beyondHold > 0 ? end.beyondHold : undefined,
            usage_day: usageDay,
            platform_id: end.platformId,
            transcript_key: end.transcriptKey,
            lines_key: end.linesKey,
            recording: { state: end.duration > 0 ? 'pending' : 'none' },
            analysis: analysisAtEnd(end, end.transcriptKey !== undefined),
            unfinished: 'ended',
            progress_at: now,
            expires_at: callExpiry(call.keep, now),
          },
          remove: ['hold_unentered', 'slots', 'slots_at', 'reserved_at', 'absent_since', ...waitingPlaceAttributes],
        },
        [
          asRead(call),
          call.status === 'scheduled' ? scheduledFor(call.scheduled_for) : oneOf('status', openUnscheduledStatuses),
          call.dial_claimed_at ? claimedAt(call.dial_claimed_at) : unclaimed,
          reservedAt(call.reserved_at),
          ...(isWaiting(call) || call.status === 'scheduled' ? [leadAsRead(call)] : []),
          end.platformId ? mayBeKnownAs(end.platformId) : isKnownAs(call.platform_id),
        ],
      ),

    /**
     * Records a person's request to end the call at the platform. Refused if the call has ended, its end was already
     * requested, or its platform id has changed since it was read.
     */
    notingStop: ({ call_id, platform_id }: Call, now: string): Write =>
      makeWrite(call_id, { set: { stop_asked_at: now } }, [
        oneOf('status', openUnscheduledStatuses),
        isKnownAs(platform_id),
        { expression: 'attribute_not_exists(stop_asked_at)' },
      ]),

    /** Claims the next try at the recording. @returns false if another worker has claimed it, or it is not due */
    claimRecording: (callId: string, { now, next }: { now: string; next: string }) =>
      tryWrite(callId, { set: { recording_after: next, progress_at: now } }, [
        recordingPending,
        { expression: 'attribute_not_exists(recording_after) OR recording_after <= :now', values: { now } },
      ]),

    /** Records the outcome of the recording. @returns false if it is already settled */
    recordRecording: (callId: string, recording: NonNullable<Call['recording']>, now: string) =>
      tryWrite(callId, { set: { recording: { ...recording, at: now } }, remove: ['recording_after'] }, [
        recordingPending,
      ]),

    ...callAttempts(tryWrite, makeWrite, tryWriteErased),
    ...callAnalysis(makeWrite, tryWrite),
    ...callMarks(tryWrite, makeWrite),
    ...callPlaces(read, makeWrite),
    ...callLeads(db, table, callIndexes.unfinished, makeWrite),
  };
}
