import { secondsAfter, secondsBetween } from '../time/instants.ts';
import { LOOKUPS_APART_SECONDS } from './absence.ts';
import type { Call } from './call.ts';
import type { EndReport, PlatformMessage } from './platform-message.ts';
import { HUNG_UP_SECONDS } from './recovery.ts';

/** Tolerates a difference between the platform's clock and ours. */
const LOOK_BACK_SECONDS = 60;

/**
 * The platform cannot create its call later after the claim: dial-call has 40 s, a gateway of the platform one minute,
 * and the clocks may differ by one minute.
 */
const LOOK_AHEAD_SECONDS = 3 * 60;

/** How long after its longest possible end an open call is lost, whatever the platform says. */
const LOST_AFTER_SECONDS = 60 * 60;

/** @returns the instants between which the platform has created the call of an attempt, if it has. */
export const lookupWindow = (claimedAt: string, now: Date): { from: Date; to: Date } => ({
  from: new Date(secondsAfter(claimedAt, -LOOK_BACK_SECONDS)),
  to: new Date(Math.min(now.getTime(), Date.parse(secondsAfter(claimedAt, LOOK_AHEAD_SECONDS)))),
});

/** What a lookup of an attempt found. `absent` only after a complete lookup. */
type Found = { kind: 'found'; platformId: string } | { kind: 'absent'; as_of: string } | { kind: 'unknown' };

export type UnknownDialStep =
  | { kind: 'read_record'; platformId: string }
  /** The next run looks again. */
  | { kind: 'wait' }
  | { kind: 'note_absence'; as_of: string }
  | { kind: 'give_back' }
  | { kind: 'withdraw' }
  | { kind: 'end_as_lost' };

/** The attributes that set the deadline of a call. */
type Deadline = Pick<Call, 'dial_claimed_at' | 'progress_at' | 'max_duration_seconds'>;

/**
 * Settles a dial with an unknown outcome, without ever dialing blindly. The first proved absence gives the dial claim
 * back, the second ends the call. Without any proof, the deadline ends it.
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
  // By the time of the listing: calls of one run share it, so it may be older than this step.
  if (secondsBetween(absent_since, as_of) < LOOKUPS_APART_SECONDS) return { kind: 'wait' };
  return absences === 0 ? { kind: 'give_back' } : { kind: 'withdraw' };
}

/** What the platform's own record of a call says. */
type PlatformRecord = { kind: 'known'; message: PlatformMessage } | { kind: 'not_found' } | { kind: 'unknown' };

export type RecordStep =
  /** The record replaces the message that did not come. */
  | { kind: 'apply'; message: PlatformMessage }
  /** The report or the next run settles it. */
  | { kind: 'wait' }
  | { kind: 'end_queued' }
  | { kind: 'end_as_lost' };

/**
 * Decides what the platform's record means for a call whose messages did not come. After the deadline only a record
 * with an end counts: any other one would hold the line and the credit forever.
 */
export function decideFromRecord(
  call: Deadline & Pick<Call, 'hung_up_at' | 'status' | 'dial_by'>,
  record: PlatformRecord,
  now: Date,
): RecordStep {
  const isOver = isLost(call, now);
  if (record.kind === 'known' && record.message.kind === 'report') {
    const message = withReportedEnd(call, record.message);
    return !isOver && mayLackTranscript(message, now) ? { kind: 'wait' } : { kind: 'apply', message };
  }
  if (isOver) return { kind: 'end_as_lost' };
  if (record.kind !== 'known') return { kind: 'wait' };
  const { message } = record;
  return isLateAndQueued(call, message, now) ? { kind: 'end_queued' } : { kind: 'apply', message };
}

/** Whether the platform still has a call queued at its `dial_by`: its phone could ring outside the call window. */
export const isLateAndQueued = (call: Pick<Call, 'status' | 'dial_by'>, record: PlatformMessage, now: Date): boolean =>
  record.kind === 'progress' &&
  record.status === 'dialing' &&
  call.status === 'dialing' &&
  call.dial_by <= now.toISOString();

/** Whether an open call has passed its deadline: the longest duration and an hour after its dial claim. */
export const isLost = (call: Deadline, now: Date): boolean =>
  secondsBetween(call.dial_claimed_at ?? call.progress_at, now) >= call.max_duration_seconds + LOST_AFTER_SECONDS;

/** Uses the reported hang-up where the record has no end, so that no customer pays for the time until this run. */
const withReportedEnd = ({ hung_up_at }: Pick<Call, 'hung_up_at'>, report: EndReport): EndReport =>
  report.is_end_estimated && hung_up_at ? { ...report, ended_at: hung_up_at } : report;

/** A record may be incomplete for some time after the end of its call. */
const mayLackTranscript = (report: EndReport, now: Date): boolean =>
  !report.is_end_estimated && secondsBetween(report.ended_at, now) < HUNG_UP_SECONDS;
