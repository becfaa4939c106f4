import type { ScheduledCall } from '../calls/scheduled-call.ts';
import type { Lead } from './lead.ts';

/** Names one release of a call: the minute that it is scheduled for. @returns `202611210330`. */
export const releaseMinute = (scheduledFor: string): string => scheduledFor.slice(0, 16).replace(/[-:T]/g, '');

/** What follows the original event's id in the id of its call's release. */
export const releaseSuffix = (scheduledFor: string): string => `release.${releaseMinute(scheduledFor)}`;

/** The lead as a release names it: the CRM is asked for the rest, but for a test's, which is no lead of the CRM. */
export const leadOfRelease = ({ lead, phone_number }: ScheduledCall): Lead => ({
  lead_id: lead.lead_id,
  phones: lead.test ? [phone_number] : [],
  ...(lead.test && lead.owner_id !== undefined && { owner_id: lead.owner_id }),
  do_not_call: false,
  fields: lead.test ? lead.fields : {},
});
