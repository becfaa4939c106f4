import { secondsBetween } from '../time/instants.ts';

const LONG_WAIT_SECONDS = 60 * 60;

/** Returns whether Activity shows that an event waits for its CRM. @param at when the event was queued */
export const hasWaitedLong = (at: string, now: Date): boolean => secondsBetween(at, now) >= LONG_WAIT_SECONDS;

const SUFFIX = '.waiting';

/** Returns the id of the Activity entry about an event's wait for its CRM. */
export const waitEntryId = (eventId: string): string => `${eventId}${SUFFIX}`;

/** Returns whether an entry is about an event's wait for its CRM. It then has the time of the event's own entry. */
export const isWaitEntry = ({ event_id }: { event_id: string }): boolean => event_id.endsWith(SUFFIX);
