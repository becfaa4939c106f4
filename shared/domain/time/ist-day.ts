/** The zone of deduplication, call windows and the Sunday sweep (docs/leads.md, "The IST day"). */
export const IST = 'Asia/Kolkata';

/**
 * India has had this offset, and no summer time, since 1945. A day therefore needs no calendar library, which loads
 * slowly.
 */
const OFFSET_MS = 330 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the IST days from one instant to a later one, both included, limited to the latest `most`. */
export function istDays(from: Date, to: Date, most: number): string[] {
  const days: string[] = [];
  for (let time = to.getTime(); days.length < most; time -= DAY_MS) {
    days.push(istDay(new Date(time)));
    if ((days.at(-1) as string) <= istDay(from)) break;
  }
  return days;
}

/** Returns the IST calendar day of an instant, such as `2026-11-21`. */
export function istDay(instant: Date): string {
  if (Number.isNaN(instant.getTime())) throw new RangeError('not an instant');
  return new Date(instant.getTime() + OFFSET_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Returns the instant at which an IST day begins. @param day such as `2026-11-21`. */
export const startOfIstDay = (day: string): Date => new Date(Date.parse(`${day}T00:00:00.000Z`) - OFFSET_MS);

/** Returns the instant at which the next IST day begins. @param day such as `2026-11-21`. */
export const endOfIstDay = (day: string): Date => new Date(startOfIstDay(day).getTime() + DAY_MS);
