import type { ScheduledCall } from '../calls/scheduled-call.ts';
import type { Lead } from './lead.ts';

/** Names a release by the UTC minute for which the call is scheduled, such as `202611210330`. */
export const releaseMinute = (scheduledFor: string): string => scheduledFor.slice(0, 16).replace(/[-:T]/g, '');

/** Returns the suffix that turns the original event's id into the release's id. */
export const releaseSuffix = (scheduledFor: string): string => `release.${releaseMinute(scheduledFor)}`;

/** Returns the lead of a release. A real lead is fetched again by its id; a test lead does not exist in the CRM. */
export const leadOfRelease = ({ lead, phone_number }: ScheduledCall): Lead => ({
  lead_id: lead.lead_id,
  phones: lead.test ? [phone_number] : [],
  ...(lead.test && lead.owner_id !== undefined && { owner_id: lead.owner_id }),
  do_not_call: false,
  fields: lead.test ? lead.fields : {},
});
