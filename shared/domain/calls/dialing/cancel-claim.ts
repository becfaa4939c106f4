import type { Shown } from '../../newer-values.ts';
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
 * Builds the claim of a call that a person cancels now. As long as a message about an earlier change of the lead may
 * be queued, the claim refuses its event. The day claims cannot refuse it, because the cancelation frees them.
 * @returns undefined for a call without a lead, and for a test event, which says nothing about the real lead
 */
export function cancelClaimFor({ call_id, lead }: Pick<Call, 'call_id' | 'lead'>, now: Date): Claim | undefined {
  return !lead || lead.test ? undefined : cancelClaimOn(lead, call_id, now);
}

function cancelClaimOn(
  { connection_id, lead_id, event_id }: Pick<NonNullable<Call['lead']>, 'connection_id' | 'lead_id' | 'event_id'>,
  callId: string,
  now: Date,
): Claim {
  const claim = claimFor(cancelClaimKey(connection_id, lead_id), { ownerId: event_id, callId, now });
  return { ...claim, expires_at: Math.floor(now.getTime() / 1000) + QUEUED_DAYS * DAY_SECONDS };
}

/** Returns when a person canceled the call of a real lead, ISO 8601; undefined for every other call. */
export const canceledAtOf = ({
  lead,
  ended_reason = '',
  ended_at,
}: Pick<Shown<Call>, 'lead' | 'ended_reason' | 'ended_at'>): string | undefined =>
  lead && !lead.test && Object.values(canceledBy).includes(ended_reason) ? ended_at : undefined;

/**
 * Builds the same claim on another lead, which was refused because of a call that a person has canceled.
 * @param canceledAt ISO 8601
 */
export const cancelClaimOfFollower = (
  call_id: string,
  canceledAt: string,
  refused: Pick<NonNullable<Call['lead']>, 'connection_id' | 'lead_id' | 'event_id'>,
): Claim => cancelClaimOn(refused, call_id, new Date(canceledAt));

/** Returns whether a person canceled a call of the lead at an instant or later. @param changedAt ISO 8601 */
export const isCanceledSince = (changedAt: string, claims: readonly Pick<Claim, 'at'>[]): boolean =>
  claims.some(({ at }) => at >= changedAt);
