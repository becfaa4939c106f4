import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { analysisAtEnd } from '../../domain/calls/analysis.ts';
import { type Call, callSchema, type UnfinishedWork } from '../../domain/calls/call.ts';
import { type CallStatus, openStatuses, statusesBelow } from '../../domain/calls/call-status.ts';
import type { Ending } from '../../domain/calls/platform-message.ts';
import { mayBeId } from '../../domain/ids.ts';
import { tookPlace } from '../dynamodb/conditional-write.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Change, type Condition, updateExpression } from '../dynamodb/update.ts';
import { callAnalysis, parseAnalysis, storedAnalysis } from './call-analysis.ts';
import { callMarks } from './call-marks.ts';

export type CallStore = ReturnType<typeof callStore>;

/** The right to dial one call once: what every later write about this attempt is conditional on. */
export type DialClaim = { callId: string; claimedAt: string };

/** What the index of unfinished calls tells of a call; it may be some seconds old. */
export type UnfinishedCall = Pick<
  Call,
  | 'call_id'
  | 'org_id'
  | 'status'
  | 'created_at'
  | 'progress_at'
  | 'scheduled_for'
  | 'dial_by'
  | 'dial_after'
  | 'dial_claimed_at'
  | 'platform_id'
  | 'hung_up_at'
  | 'finished_at'
  | 'callback_status'
  | 'crm_b_sync'
  | 'crm_b_sync_after'
  | 'ticket_work'
  | 'ticket_after'
> & {
  /** Of the lead that it is for. */
  connection_id?: string;
};

/** The indexes of the Calls table; the infrastructure makes them under these names. */
export const callIndexes = { byOrg: 'by-org', unfinished: 'unfinished' } as const;

