import { hourInIndia } from '../times.ts';

/** @returns a greeting for the current hour in India */
export function greetingAt(now: Date): string {
  const hour = hourInIndia(now);
  if (hour >= 4 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 17 ? 'Good afternoon' : 'Good evening';
}
