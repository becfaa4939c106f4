import { secondsAfter, secondsBetween } from '../../time/instants.ts';
import { LOOKUPS_APART_SECONDS } from '../absence.ts';
import { type Call, mustNotRing, type RingStops } from '../call.ts';
import { HUNG_UP_SECONDS } from '../recovery/recovery.ts';
import type { EndReport, PlatformMessage } from './platform-message.ts';
import { withCredibleEnd } from './reported-times.ts';

/** Tolerates a difference between the platform's clock and ours. */
const LOOK_BACK_SECONDS = 60;

/**
 * The platform's call cannot be created later than this after the claim: dial-call has 40 s, a gateway of the platform
 * one minute, and the clocks may differ by one minute.
 */
const LOOK_AHEAD_SECONDS = 3 * 60;

/** An open call counts as lost this long after its latest possible end, even if the platform disagrees. */
const LOST_AFTER_SECONDS = 60 * 60;

/** Returns the time span in which the platform created the call of an attempt, if it did. */
export const lookupWindow = (claimedAt: string, now: Date): { from: Date; to: Date } => ({
  from: new Date(secondsAfter(claimedAt, -LOOK_BACK_SECONDS)),
  to: new Date(Math.min(now.getTime(), Date.parse(secondsAfter(claimedAt, LOOK_AHEAD_SECONDS)))),
});

/** The result of a lookup of an attempt. `absent` only after a complete lookup. */
type Found = { kind: 'found'; platformId: string } | { kind: 'absent'; as_of: string } | { kind: 'unknown' };

export type UnknownDialStep =
  | { kind: 'read_record'; platformId: string }
  /** The next run repeats the lookup. */
  | { kind: 'wait' }
  | { kind: 'note_absence'; as_of: string }
  | { kind: 'give_back' }
  | { kind: 'withdraw' }
  | { kind: 'end_as_lost' };

/** The attributes that set the deadline of a call. */
type Deadline = Pick<
  Call,
  'status' | 'dial_claimed_at' | 'progress_at' | 'max_duration_seconds' | 'dial_by' | 'queued_at_platform'
>;

/**
 * Decides how to settle a dial with an unknown outcome, without ever dialing blindly. The first proved absence gives
 * the dial claim back, the second ends the call. Without a proof, the deadline ends it.
 */
export function decideUnknownDial(
  call: Deadline & Pick<Call, 'absent_since' | 'absences'>,
  found: Found,
  now: Date,
): UnknownDialStep {
  const { absent_since, absences = 0 } = call;
  if (found.kind === 'unknown') return isLost(call, now) ? { kind: 'end_as_lost' } : { kind: 'wait' };
  if (found.kind === 'found') return { kind: 'read_record', platformId: found.platformId };
  const { as_of } = found;
  if (!absent_since) return { kind: 'note_absence', as_of };
  // `as_of` is the time of the listing, which all calls of one run share, so it may be earlier than `now`.
  if (secondsBetween(absent_since, as_of) < LOOKUPS_APART_SECONDS) return { kind: 'wait' };
  return absences === 0 ? { kind: 'give_back' } : { kind: 'withdraw' };
}

/** The content of the platform's own record of a call. */
type PlatformRecord = { kind: 'known'; message: PlatformMessage } | { kind: 'not_found' } | { kind: 'unknown' };

export type RecordStep =
  /** The record replaces the missing message. */
  | { kind: 'apply'; message: PlatformMessage }
  /** The report or the next run settles it. */
  | { kind: 'wait' }
  /** The platform has it queued, which moves its deadline. */
  | { kind: 'note_queued'; message: PlatformMessage }
  /** The platform still has it queued. */
  | { kind: 'stay_queued' }
  | { kind: 'end_queued'; message: PlatformMessage }
  | { kind: 'end_as_lost' };

/**
 * Decides the effect of the platform's record on a call whose messages are missing. After the deadline, only a record
 * with an end counts: any other record could hold the line and the credit forever. A queued call has its own deadline.
 */
export function decideFromRecord(
  call: Deadline & RingStops & Pick<Call, 'created_at' | 'answered_at' | 'hung_up_at' | 'platform_id'>,
  record: PlatformRecord,
  now: Date,
): RecordStep {
  if (record.kind === 'known' && isQueued(call, record.message)) return decideQueued(call, record.message, now);
  const isOver = isLost(call, now);
  if (record.kind === 'known' && record.message.kind === 'report') {
    const mayWait = !isOver && mayLackTranscript(withCredibleEnd(call, record.message, now), now);
    return mayWait ? { kind: 'wait' } : { kind: 'apply', message: record.message };
  }
  if (isOver) return { kind: 'end_as_lost' };
  return record.kind === 'known' ? { kind: 'apply', message: record.message } : { kind: 'wait' };
}

function decideQueued(
  call: Deadline & RingStops & Pick<Call, 'platform_id'>,
  message: PlatformMessage,
  now: Date,
): Exclude<RecordStep, { kind: 'apply' }> {
  const queued_at_platform = call.queued_at_platform ?? call.progress_at;
  if (isLost({ ...call, queued_at_platform }, now)) return { kind: 'end_as_lost' };
  if (isLate(call, now) || mustNotRing(call)) return { kind: 'end_queued', message };
  return call.platform_id && call.queued_at_platform ? { kind: 'stay_queued' } : { kind: 'note_queued', message };
}

/** Returns whether the platform has a call queued, and no message has reported ringing. */
export const isQueued = (call: Pick<Call, 'status'>, record: PlatformMessage): boolean =>
  record.kind === 'progress' && record.status === 'dialing' && call.status === 'dialing';

const isLate = ({ dial_by }: Pick<Call, 'dial_by'>, now: Date): boolean => dial_by <= now.toISOString();

/**
 * Returns whether an open call has passed its deadline: its longest duration and an hour after its dial claim. A call
 * that the platform has queued may begin to ring until its `dial_by`, so it has at least an hour after that, and its
 * duration counts from its ring.
 */
export function isLost(call: Deadline, now: Date): boolean {
  const { status, dial_claimed_at, progress_at, dial_by, queued_at_platform } = call;
  const hasRung = status !== 'dialing';
  const dialedAt = queued_at_platform && hasRung ? progress_at : (dial_claimed_at ?? progress_at);
  const isOver = secondsBetween(dialedAt, now) >= call.max_duration_seconds + LOST_AFTER_SECONDS;
  return isOver && (!queued_at_platform || hasRung || secondsBetween(dial_by, now) >= LOST_AFTER_SECONDS);
}

/** A record may be incomplete for some time after the end of its call. */
const mayLackTranscript = (report: EndReport, now: Date): boolean =>
  !report.is_end_estimated && secondsBetween(report.ended_at, now) < HUNG_UP_SECONDS;
