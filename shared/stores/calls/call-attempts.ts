import type { Call, LeadCall, LeadStop } from '../../domain/calls/call.ts';
import { mayBecome, openStatuses, statusesBelow } from '../../domain/calls/call-status.ts';
import { waitingPlaceAttributes, waitingPlaceOf } from '../../domain/calls/slots/waiting-place.ts';
import type { Write } from '../dynamodb/transaction.ts';
import {
  asRead,
  claimedAt,
  isKnownAs,
  isUnknownAs,
  leadAsRead,
  type MakeWrite,
  mayBeKnownAs,
  oneOf,
  reservedAt,
  scheduledFor,
  stopAsRead,
  type TryWrite,
  waiting,
} from './call-conditions.ts';

/** The right to dial a call once. Every later write about the attempt is conditional on it. */
export type DialClaim = { callId: string; claimedAt: string };

/** A dialed call whose phone, by the platform's reports, has not rung yet. */
type DialedCall = Pick<Call, 'call_id' | 'platform_id'> & { dial_claimed_at: string };

const stillDialed = ({ dial_claimed_at, platform_id }: DialedCall) => [
  oneOf('status', ['dialing']),
  claimedAt(dial_claimed_at),
  isKnownAs(platform_id),
];

const dialedStatuses = openStatuses.filter((status) => !mayBecome(status, 'dialing'));

/**
 * Far more than a call ever has. Each of these ids counts `DoubleDial`, except the first one of a dial whose answer was
 * lost.
 */
const MAX_SECOND_IDS = 100;

