import { CANCELED_SINCE } from '../../../shared/domain/calls/dialing/cancel-claim.ts';
import type { Outcome } from '../../../shared/domain/connections/activity.ts';
import type { LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';
import { known } from '../newer.ts';
import { formatDayInIndia } from '../times.ts';

/** Reasons that name the day of the event, worded for an event of today. */
export const reasonsOfToday: Readonly<Partial<Record<Outcome, string>>> = {
  already_called: 'This lead has already been called today.',
  phone_already_called: 'This phone number has already been called today.',
};

/** @returns the reason that Activity has for an event, with "today" if the CRM or a test sent it today */
export function describeReason(
  { outcome, reason, at, source }: Pick<LeadEventRow, 'outcome' | 'reason' | 'at' | 'source'>,
  now = new Date(),
): string {
  const isOfToday =
    (source === 'webhook' || source === 'test') &&
    reason !== CANCELED_SINCE &&
    formatDayInIndia(at) === formatDayInIndia(now.toISOString());
  return (isOfToday && known(reasonsOfToday, outcome)) || reason;
}
