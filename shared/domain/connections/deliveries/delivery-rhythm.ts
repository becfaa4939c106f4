import { startOfIstDay } from '../../time/ist-day.ts';
import type { Connection } from '../connection.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const WEEKDAYS_SECONDS = 5 * DAY_SECONDS;

/** The beginning of a Monday in India. */
const MONDAY_MS = startOfIstDay('1970-01-05').getTime();

/** A connection that delivers around the clock is silent after a day. */
const SHORTEST_SILENCE_SECONDS = DAY_SECONDS;
/** Leads arrive at random. One random gap in 400 is three times as long as the time-weighted mean. */
const USUAL_GAPS = 3;
/** The span of the mean gap: two weeks. */
const MEMORY_SECONDS = 10 * DAY_SECONDS;
/** A connection observed for less time may have had only test deliveries. */
const KNOWN_AFTER_SECONDS = 3 * DAY_SECONDS;
const SILENCE_OF_UNKNOWN_SECONDS = 10 * DAY_SECONDS;

export type DeliveryRhythm = NonNullable<Connection['delivery_rhythm']>;

/** Returns the seconds between two instants without Saturdays and Sundays in India: few leads arrive on them. */
export const weekdaySecondsBetween = (from: string | Date, to: string | Date): number =>
  weekdaySecondsUntil(to) - weekdaySecondsUntil(from);

function weekdaySecondsUntil(instant: string | Date): number {
  const seconds = (new Date(instant).getTime() - MONDAY_MS) / 1_000;
  const weeks = Math.floor(seconds / WEEK_SECONDS);
  return weeks * WEEKDAYS_SECONDS + Math.min(seconds - weeks * WEEK_SECONDS, WEEKDAYS_SECONDS);
}

/**
 * Returns the rhythm of a connection after a delivery. The usual gap is the mean over time, not over deliveries: an
 * import of a thousand leads within minutes changes it by minutes. A silence counts only until it was noticed.
 * @returns undefined after the first delivery
 */
export function rhythmAfter(
  { last_delivery_at, delivery_rhythm }: Pick<Connection, 'last_delivery_at' | 'delivery_rhythm'>,
  at: string,
): DeliveryRhythm | undefined {
  if (last_delivery_at === undefined || last_delivery_at >= at) return delivery_rhythm;
  const gap = Math.min(weekdaySecondsBetween(last_delivery_at, at), silentAfter(delivery_rhythm));
  const { usual_gap, observed } = delivery_rhythm ?? { usual_gap: 0, observed: 0 };
  const remembered = Math.min(observed + gap, MEMORY_SECONDS);
  const weight = remembered === 0 ? 0 : Math.min(1, gap / remembered);
  return { usual_gap: Math.round(usual_gap + (gap - usual_gap) * weight), observed: Math.round(remembered) };
}

/** Returns the time without a delivery, in seconds of weekdays, after which a connection is silent. */
export function silentAfter(rhythm: DeliveryRhythm | undefined): number {
  return isKnown(rhythm) ? silentAfterKnown(rhythm) : SILENCE_OF_UNKNOWN_SECONDS;
}

/**
 * Returns the time without a delivery, in seconds of weekdays, after which wrong tokens count. While the rhythm is
 * unknown the connection is being set up, and a person's mistake is more likely than a stranger's token.
 */
export const refusalsCountAfter = (rhythm: DeliveryRhythm | undefined): number =>
  isKnown(rhythm) ? silentAfterKnown(rhythm) : SHORTEST_SILENCE_SECONDS;

const isKnown = (rhythm: DeliveryRhythm | undefined): rhythm is DeliveryRhythm =>
  rhythm !== undefined && rhythm.observed >= KNOWN_AFTER_SECONDS;

const silentAfterKnown = ({ usual_gap }: DeliveryRhythm): number =>
  Math.max(SHORTEST_SILENCE_SECONDS, USUAL_GAPS * usual_gap);

/** Returns whether a CRM-A connection that usually gets leads has received none for too long. */
export function isNewlySilent(connection: Connection, now: Date): boolean {
  const { auto_call, token_hash, last_delivery_at, silent_since, delivery_rhythm } = connection;
  if (!auto_call || token_hash === undefined || last_delivery_at === undefined || silent_since !== undefined)
    return false;
  return weekdaySecondsBetween(last_delivery_at, now) > silentAfter(delivery_rhythm);
}