/** The Calls table. Every write is conditional on what it expects, so a repeat is a no-op. */
export function callStore(db: DynamoDBDocumentClient, table: string) {
  const write = (callId: string, change: Change, conditions: Condition[], ifRefused?: 'NONE'): Write => ({
    Update: {
      TableName: table,
      Key: { call_id: callId },
      ...updateExpression(change, [exists, ...conditions]),
      ReturnValuesOnConditionCheckFailure: ifRefused ?? 'ALL_OLD',
    },
  });

  /** @returns whether the write took place. */
  const tryWrite = (callId: string, change: Change, conditions: Condition[]) => {
    const { Update } = write(callId, change, conditions);
    return tookPlace(db.send(new UpdateCommand(Update as NonNullable<typeof Update>)));
  };

  return {
    parse: parseCall,

    /** Reads consistently. @returns undefined where there is no such call. */
    async get(callId: string): Promise<Call | undefined> {
      if (!mayBeId(callId)) return undefined;
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { call_id: callId }, ConsistentRead: true }),
      );
      return Item && parseCall(Item);
    },

    /** Newest first. */
    listOfOrg: (orgId: string, { limit, status }: { limit: number; status?: CallStatus }): Promise<Call[]> =>
      readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org',
          ...(status && { FilterExpression: '#status = :status', ExpressionAttributeNames: { '#status': 'status' } }),
          ExpressionAttributeValues: { ':org': orgId, ...(status && { ':status': status }) },
          ScanIndexForward: false,
        }),
        parseCall,
        limit,
      ),

    /**
     * The calls that wait for this work, the earliest `dial_by` first, page after page.
     * @param connectionId only those of its leads.
     */
    unfinished: (work: UnfinishedWork, connectionId?: string): AsyncGenerator<UnfinishedCall> =>
      query(db, {
        TableName: table,
        IndexName: callIndexes.unfinished,
        KeyConditionExpression: 'unfinished = :work',
        ...(connectionId !== undefined && { FilterExpression: 'connection_id = :connection' }),
        ExpressionAttributeValues: {
          ':work': work,
          ...(connectionId !== undefined && { ':connection': connectionId }),
        },
      }) as AsyncGenerator<UnfinishedCall>,

    /** The call's creation; refused where the id is taken. */
    creation: (call: Call): Write => ({
      Put: {
        TableName: table,
        Item: {
          ...call,
          request_metadata: JSON.stringify(call.request_metadata),
          analysis: call.analysis && storedAnalysis(call.analysis),
          // For the index of unfinished calls, which knows no members of members.
          ...(call.lead && { connection_id: call.lead.connection_id }),
        },
        ConditionExpression: 'attribute_not_exists(call_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    }),

    /** A scheduled call's time has come: it waits for its dial. Refused where it was scheduled for another time meanwhile. */
    releasing: (
      { call_id, scheduled_for }: Call,
      now: string,
      set: Pick<Call, 'phone_number' | 'assistant_id' | 'assistant_name' | 'rate' | 'max_duration_seconds' | 'held'> &
        Pick<Call, 'holds' | 'dial_by' | 'dial_after' | 'claims_day' | 'lead'>,
    ): Write =>
      write(call_id, { set: { ...set, status: 'queued', unfinished: 'waiting', progress_at: now } }, [
        scheduledFor(scheduled_for),
      ]),

    /** A scheduled call, or one that waits for its dial in vain, waits for a later window. */
    postponing: (
      call: Call,
      now: string,
      set: { scheduled_for: string } & Pick<Call, 'dial_by' | 'dial_after' | 'claims_day' | 'phone_number' | 'lead'>,
    ): Write =>
      write(
        call.call_id,
        {
          set: {
            ...set,
            status: 'scheduled',
            unfinished: 'scheduled',
            held: 0,
            holds: call.holds ?? 1,
            progress_at: now,
          },
          add: { postponements: 1 },
          remove: ['absent_since'],
        },
        [call.status === 'scheduled' ? scheduledFor(call.scheduled_for) : waiting],
      ),

    /**
     * Takes the right to dial a waiting call before its `dial_by`.
     * @param slots the counters taken in the same transaction.
     * @param claimsDay where the lead's claims move to another day in it.
     */
    claim: ({ callId, claimedAt }: DialClaim, slots: string[], claimsDay?: string): Write =>
      write(
        callId,
        {
          set: {
            status: 'dialing',
            dial_claimed_at: claimedAt,
            slots,
            claims_day: claimsDay,
            unfinished: 'claimed',
            progress_at: claimedAt,
          },
          add: { attempts: 1 },
          remove: ['absent_since'],
        },
        [waiting, { expression: 'dial_by > :now AND dial_after <= :now', values: { now: claimedAt } }],
      ),

    /** Keeps the platform's id of an attempt, whatever the status is by now. @returns false where another one is known. */
    recordAccepted: ({ callId, claimedAt }: DialClaim, platformId: string, now: string) =>
      tryWrite(callId, { set: { platform_id: platformId, progress_at: now } }, [
        heldBy(claimedAt),
        knownAs(platformId),
      ]),

    /** Moves the call up to `status` and keeps the platform's id. */
    advance: (callId: string, status: 'dialing' | 'ringing' | 'in_progress', platformId: string, now: string) =>
      tryWrite(callId, { set: { status, platform_id: platformId, unfinished: 'claimed', progress_at: now } }, [
        oneOf('status', statusesBelow(status)),
        knownAs(platformId),
      ]),

    /** Keeps the platform's id of an open call, without moving it. */
    adopt: (callId: string, platformId: string, now: string) =>
      tryWrite(callId, { set: { platform_id: platformId, unfinished: 'claimed', progress_at: now } }, [
        oneOf('status', openStatuses),
        knownAs(platformId),
      ]),

    noteHangUp: (callId: string, platformId: string, hangUp: { at: string; reason: string }, now: string) =>
      tryWrite(
        callId,
        {
          set: {
            hung_up_at: hangUp.at,
            ended_reason: hangUp.reason,
            platform_id: platformId,
            unfinished: 'claimed',
            progress_at: now,
          },
        },
        [oneOf('status', openStatuses), knownAs(platformId), { expression: 'attribute_not_exists(hung_up_at)' }],
      ),

    /** First complete look at the platform that did not find the attempt. */
    noteAbsence: ({ callId, claimedAt }: DialClaim, now: string) =>
      tryWrite(callId, { set: { absent_since: now } }, [
        heldBy(claimedAt),
        { expression: 'attribute_not_exists(absent_since) AND attribute_not_exists(platform_id)' },
      ]),

    /** Gives the claim back, so that the call waits again. @param attempt.platformId where the platform had taken it. */
    givingBack: (
      { callId, claimedAt }: DialClaim,
      attempt: { dialAfter: string; platformId?: string; absent: boolean },
      now: string,
    ): Write =>
      write(
        callId,
        {
          set: { dial_after: attempt.dialAfter, unfinished: 'waiting', progress_at: now },
          add: {
            ...(attempt.platformId && { former_platform_ids: new Set([attempt.platformId]) }),
            ...(attempt.absent && { absences: 1 }),
          },
          remove: ['dial_claimed_at', 'slots', 'platform_id', 'hung_up_at', 'ended_reason', 'absent_since'],
        },
        [
          { expression: '#status = :dialing', values: { dialing: 'dialing' } },
          heldBy(claimedAt),
          attempt.platformId ? knownAs(attempt.platformId) : { expression: 'attribute_not_exists(platform_id)' },
        ],
      ),

    /**
     * The end of the call, as it was read: refused where it has ended or its claim changed since.
     * @param end.cost units.
     */
    ending: (
      call: Call,
      end: Ending & { cost: number; beyondHold: number; platformId?: string; transcriptKey?: string },
      now: string,
    ): Write =>
      write(
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
            platform_id: end.platformId,
            transcript_key: end.transcriptKey,
            recording: { state: end.duration > 0 ? 'pending' : 'none' },
            analysis: analysisAtEnd(end, end.transcriptKey !== undefined),
            unfinished: 'ended',
            progress_at: now,
          },
          remove: ['slots', 'absent_since'],
        },
        [
          // Else its credit is another one than was read.
          call.status === 'scheduled' ? scheduledFor(call.scheduled_for) : oneOf('status', dialableStatuses),
          call.dial_claimed_at ? heldBy(call.dial_claimed_at) : { expression: 'attribute_not_exists(dial_claimed_at)' },
          end.platformId ? knownAs(end.platformId) : sameId(call.platform_id),
        ],
      ),

    /** Takes the next look for the recording. @returns false where another worker has it or it is too early. */
    claimRecording: (callId: string, { now, next }: { now: string; next: string }) =>
      tryWrite(callId, { set: { recording_after: next, progress_at: now } }, [
        { expression: 'recording.#state = :pending', values: { pending: 'pending' } },
        {
          expression: 'attribute_not_exists(recording_after) OR recording_after <= :now',
          values: { now },
        },
      ]),

    recordRecording: (callId: string, recording: NonNullable<Call['recording']>) =>
      tryWrite(callId, { set: { recording }, remove: ['recording_after'] }, [
        { expression: 'recording.#state = :pending', values: { pending: 'pending' } },
      ]),

    ...callAnalysis(write, tryWrite),
    ...callMarks(tryWrite, write),
  };
}

