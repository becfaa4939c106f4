import fc from 'fast-check';
import { istDay, istDays, startOfIstDay } from '../../../../shared/domain/time/ist-day.ts';
import { forAll } from '../../../support/values/for-all.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const IST_OFFSET_MS = 330 * MINUTE_MS; // UTC+05:30, without summer time since 1945

describe('the IST day', () => {
  it.each([
    ['2026-11-20T18:29:59.999Z', '2026-11-20'],
    ['2026-11-20T18:30:00.000Z', '2026-11-21'],
    ['2026-11-20T18:30:00.001Z', '2026-11-21'],
    ['2026-11-20T23:59:59.999Z', '2026-11-21'],
    ['2026-11-21T00:00:00.000Z', '2026-11-21'],
    ['2026-12-31T18:29:59.999Z', '2026-12-31'],
    ['2026-12-31T18:30:00.000Z', '2027-01-01'],
    ['2028-02-28T18:30:00.000Z', '2028-02-29'],
    ['2028-02-29T18:30:00.000Z', '2028-03-01'],
    ['2027-02-28T18:30:00.000Z', '2027-03-01'],
  ])('of %s is %s', (instant, day) => {
    expect(istDay(new Date(instant))).toBe(day);
  });

  it('begins at half past six in the evening of the UTC day before', () => {
    expect(startOfIstDay('2026-11-21')).toEqual(new Date('2026-11-20T18:30:00.000Z'));
  });

  const instants = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

  it('of any instant is the UTC day five and a half hours later', () => {
    forAll([instants], (instant) => {
      expect(istDay(instant)).toBe(new Date(instant.getTime() + IST_OFFSET_MS).toISOString().slice(0, 10));
    });
  });

  it('begins at 18:30 UTC, to the millisecond', () => {
    forAll([fc.integer({ min: 0, max: 47_000 })], (days) => {
      const midnight = days * DAY_MS + DAY_MS - IST_OFFSET_MS;
      const [before, after, end] = [midnight - 1, midnight, midnight + DAY_MS - 1].map((ms) => istDay(new Date(ms)));
      expect(before).not.toBe(after);
      expect(end).toBe(after);
    });
  });

  it('of an invalid instant is an error', () => {
    expect(() => istDay(new Date('no'))).toThrow(new RangeError('not an instant'));
  });
});

describe('the IST days between two instants', () => {
  const days = (from: string, to: string, most = 92) => istDays(new Date(from), new Date(to), most);

  it.each([
    ['2026-11-20T06:00:00.000Z', '2026-11-20T06:00:00.000Z', ['2026-11-20']],
    ['2026-11-20T18:29:59.999Z', '2026-11-20T18:30:00.000Z', ['2026-11-21', '2026-11-20']],
    ['2026-11-20T18:30:00.000Z', '2026-11-21T18:29:59.999Z', ['2026-11-21']],
    // Both intervals touch three days, although the first is hardly longer than one day.
    ['2026-11-20T18:29:00.000Z', '2026-11-21T18:31:00.000Z', ['2026-11-22', '2026-11-21', '2026-11-20']],
    ['2026-11-20T06:00:00.000Z', '2026-11-22T05:00:00.000Z', ['2026-11-22', '2026-11-21', '2026-11-20']],
    ['2028-02-28T12:00:00.000Z', '2028-03-01T12:00:00.000Z', ['2028-03-01', '2028-02-29', '2028-02-28']],
    ['2026-12-31T12:00:00.000Z', '2027-01-01T12:00:00.000Z', ['2027-01-01', '2026-12-31']],
  ])('from %s to %s are %j, the latest first', (from, to, expected) => {
    expect(days(from, to)).toEqual(expected);
  });

  it('are limited to the latest ones', () => {
    const latest = ['2026-11-20', '2026-11-19', '2026-11-18'];
    expect(days('2026-11-01T06:00:00.000Z', '2026-11-20T06:00:00.000Z', 3)).toEqual(latest);
    expect(days('1970-01-01T00:00:00.000Z', '2026-11-20T06:00:00.000Z')).toHaveLength(92);
  });

  it('are only the later day if the first instant is after the second', () => {
    expect(days('2026-11-20T18:30:00.000Z', '2026-11-20T18:29:59.999Z')).toEqual(['2026-11-20']);
    expect(days('2027-01-01T00:00:00.000Z', '2026-11-20T06:00:00.000Z')).toEqual(['2026-11-20']);
  });

  it('are all days with an instant between the two, each once', () => {
    const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });
    const spans = fc.integer({ min: 0, max: 40 * DAY_MS });
    forAll([instants, spans, fc.array(fc.double({ min: 0, max: 1, noNaN: true }))], (from, span, parts) => {
      const to = new Date(from.getTime() + span);
      const all = istDays(from, to, 92);
      expect(all.at(0)).toBe(istDay(to));
      expect(all.at(-1)).toBe(istDay(from));
      expect([...new Set(all)].sort().reverse()).toEqual(all);
      for (const part of parts) expect(all).toContain(istDay(new Date(from.getTime() + Math.floor(span * part))));
      const midnights = (Date.parse(istDay(to)) - Date.parse(istDay(from))) / DAY_MS;
      expect(all).toHaveLength(midnights + 1);
    });
  });

  it('of an invalid instant are an error', () => {
    expect(() => days('no', '2026-11-20T06:00:00.000Z')).toThrow(RangeError);
    expect(() => days('2026-11-20T06:00:00.000Z', 'no')).toThrow(RangeError);
  });
});
