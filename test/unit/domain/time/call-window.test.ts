import fc from 'fast-check';
import {
  type CallWindow,
  callWindowSchema,
  openingAfter,
  openingAt,
} from '../../../../shared/domain/time/call-window.ts';
import { forAll } from '../../../support/values/for-all.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const IST_AHEAD_MS = 5.5 * 60 * MINUTE_MS;

/** 2026-03-02 is a Monday. @param time `HH:MM` or more precise, in Indian time. */
const ist = (day: string, time: string) => new Date(`${day}T${time}+05:30`);
const window = (start: string, end: string, exclude_sunday = false): CallWindow => ({ start, end, exclude_sunday });
const DAY = window('09:00', '21:00');
const NIGHT = window('22:00', '06:00');

/** Applies the documented rule to one instant: the clock shows a time inside, on a day that is not excluded. */
function isInside({ start, end, exclude_sunday }: CallWindow, instant: number): boolean {
  const there = instant + IST_AHEAD_MS;
  const sunday = 3; // 1970-01-01 was a Thursday.
  if (exclude_sunday && Math.floor(there / DAY_MS) % 7 === sunday) return false;
  const minute = Math.floor((there % DAY_MS) / MINUTE_MS);
  const [from, to] = [minuteOf(start), minuteOf(end)];
  return from < to ? from <= minute && minute < to : minute >= from || minute < to;
}
const minuteOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Finds the present or next opening minute by minute, within some days. */
function openingByMinutes(given: CallWindow, instant: Date): { from: number; to: number; isOpen: boolean } {
  const minute = Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS;
  const isOpen = isInside(given, minute);
  let from = minute;
  if (isOpen) while (from > minute - DAY_MS && isInside(given, from - MINUTE_MS)) from -= MINUTE_MS;
  else while (!isInside(given, from)) from += MINUTE_MS;
  let to = Math.max(from, minute);
  while (to < minute + 3 * DAY_MS && isInside(given, to)) to += MINUTE_MS;
  return { from, to, isOpen };
}

const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 59))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const windows = fc
  .record({ start: times, end: times, exclude_sunday: fc.boolean() })
  .filter(({ start, end }) => start !== end);
/** Instants of two weeks, in milliseconds, often at the edge of a minute. */
const instants = fc
  .tuple(fc.integer({ min: 0, max: 14 * 24 * 60 }), fc.constantFrom(0, 1, 30_000, 59_999))
  .map(([minutes, more]) => new Date(ist('2026-03-02', '00:00').getTime() + minutes * MINUTE_MS + more));