/** Metadata is kept as JSON text: DynamoDB knows neither its depth nor its numbers. */
export const parseCall = (item: Item): Call =>
  callSchema.parse({
    ...item,
    request_metadata: JSON.parse(String(item.request_metadata)),
    analysis: parseAnalysis(item.analysis),
  });

const exists: Condition = { expression: 'attribute_exists(call_id)' };

const waiting: Condition = {
  expression:
    '#status IN (:queued, :dialing) AND attribute_not_exists(dial_claimed_at) AND attribute_not_exists(platform_id)',
  values: { queued: 'queued', dialing: 'dialing' },
};

const scheduledFor = (instant: string | undefined): Condition => ({
  expression: '#status = :scheduled AND scheduled_for = :instant',
  values: { scheduled: 'scheduled', instant },
});

/** Of calls that hold credit. */
const dialableStatuses = openStatuses.filter((status) => status !== 'scheduled');

const heldBy = (claimedAt: string): Condition => ({
  expression: 'dial_claimed_at = :claim',
  values: { claim: claimedAt },
});

/** The call has no platform id yet or this one, and it is not one of a former attempt. */
const knownAs = (platformId: string): Condition => ({
  expression:
    '(attribute_not_exists(platform_id) OR platform_id = :platform_id) AND NOT contains(former_platform_ids, :platform_id)',
  values: { platform_id: platformId },
});

const sameId = (platformId: string | undefined): Condition =>
  platformId
    ? { expression: 'platform_id = :platform_id', values: { platform_id: platformId } }
    : { expression: 'attribute_not_exists(platform_id)' };

function oneOf(attribute: string, values: readonly string[]): Condition {
  const named = Object.fromEntries(values.map((value) => [`is_${value}`, value]));
  return {
    expression: `#${attribute} IN (${Object.keys(named)
      .map((name) => `:${name}`)
      .join(', ')})`,
    values: named,
  };
}
