import { type Call, leadReadAt } from '../calls/call.ts';
import { secondsBetween } from '../time/instants.ts';

/** A lead that was read longer ago is read again before its phone rings. */
const FRESH_SECONDS = 10 * 60;

/** Returns whether the lead of a call must be read again: CRM-A's leads and test leads cannot be read. */
export const isRecheckDue = (
  { lead, created_at }: Pick<Call, 'created_at'> & { lead: NonNullable<Call['lead']> },
  now: Date,
): boolean =>
  lead.crm === 'crm-b' && !lead.test && secondsBetween(leadReadAt({ lead, created_at }), now) >= FRESH_SECONDS;
