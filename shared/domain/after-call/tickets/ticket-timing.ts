import type { TicketItem } from '../../calls/call.ts';
import { secondsAfter } from '../../time/instants.ts';
import { WRITING_DEADLINE_SECONDS } from '../remote-writes/remote-writing.ts';

/** When the status of a ticket is read again (docs/help-desk.md, "Status refresh"). */
const REFRESH_AFTER_SECONDS = 15 * 60;

const DAY_SECONDS = 24 * 60 * 60;

/** How long each item is tried, from when it could first be written (docs/help-desk.md, "Each step is done once"). */
export const ticketDeadlines: Record<TicketItem, number> = {
  // The ticket creates the contact in the remaining day.
  ticket_contact: 2 * DAY_SECONDS,
  ticket: WRITING_DEADLINE_SECONDS,
  ticket_tags: DAY_SECONDS,
  ticket_recording: DAY_SECONDS,
  ticket_transcript: DAY_SECONDS,
  ticket_refresh: REFRESH_AFTER_SECONDS,
};

/**
 * Returns when a ticket is refreshed: ISO 8601 in whole seconds, the precision of EventBridge Scheduler.
 * @param createdAt ISO 8601.
 */
export function refreshTime(createdAt: string): string {
  const wholeSecond = new Date(Math.ceil(Date.parse(createdAt) / 1000) * 1000);
  return secondsAfter(wholeSecond, REFRESH_AFTER_SECONDS);
}