describe('a call window', () => {
  /** @param text a day of March 2026 and a time, in India */
  const march = (text: string) => ist(`2026-03-0${text.slice(0, 1)}`, text.slice(2));
  const excluding = (given: CallWindow) => ({ ...given, exclude_sunday: true });

  it.each<[string, CallWindow, string, boolean, from: string, to: string]>([
    ['from 09:00 to 21:00', DAY, '4 08:59:59.999', false, '4 09:00', '4 21:00'],
    ['from 09:00 to 21:00', DAY, '4 09:00:00.000', true, '4 09:00', '4 21:00'],
    ['from 09:00 to 21:00', DAY, '4 12:00', true, '4 09:00', '4 21:00'],
    ['from 09:00 to 21:00', DAY, '4 20:59:59.999', true, '4 09:00', '4 21:00'],
    ['from 09:00 to 21:00', DAY, '4 21:00:00.000', false, '5 09:00', '5 21:00'],
    ['over midnight', NIGHT, '4 21:59:59.999', false, '4 22:00', '5 06:00'],
    ['over midnight', NIGHT, '4 22:00:00.000', true, '4 22:00', '5 06:00'],
    ['over midnight', NIGHT, '5 00:00', true, '4 22:00', '5 06:00'],
    ['over midnight', NIGHT, '5 05:59:59.999', true, '4 22:00', '5 06:00'],
    ['over midnight', NIGHT, '5 06:00:00.000', false, '5 22:00', '6 06:00'],
    ['on all days', DAY, '7 21:00', false, '8 09:00', '8 21:00'],
    ['except on Sundays', excluding(DAY), '7 21:00', false, '9 09:00', '9 21:00'],
    ['except on Sundays', excluding(DAY), '8 12:00', false, '9 09:00', '9 21:00'],
    ['until midnight, except on Sundays', excluding(window('09:00', '00:00')), '1 12:00', false, '2 09:00', '3 00:00'],
    ['over midnight, but until midnight on Saturday', excluding(NIGHT), '7 23:59', true, '7 22:00', '8 00:00'],
    ['over midnight, but not on Sunday', excluding(NIGHT), '8 00:00', false, '9 00:00', '9 06:00'],
    ['over midnight, but not on Sunday', excluding(NIGHT), '8 05:59', false, '9 00:00', '9 06:00'],
    ['over midnight, but not on Sunday', excluding(NIGHT), '8 22:00', false, '9 00:00', '9 06:00'],
    ['over midnight, but not on Sunday', excluding(NIGHT), '8 23:59', false, '9 00:00', '9 06:00'],
    ['over midnight, but from midnight on Monday', excluding(NIGHT), '9 00:00', true, '9 00:00', '9 06:00'],
  ])('%s (%j): at %s it is open: %s, from %s to %s', (_rule, given, at, isOpen, from, to) => {
    expect(openingAt(given, march(at))).toEqual({ isOpen, from: march(from), to: march(to) });
  });

  it('of the whole day is open except on an excluded Sunday', () => {
    const sixDays = excluding(window('00:00', '00:00'));
    expect(openingAt(sixDays, march('7 23:59:59.999'))).toMatchObject({ to: march('8 00:00'), isOpen: true });
    expect(openingAt(sixDays, march('8 00:00'))).toMatchObject({ from: march('9 00:00'), isOpen: false });
    expect(openingAt(sixDays, march('9 00:00'))?.isOpen).toBe(true);
  });

  it('is stored with all its members', () => {
    expect(callWindowSchema.parse(DAY)).toEqual(DAY);
  });

  it('that is undefined is always open', () => {
    expect(openingAt(undefined, new Date())).toBeUndefined();
    expect(openingAfter(undefined, new Date())).toBeUndefined();
  });

  it('agrees at any instant with a clock in India, minute by minute', () => {
    forAll([windows, instants], { numRuns: 400 }, (given, instant) => {
      const opening = openingAt(given, instant);
      const expected = openingByMinutes(given, instant);
      expect(opening?.isOpen).toBe(expected.isOpen);
      expect(opening?.from.getTime()).toBe(expected.from);
      expect(opening?.to.getTime()).toBe(expected.to);
    });
  });
});

describe('the opening after an instant', () => {
  it('is the next one that begins, never the present one', () => {
    expect(openingAfter(DAY, ist('2026-03-04', '08:59:59.999'))?.from).toEqual(ist('2026-03-04', '09:00'));
    expect(openingAfter(DAY, ist('2026-03-04', '09:00'))?.from).toEqual(ist('2026-03-05', '09:00'));
    expect(openingAfter(DAY, ist('2026-03-04', '20:00'))?.from).toEqual(ist('2026-03-05', '09:00'));
    expect(openingAfter(NIGHT, ist('2026-03-04', '23:00'))?.from).toEqual(ist('2026-03-05', '22:00'));
    expect(openingAfter({ ...DAY, exclude_sunday: true }, ist('2026-03-07', '09:00'))?.from).toEqual(
      ist('2026-03-09', '09:00'),
    );
  });

  it('begins later, exactly at a change from closed to open, and is the first such change', () => {
    forAll([windows, instants], { numRuns: 300 }, (given, instant) => {
      const { from, to } = openingAfter(given, instant) ?? { from: new Date(0), to: new Date(0) };
      expect(from.getTime()).toBeGreaterThan(instant.getTime());
      expect(isInside(given, from.getTime())).toBe(true);
      expect(isInside(given, from.getTime() - MINUTE_MS)).toBe(false);
      expect(openingByMinutes(given, from)).toMatchObject({ from: from.getTime(), to: to.getTime() });
      let begins = 0;
      const first = Math.floor(instant.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
      for (let minute = first; minute < from.getTime(); minute += MINUTE_MS)
        if (isInside(given, minute) && !isInside(given, minute - MINUTE_MS)) begins += 1;
      expect(begins).toBe(0);
    });
  });

  it('does not exist for a window that is open all week, except after an excluded Sunday', () => {
    const sixDays = window('00:00', '00:00', true);
    for (const day of ['2026-03-02', '2026-03-04', '2026-03-05', '2026-03-06'])
      expect(openingAfter(sixDays, ist(day, '12:00'))).toBeUndefined();
    for (const day of ['2026-03-07', '2026-03-08'])
      expect(openingAfter(sixDays, ist(day, '12:00'))?.from).toEqual(ist('2026-03-09', '00:00'));
  });
});