/** Writes to the Calls table about dial attempts and their progress at the platform. */
export function callAttempts(tryWrite: TryWrite, makeWrite: MakeWrite, tryWriteErased: TryWrite) {
  return {
    /**
     * Reserves slots for the dial of a waiting call.
     * @param slots scopes of the slot counters that the same transaction increments.
     */
    reserving: (callId: string, slots: string[], now: string): Write =>
      makeWrite(
        callId,
        {
          set: { slots, slots_at: now, reserved_at: now, unfinished: 'reserved', progress_at: now },
          remove: waitingPlaceAttributes,
        },
        [waiting, reservedAt(undefined), { expression: 'dial_after <= :now', values: { now } }],
      ),

    /**
     * Removes a reservation, so that the call waits for a slot again. The same transaction decrements the counters.
     * @param dialAfter the call's new place; by default its former one.
     * @param notedOn the IST day on which it met a daily spend limit.
     */
    givingBackReservation: (
      call: Pick<Call, 'call_id' | 'reserved_at' | 'org_id' | 'lead' | 'dial_after'>,
      now: string,
      dialAfter = call.dial_after,
      notedOn?: string,
    ) =>
      makeWrite(
        call.call_id,
        {
          set: {
            dial_after: dialAfter,
            unfinished: 'waiting',
            progress_at: now,
            spend_told_on: notedOn,
            ...waitingPlaceOf(call, dialAfter),
          },
          remove: ['slots', 'slots_at', 'reserved_at'],
        },
        [waiting, reservedAt(call.reserved_at)],
      ),

    /**
     * Claims the dial of a waiting call that may be dialed now.
     * @param call as read, with reserved slots
     * @param otherChanges the calling number, and the attributes that the transaction's other writes determine: the day
     * of the day claims, the hold, and the day of the spend.
     */
    claim: (
      claim: DialClaim,
      call: Pick<Call, 'held' | 'phone_number'> & { reserved_at: string },
      otherChanges: {
        [Name in 'claims_day' | 'held' | 'holds' | 'spend' | 'calling_number']?: Call[Name] | undefined;
      } = {},
    ): Write =>
      makeWrite(
        claim.callId,
        {
          set: {
            status: 'dialing',
            dial_claimed_at: claim.claimedAt,
            ...otherChanges,
            unfinished: 'claimed',
            progress_at: claim.claimedAt,
          },
          add: { attempts: 1 },
          // The reasons that stopped a former attempt were checked again before this claim.
          remove: ['absent_since', 'reserved_at', 'lead_stop', 'switched_off_at'],
        },
        [
          waiting,
          reservedAt(call.reserved_at),
          asRead(call),
          { expression: 'dial_by > :now AND dial_after <= :now', values: { now: claim.claimedAt } },
        ],
      ),

    /**
     * Stores the platform's id of an attempt, and whether the platform has it queued.
     * @returns false if the call has ended, has another id, or no longer has this claim
     */
    recordAccepted: (
      claim: DialClaim,
      { platformId, isQueued }: { platformId: string; isQueued: boolean },
      now: string,
    ) =>
      tryWrite(
        claim.callId,
        { set: { platform_id: platformId, progress_at: now, queued_at_platform: isQueued ? now : undefined } },
        [oneOf('status', openStatuses), claimedAt(claim.claimedAt), mayBeKnownAs(platformId)],
      ),

    /**
     * Records that the platform has an attempt queued. @returns false if this is recorded already, or the call has rung
     */
    noteQueued: (claim: DialClaim, platformId: string, now: string) =>
      tryWrite(claim.callId, { set: { queued_at_platform: now } }, [
        oneOf('status', ['dialing']),
        claimedAt(claim.claimedAt),
        isKnownAs(platformId),
        { expression: 'attribute_not_exists(queued_at_platform)' },
      ]),

    /** Records that the end of a queued call is requested from the platform. @returns false if it has rung */
    noteCancel: (claim: DialClaim, platformId: string, now: string) =>
      tryWrite(claim.callId, { set: { cancel_asked_at: now } }, [
        oneOf('status', ['dialing']),
        claimedAt(claim.claimedAt),
        isKnownAs(platformId),
      ]),

    /**
     * Records why the lead of a dialed call must not be called.
     * @param call as read, with its claim
     * @returns false if it has changed since, such as by its ring, or a newer stop is stored
     */
    noteLeadStop: (call: DialedCall, stop: LeadStop) =>
      tryWrite(call.call_id, { set: { lead_stop: stop } }, [
        ...stillDialed(call),
        {
          expression: 'attribute_not_exists(lead_stop) OR lead_stop.read_at <= :read_at',
          values: { read_at: stop.read_at },
        },
      ]),

    /** Records that the connection of a dialed call was switched off. @returns false if the call has changed since */
    noteSwitchOff: (call: DialedCall, now: string) =>
      tryWrite(call.call_id, { set: { switched_off_at: now } }, stillDialed(call)),

    /**
     * Records on a scheduled call, or on one that does not ring yet, that a newer event of its lead fits, too.
     * @param call as read @param fitsAt the time of the newer event's lead, ISO 8601
     * @returns false if the call has changed since
     */
    confirmLead: (call: LeadCall, fitsAt: string) =>
      tryWrite(call.call_id, { set: { lead: { ...call.lead, fits_at: fitsAt } } }, [
        call.status === 'scheduled' ? scheduledFor(call.scheduled_for) : oneOf('status', ['queued', 'dialing']),
        asRead(call),
        leadAsRead(call),
      ]),

    /**
     * Advances the status and stores the platform's id.
     * @param to.at when the call reached the status, by the platform's clock; absent if unknown
     */
    advance: (
      callId: string,
      { status, at }: { status: 'dialing' | 'ringing' | 'in_progress'; at?: string | undefined },
      platformId: string,
      now: string,
    ) =>
      tryWrite(
        callId,
        {
          set: {
            status,
            platform_id: platformId,
            unfinished: 'claimed',
            progress_at: now,
            ...(status === 'ringing' && { rang_at: at }),
            ...(status === 'in_progress' && { answered_at: at }),
          },
          remove: waitingPlaceAttributes,
        },
        [oneOf('status', statusesBelow(status)), mayBeKnownAs(platformId)],
      ),

    /** Stores the platform's id of a call that is `dialing` or live without changing the status. */
    adopt: (callId: string, platformId: string, now: string) =>
      tryWrite(
        callId,
        { set: { platform_id: platformId, unfinished: 'claimed', progress_at: now }, remove: waitingPlaceAttributes },
        [oneOf('status', dialedStatuses), mayBeKnownAs(platformId)],
      ),

    /**
     * Records that the platform has ended a call, before its report. A call that was given back as absent and waits or
     * is scheduled becomes `dialing`: otherwise its release would queue it, and it could neither be dialed nor end.
     * @param call as read. @returns false if it has changed since
     */
    noteHangUp: (
      { call_id: callId, status }: Pick<Call, 'call_id' | 'status'>,
      platformId: string,
      hangUp: { at: string; reason: string },
      now: string,
    ) => {
      const isUndialed = mayBecome(status, 'dialing');
      return tryWrite(
        callId,
        {
          set: {
            ...(isUndialed && { status: 'dialing' }),
            hung_up_at: hangUp.at,
            ended_reason: hangUp.reason,
            platform_id: platformId,
            unfinished: 'claimed',
            progress_at: now,
          },
          remove: waitingPlaceAttributes,
        },
        [
          oneOf('status', isUndialed ? statusesBelow('dialing') : dialedStatuses),
          mayBeKnownAs(platformId),
          { expression: 'attribute_not_exists(hung_up_at)' },
        ],
      );
    },

    /**
     * Stores another id under which the platform has data of the call, so that an erasure deletes that data, too.
     * Changes nothing else: the call neither follows the id nor makes progress.
     * @returns false if the call has the id already, has `MAX_SECOND_IDS`, or is erased
     */
    noteSecond: (callId: string, platformId: string) =>
      tryWrite(callId, { add: { second_platform_ids: new Set([platformId]) } }, [
        isUnknownAs(platformId),
        {
          expression: 'attribute_not_exists(second_platform_ids) OR size(second_platform_ids) < :most',
          values: { most: MAX_SECOND_IDS },
        },
      ]),

    /**
     * Stores an id that the platform reveals after the call's erasure has begun, so that a repeat of the erasure
     * deletes the data under it.
     * @returns false if the call is not erased, has the id already, or has `MAX_SECOND_IDS`
     */
    noteLate: (callId: string, platformId: string) =>
      tryWriteErased(callId, { add: { late_platform_ids: new Set([platformId]) } }, [
        {
          expression:
            'NOT contains(platform_ids, :platform_id) AND NOT contains(late_platform_ids, :platform_id) AND (attribute_not_exists(late_platform_ids) OR size(late_platform_ids) < :most)',
          values: { platform_id: platformId, most: MAX_SECOND_IDS },
        },
      ]),

    /** Records the first complete lookup at the platform that did not find the attempt. */
    noteAbsence: (claim: DialClaim, now: string) =>
      tryWrite(claim.callId, { set: { absent_since: now } }, [
        claimedAt(claim.claimedAt),
        { expression: 'attribute_not_exists(absent_since) AND attribute_not_exists(platform_id)' },
      ]),

    /**
     * Removes the dial claim, so that the call waits again. Refused if a person has stopped the call since it was read.
     * @param attempt.platformId if the platform had accepted it
     * @param attempt.isReleased whether the transaction releases its hold and its spend
     */
    givingBack: (
      call: Pick<Call, 'call_id' | 'org_id' | 'lead' | 'stop_asked_at' | 'holds'> & { dial_claimed_at: string },
      attempt: { dialAfter: string; platformId?: string; absent: boolean; isReleased: boolean },
      now: string,
    ): Write =>
      makeWrite(
        call.call_id,
        {
          set: {
            dial_after: attempt.dialAfter,
            unfinished: 'waiting',
            progress_at: now,
            ...waitingPlaceOf(call, attempt.dialAfter),
            ...(attempt.isReleased && { held: 0, holds: call.holds ?? 1 }),
          },
          add: {
            ...(attempt.platformId && { former_platform_ids: new Set([attempt.platformId]) }),
            ...(attempt.absent && { absences: 1 }),
          },
          remove: [
            'dial_claimed_at',
            'slots',
            'slots_at',
            'platform_id',
            'queued_at_platform',
            'hung_up_at',
            'cancel_asked_at',
            'ended_reason',
            'absent_since',
            ...(attempt.isReleased ? ['spend'] : []),
          ],
        },
        [
          { expression: '#status = :dialing', values: { dialing: 'dialing' } },
          claimedAt(call.dial_claimed_at),
          stopAsRead(call),
          attempt.platformId ? mayBeKnownAs(attempt.platformId) : isKnownAs(undefined),
        ],
      ),
  };
}
