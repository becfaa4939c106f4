import { isUnusualSpend, usualHourOf } from '../../../../../shared/domain/calls/usage/unusual-spend.ts';
import { sumOfUsage } from '../../../../../shared/domain/calls/usage/usage.ts';
import { daysLeft, everyDay, latestDays, paceOf } from '../../../../../shared/domain/calls/usage/usage-range.ts';
import { startOfIstDay } from '../../../../../shared/domain/time/ist-day.ts';

/** 23:59 of 10 March in India. */
const NOW = new Date('2026-03-10T18:29:00.000Z');
const used = (day: string, units: number) => ({ day, ...sumOfUsage([{ units, completed: 1 }]) });

describe('the range of usage', () => {
  it('ends with today in India and has every day', () => {
    expect(latestDays(NOW, 3)).toEqual(['2026-03-08', '2026-03-09', '2026-03-10']);
    expect(latestDays(new Date('2026-03-10T18:30:00.000Z'), 1)).toEqual(['2026-03-11']);
    expect(everyDay(latestDays(NOW, 2), [used('2026-03-09', 5)]).map(({ day, units }) => [day, units])).toEqual([
      ['2026-03-09', 5],
      ['2026-03-10', 0],
    ]);
  });
});

describe('the pace', () => {
  it.each([
    ['the mean of the 7 days before today', [used('2026-03-03', 7_000), used('2026-03-09', 7_000)], 2_000],
    ['without today', [used('2026-03-03', 7_000), used('2026-03-10', 99_000)], 1_000],
    ['without older days', [used('2026-03-02', 99_000), used('2026-03-09', 7_000)], 7_000],
    ['from the first day with a call on', [used('2026-03-08', 4_000)], 2_000],
    ['the cost of today on the first day', [used('2026-03-10', 3_000)], 3_000],
    ['zero without a call', [], 0],
  ])('is %s', (_what, counted, pace) => {
    expect(paceOf(counted, NOW)).toBe(pace);
  });

  it('says how many days the credit lasts if any is used', () => {
    expect([daysLeft(958_000, 87_000), daysLeft(0, 10), daysLeft(100, 0)]).toEqual([958 / 87, 0, undefined]);
  });
});

const NOON = new Date(startOfIstDay('2026-03-10').getTime() + 12 * 3_600_000);
const unitsOn = (units: Record<string, number>) =>
  Object.entries(units).map(([day, each]) => ({ day: `2026-03-${day}`, ...sumOfUsage([{ units: each }]) }));

describe('the usual hour of an organization', () => {
  it.each<[string, Record<string, number>, number]>([
    ['is the mean of the 7 days before today', { '03': 168_000, '09': 168_000, '10': 9_000_000 }, 2_000],
    ['leaves out the days before its first call', { '08': 24_000, '09': 72_000 }, 2_000],
    ['leaves out older days', { '02': 9_000_000, '03': 168_000 }, 1_000],
    ['is zero on its first day', { '10': 500_000 }, 0],
    ['is zero without calls', {}, 0],
  ])('%s', (_, units, usual) => expect(usualHourOf(unitsOn(units), NOON)).toBe(usual));
});

describe('the credit of an hour', () => {
  it.each([
    [100_000, 0, false],
    [100_001, 0, true],
    [100_001, 4_000, true],
    [100_001, 5_000, false],
    [120_000, 5_000, false],
    [120_001, 5_000, true],
  ])('of %d units, with %d in a usual hour, is unusual: %s', (units, usual, isUnusual) => {
    expect(isUnusualSpend(units, usual)).toBe(isUnusual);
  });
});
