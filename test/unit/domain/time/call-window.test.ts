import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CallWindow, openingAfter, openingAt } from '../../../../shared/domain/time/call-window.ts';
import { forAll } from '../../../support/for-all.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const IST_AHEAD_MS = 5.5 * 60 * MINUTE_MS;

/** 2026-03-02 is a Monday. @param time `HH:MM` or more precise, in Indian time. */
const ist = (day: string, time: string) => new Date(`${day}T${time}+05:30`);
const window = (start: string, end: string, exclude_sunday = false): CallWindow => ({ start, end, exclude_sunday });
const DAY = window('09:00', '21:00');
const NIGHT = window('22:00', '06:00');

/** Applies the rule of the interface to one instant: the clock shows a time inside, on a day that is not excluded. */
function isInside({ start, end, exclude_sunday }: CallWindow, instant: number): boolean {
  const there = new Date(instant + IST_AHEAD_MS);
  if (exclude_sunday && there.getUTCDay() === 0) return false;
  const time = there.toISOString().slice(11, 16);
  if (start < end) return start <= time && time < end;
  return time >= start || time < end;
}

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
  it.each<[string, boolean]>([
    ['08:59:59.999', false],
    ['09:00:00.000', true],
    ['12:00:00.000', true],
    ['20:59:59.999', true],
    ['21:00:00.000', false],
  ])('from 09:00 to 21:00: at %s it is open: %s', (time, isOpen) => {
    const opening = openingAt(DAY, ist('2026-03-04', time));
    expect(opening?.isOpen).toBe(isOpen);
    const day = time.startsWith('21') ? '2026-03-05' : '2026-03-04';
    expect(opening).toMatchObject({ from: ist(day, '09:00'), to: ist(day, '21:00') });
  });

  it.each<[string, string, boolean]>([
    ['2026-03-04', '21:59:59.999', false],
    ['2026-03-04', '22:00:00.000', true],
    ['2026-03-05', '00:00:00.000', true],
    ['2026-03-05', '05:59:59.999', true],
    ['2026-03-05', '06:00:00.000', false],
  ])('over midnight: on %s at %s it is open: %s', (day, time, isOpen) => {
    const opening = openingAt(NIGHT, ist(day, time));
    expect(opening?.isOpen).toBe(isOpen);
    const evening = time.startsWith('06') ? '2026-03-05' : '2026-03-04';
    const morning = time.startsWith('06') ? '2026-03-06' : '2026-03-05';
    expect(opening).toMatchObject({ from: ist(evening, '22:00'), to: ist(morning, '06:00') });
  });

  it('continues on Monday after Saturday if Sunday is excluded', () => {
    const saturdayNight = ist('2026-03-07', '21:00');
    expect(openingAt({ ...DAY, exclude_sunday: true }, saturdayNight)).toEqual({
      from: ist('2026-03-09', '09:00'),
      to: ist('2026-03-09', '21:00'),
      isOpen: false,
    });
    expect(openingAt(DAY, saturdayNight)).toMatchObject({ from: ist('2026-03-08', '09:00') });
    expect(openingAt({ ...DAY, exclude_sunday: true }, ist('2026-03-08', '12:00'))).toMatchObject({
      from: ist('2026-03-09', '09:00'),
      isOpen: false,
    });
  });

  it('over midnight is cut by an excluded Sunday: open until midnight on Saturday and from midnight on Monday', () => {
    const cut = { ...NIGHT, exclude_sunday: true };
    expect(openingAt(cut, ist('2026-03-07', '23:59'))).toEqual({
      from: ist('2026-03-07', '22:00'),
      to: ist('2026-03-08', '00:00'),
      isOpen: true,
    });
    for (const time of ['00:00', '05:59', '22:00', '23:59'])
      expect(openingAt(cut, ist('2026-03-08', time))).toEqual({
        from: ist('2026-03-09', '00:00'),
        to: ist('2026-03-09', '06:00'),
        isOpen: false,
      });
    expect(openingAt(cut, ist('2026-03-09', '00:00'))?.isOpen).toBe(true);
  });

  it('that is undefined is always open', () => {
    expect(openingAt(undefined, new Date())).toBeUndefined();
    expect(openingAfter(undefined, new Date())).toBeUndefined();
  });

  it('of the whole day is open except on an excluded Sunday', () => {
    const sixDays = window('00:00', '00:00', true);
    expect(openingAt(sixDays, ist('2026-03-07', '23:59:59.999'))).toMatchObject({
      to: ist('2026-03-08', '00:00'),
      isOpen: true,
    });
    expect(openingAt(sixDays, ist('2026-03-08', '00:00'))).toMatchObject({
      from: ist('2026-03-09', '00:00'),
      isOpen: false,
    });
    expect(openingAt(sixDays, ist('2026-03-09', '00:00'))?.isOpen).toBe(true);
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
