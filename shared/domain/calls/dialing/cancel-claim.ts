import type { Actor } from '../../organizations/audit/audit-entry.ts';
import type { Call } from '../call.ts';
import { type Claim, claimFor } from './claim.ts';
import { QUEUED_DAYS } from './day-claims.ts';

const DAY_SECONDS = 86_400;

/**
 * The reason for refusing an event of a lead if a person has canceled its call, or the call that it followed, since the
 * lead changed.
 */
export const CANCELED_SINCE =
  'A person has canceled the call of this lead, or of another lead with its phone, since the lead changed.';

/** The ended_reason of a call that a person canceled. */
export const canceledBy: Readonly<Record<Actor['kind'], string>> = {
  member: 'canceled_by_member',
  operator: 'canceled_by_operator',
};

/** Returns the key of the claim that a person leaves on a lead by canceling its call (docs/leads.md, "Claims"). */
export const cancelClaimKey = (connectionId: string, leadId: string): string => `canceled#${connectionId}#${leadId}`;

/**
 * Builds the claim of a call that a person cancels now. It refuses events of earlier changes of the lead, as long as a
 * message about one may be queued. The day claims do not, because the cancelation frees them.
 * @returns undefined for a call without a lead, and for a test event, which says nothing about the real lead
 */
export function cancelClaimFor({ call_id, lead }: Pick<Call, 'call_id' | 'lead'>, now: Date): Claim | undefined {
  if (!lead || lead.test) return undefined;
  const key = cancelClaimKey(lead.connection_id, lead.lead_id);
  const claim = claimFor(key, { ownerId: lead.event_id, callId: call_id, now });
  return { ...claim, expires_at: Math.floor(now.getTime() / 1000) + QUEUED_DAYS * DAY_SECONDS };
}

/**
 * Builds the same claim on another lead, which was refused because of a call that a person has canceled.
 * @returns undefined if no person canceled the call
 */
export function cancelClaimOfFollower(
  { call_id, lead, ended_reason, ended_at }: Pick<Call, 'call_id' | 'lead' | 'ended_reason' | 'ended_at'>,
  refused: Pick<NonNullable<Call['lead']>, 'connection_id' | 'lead_id' | 'event_id'>,
): Claim | undefined {
  const isCanceled = ended_reason !== undefined && Object.values(canceledBy).includes(ended_reason);
  return lead && ended_at && isCanceled
    ? cancelClaimFor({ call_id, lead: { ...lead, ...refused } }, new Date(ended_at))
    : undefined;
}

/** Returns whether a person canceled a call of the lead at an instant or later. @param changedAt ISO 8601 */
export const isCanceledSince = (changedAt: string, claims: readonly Pick<Claim, 'at'>[]): boolean =>
  claims.some(({ at }) => at >= changedAt);
