import type { Call } from '../calls/call.ts';
import type { Lead } from './lead.ts';

/** Names one release of a call: the minute that it is scheduled for. @returns `202611210330`. */
export const releaseMinute = (scheduledFor: string): string => scheduledFor.slice(0, 16).replace(/[-:T]/g, '');

/** What follows the original event's id in the id of its call's release. */
export const releaseSuffix = (scheduledFor: string): string => `release.${releaseMinute(scheduledFor)}`;

export type ScheduledCall = Call & { status: 'scheduled'; scheduled_for: string; lead: NonNullable<Call['lead']> };

/** Whether a call waits for its window. */
export const isScheduled = (call: Call | undefined): call is ScheduledCall =>
  call?.status === 'scheduled' && call.scheduled_for !== undefined && call.lead !== undefined;

/** The lead as a release names it: the CRM is asked for the rest, but for a test's, which is no lead of the CRM. */
export const leadOfRelease = ({ lead, phone_number }: ScheduledCall): Lead => ({
  lead_id: lead.lead_id,
  phones: lead.test ? [phone_number] : [],
  ...(lead.test && lead.owner_id !== undefined && { owner_id: lead.owner_id }),
  do_not_call: false,
  fields: lead.test ? lead.fields : {},
});
