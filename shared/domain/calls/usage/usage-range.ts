import { toCredits } from '../../organizations/credit.ts';
import { istDay } from '../../time/ist-day.ts';
import { sumOfUsage, type UsageDay } from './usage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the latest IST days, the earliest first. @param count how many, with the day of `now`. */
export const latestDays = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) => istDay(new Date(now.getTime() - (count - 1 - index) * DAY_MS)));

/** Returns each of these days, including days without a call. */
export function everyDay(days: readonly string[], counted: readonly UsageDay[]): UsageDay[] {
  const byDay = new Map(counted.map((one) => [one.day, one]));
  return days.map((day) => byDay.get(day) ?? { day, ...sumOfUsage([]) });
}

/** The number of days before today whose mean is the pace. */
export const PACE_DAYS = 7;

/**
 * Returns the current cost of a day in units: the mean of the 7 days before today, ignoring days before the first call.
 * On the very first day, it is today's cost so far.
 * @param counted the days with calls among the latest 8 or more, the earliest first
 */
export function paceOf(counted: readonly UsageDay[], now: Date): number {
  const days = latestDays(now, PACE_DAYS + 1);
  const known = everyDay(days, counted);
  const first = known.findIndex(({ day }) => counted.some((one) => one.day === day));
  const whole = known.slice(first, PACE_DAYS);
  if (first < 0) return 0;
  if (whole.length === 0) return known.at(-1)?.units ?? 0;
  return sumOfUsage(whole).units / whole.length;
}

/** Returns for how many days the credit lasts; undefined if no credit is used. @param available in units */
export const daysLeft = (available: number, pace: number): number | undefined =>
  pace > 0 ? Math.max(0, available) / pace : undefined;

/** Returns a day as the dashboard's API shows it: seconds of talk, and credits. */
export const viewUsageDay = ({ day, seconds, units, ...counts }: UsageDay) => ({
  day,
  completed: counts.completed,
  transferred: counts.transferred,
  no_answer: counts.no_answer,
  busy: counts.busy,
  failed: counts.failed,
  canceled: counts.canceled,
  seconds,
  credits: toCredits(units),
  success: counts.analyzed_success,
  partial: counts.analyzed_partial,
  failure: counts.analyzed_failure,
});
