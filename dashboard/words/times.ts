const INDIA = 'Asia/Kolkata';
const INDIA_OFFSET_MINUTES = 330;

const format = (options: Intl.DateTimeFormatOptions, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone, hourCycle: 'h23' });

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;

/** "22 Nov 2026": the day in India, as the service counts days. */
export const formatDayInIndia = (at: string): string => format(DATE, INDIA).format(new Date(at));

/** "22 Nov": @param day `YYYY-MM-DD`. */
export const formatDayAndMonth = (day: string): string =>
  format({ day: 'numeric', month: 'short' }, 'UTC').format(new Date(`${day}T00:00:00Z`));

/** "22 Nov 2026": @param day `YYYY-MM-DD`. */
export const formatCalendarDay = (day: string): string => format(DATE, 'UTC').format(new Date(`${day}T00:00:00Z`));

/** "22 Nov 2026, 14:02 IST" */
export const formatTimeInIndia = (at: string): string =>
  `${format({ ...DATE, ...CLOCK }, INDIA).format(new Date(at))} IST`;

/** "22 Nov 2026, 14:02:11 IST" */
export const formatSecondInIndia = (at: string): string =>
  `${format({ ...DATE, ...CLOCK, second: '2-digit' }, INDIA).format(new Date(at))} IST`;

/** The same instant in UTC and in the person's own zone, unless that is India's or UTC. */
export function formatInOtherZones(at: string, ownZone: string): string[] {
  const seconds = { ...DATE, ...CLOCK, second: '2-digit' } as const;
  const inZone = (zone: string, name: string) => `${format(seconds, zone).format(new Date(at))} ${name}`;
  const isShownAlready = ownZone === INDIA || ownZone === 'Asia/Calcutta' || ownZone === 'UTC';
  return [inZone('UTC', 'UTC'), ...(isShownAlready ? [] : [inZone(ownZone, `(${ownZone})`)])];
}

/** @returns the hour in India, 0 to 23 */
export const hourInIndia = (now: Date): number => new Date(now.getTime() + INDIA_OFFSET_MINUTES * 60_000).getUTCHours();

/**
 * @param day `YYYY-MM-DD` in India
 * @returns its first and last instant; undefined if it is not a day
 */
export function boundsOfDay(day: string): { from: string; to: string } | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00+05:30`) : Number.NaN;
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(start) || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)) return undefined;
  return { from: new Date(start).toISOString(), to: new Date(start + 86_400_000 - 1).toISOString() };
}

/** "0:09", "12:00": a duration in minutes and seconds. @param seconds a whole number */
export const formatDuration = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** "0:41": @param since ISO 8601. @param now in milliseconds, by a clock that may be slow */
export const formatElapsed = (since: string, now: number): string =>
  formatDuration(Math.max(0, Math.floor((now - Date.parse(since)) / 1000)));

/** "1,204.5": credits, with up to three decimals. */
export const formatCredits = (credits: number): string => credits.toLocaleString('en-IN', { maximumFractionDigits: 3 });
