import { istDay } from '../../time/ist-day.ts';
import type { UsageDay } from './usage.ts';
import { paceOf } from './usage-range.ts';

const HOURS_OF_A_DAY = 24;
/** An unusual hour costs more than an average day. Most organizations call for 8 to 10 hours, and not every day. */
const USUAL_HOURS = 24;
/** Units per hour that are never unusual: 100 credits. */
const FLOOR = 100_000;

/**
 * Returns the units of a usual hour: the mean of the 7 days before today, without those before the first call. It is 0
 * on the first day.
 * @param counted the days with calls from 7 days ago on, the earliest first.
 */
export const usualHourOf = (counted: readonly UsageDay[], now: Date): number =>
  counted.some(({ day }) => day < istDay(now)) ? paceOf(counted, now) / HOURS_OF_A_DAY : 0;

/** Returns whether an organization uses far more credit than usual (docs/tracing.md, "Unusual spend"). */
export const isUnusualSpend = (unitsOfTheHour: number, usualHour: number): boolean =>
  unitsOfTheHour > Math.max(FLOOR, USUAL_HOURS * usualHour);
