import type { Call } from '../../../domain/calls/call.ts';
import { callActivity } from '../../../domain/calls/call-activity.ts';
import type { LeadEnd } from '../../../domain/calls/dialing/lead-end.ts';
import { type ActivityEntry, isRetryable, type Outcome } from '../../../domain/connections/activity.ts';
import { leadRetry } from '../../../messages/lead-retry.ts';

/**
 * Builds the Activity entry for the end of a lead's call, with the event for its retry if the outcome can be retried.
 * @returns undefined for a call without a lead
 */
export function leadEndEntry(call: Call, end: LeadEnd, now: Date): ActivityEntry | undefined {
  const { lead } = call;
  if (!lead) return undefined;
  const ofLead = { ...call, lead };
  const entry = callActivity(ofLead, { suffix: 'dial', source: 'dial', ...end }, now);
  return isRetryable(end.outcome) ? { ...entry, retryable: JSON.stringify(leadRetry(ofLead, entry)) } : entry;
}

/** Outcomes that do not count as `LeadGivenUp`: the organization sees them, and the service is not at fault. */
const organizationOutcomes: readonly Outcome[] = ['insufficient_credits', 'destination_not_allowed'];

/** Returns whether the alarm counts a lead as given up: only a retry by a person calls the lead. */
export const isGivenUp = ({ outcome }: Pick<LeadEnd, 'outcome'>): boolean =>
  isRetryable(outcome) && !organizationOutcomes.includes(outcome);
