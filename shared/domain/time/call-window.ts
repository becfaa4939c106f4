import { DateTime } from 'luxon';
import * as z from 'zod/mini';
import { IST } from './ist-day.ts';

/**
 * The hours (IST) in which leads may be called: from `start` (inclusive) to `end` (exclusive), as "HH:MM". A window may
 * cross midnight; equal times mean the whole day.
 */
export const callWindowSchema = z.object({ start: z.string(), end: z.string(), exclude_sunday: z.boolean() });
export type CallWindow = z.infer<typeof callWindowSchema>;

/** One span of a window. */
export type Opening = { from: Date; to: Date };

const SUNDAY = 7;
/** Enough to reach Monday from Saturday across an excluded Sunday. */
const DAYS_AHEAD = 2;

/**
 * Returns the opening that contains an instant, or the next one. An excluded Sunday cuts a window that crosses
 * midnight: it is open on Saturday until midnight and on Monday from midnight.
 * @returns undefined if the window is always open
 */
export function openingAt(window: CallWindow | undefined, instant: Date): (Opening & { isOpen: boolean }) | undefined {
  if (!window) return undefined;
  // Every window opens within DAYS_AHEAD.
  const found = openings(window, instant).find(({ to }) => to > instant) as Opening;
  return { ...found, isOpen: found.from <= instant };
}

/**
 * Returns the first opening that begins after the instant, on the day after tomorrow at the latest. A window that is
 * open all week except Sunday may have none; a late call must not be postponed for days.
 */
export const openingAfter = (window: CallWindow | undefined, instant: Date): Opening | undefined =>
  window && openings(window, instant).find(({ from }) => from > instant);

/** Starts at the previous day, whose opening may cross midnight, and merges adjacent openings. */
function openings(window: CallWindow, instant: Date): Opening[] {
  const today = DateTime.fromJSDate(instant, { zone: IST }).startOf('day');
  const found: Opening[] = [];
  for (let day = -1; day <= DAYS_AHEAD; day += 1) {
    for (const opening of openingsFrom(window, today.plus({ days: day }))) {
      const last = found.at(-1);
      if (last && last.to.getTime() === opening.from.getTime()) last.to = opening.to;
      else found.push(opening);
    }
  }
  return found;
}

/** Returns the openings that begin on a day, split at midnight, without excluded Sundays. */
function openingsFrom({ start, end, exclude_sunday }: CallWindow, day: DateTime): Opening[] {
  const from = at(day, start);
  const to = start < end ? at(day, end) : at(day.plus({ days: 1 }), end);
  const midnight = day.plus({ days: 1 });
  const parts: [DateTime, DateTime][] = [
    [from, DateTime.min(to, midnight)],
    [midnight, to],
  ];
  return parts
    .filter(([begins, ends]) => begins < ends && !(exclude_sunday && begins.weekday === SUNDAY))
    .map(([begins, ends]) => ({ from: begins.toJSDate(), to: ends.toJSDate() }));
}

const at = (day: DateTime, time: string): DateTime =>
  day.set({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3, 5)) });
