import { DateTime } from 'luxon';
import * as z from 'zod/mini';
import { IST } from './ist-day.ts';

/**
 * When phones may be rung, in IST: from `start` (inclusive) to `end` (exclusive), "HH:MM". Start after end goes over
 * midnight; equal times are the whole day.
 */
export const callWindowSchema = z.object({ start: z.string(), end: z.string(), exclude_sunday: z.boolean() });
export type CallWindow = z.infer<typeof callWindowSchema>;

/** One opening of a window; instants. */
export type Opening = { from: Date; to: Date };

const SUNDAY = 7;
/** From a Saturday to the Monday after an excluded Sunday. */
const DAYS_AHEAD = 2;

/**
 * The opening that an instant is in, or the next one after it. A window over midnight that an excluded Sunday cuts is open
 * on the Saturday until midnight, and on the Monday from midnight on.
 * @param window undefined = always open. @returns undefined where it is always open.
 */
export function openingAt(window: CallWindow | undefined, instant: Date): (Opening & { isOpen: boolean }) | undefined {
  if (!window) return undefined;
  const found = openings(window, instant).find(({ to }) => to > instant);
  if (!found) throw new RangeError('a window opens within days');
  return { ...found, isOpen: found.from <= instant };
}

/**
 * @returns the first opening that begins after the instant, on the day after tomorrow at the latest; undefined where none does,
 * because the window is always open, or all week but for the Sunday: what is late there is not put off for days.
 */
export const openingAfter = (window: CallWindow | undefined, instant: Date): Opening | undefined =>
  window && openings(window, instant).find(({ from }) => from > instant);

/** From the day before on: its opening may go over midnight. Those that touch are one. */
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

/** What opens on a day, cut at midnight where a day of it is excluded. */
function openingsFrom({ start, end, exclude_sunday }: CallWindow, day: DateTime): Opening[] {
  const from = at(day, start);
  const to = start < end ? at(day, end) : at(day.plus({ days: 1 }), end);
  const midnight = day.plus({ days: 1 });
  const parts: [DateTime, DateTime][] =
    to <= midnight
      ? [[from, to]]
      : [
          [from, midnight],
          [midnight, to],
        ];
  return parts
    .filter(([begins, ends]) => begins < ends && !(exclude_sunday && begins.weekday === SUNDAY))
    .map(([begins, ends]) => ({ from: begins.toJSDate(), to: ends.toJSDate() }));
}

const at = (day: DateTime, time: string): DateTime =>
  day.set({ hour: Number(time.slice(0, 2)), minute: Number(time.slice(3, 5)) });
