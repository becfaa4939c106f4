import { DateTime } from 'luxon';

/** Deduplication, call windows and the Sunday sweep go by this zone (interface, "Webhook processing rules"). */
const IST = 'Asia/Kolkata';

/** @returns the IST calendar day of an instant, as `2026-11-21`. */
export function istDay(instant: Date): string {
  const day = DateTime.fromJSDate(instant, { zone: IST }).toISODate();
  if (!day) throw new RangeError('not an instant');
  return day;
}
