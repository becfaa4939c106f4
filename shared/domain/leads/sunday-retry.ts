import type { Claim } from '../calls/dialing/claim.ts';
import { type Connection, isConnected } from '../connections/connection.ts';
import { crmBSettings } from '../connections/crm-b-settings.ts';
import { secondsAfter } from '../time/instants.ts';
import { SUNDAY_INTERVAL_SECONDS } from './sunday-interval.ts';

/**
 * Returns the key of the sweep's claim on a lead. The claim ends by its own time, because DynamoDB deletes expired
 * items late.
 */
export const sundayClaimKey = (connectionId: string, leadId: string): string => `sunday#${connectionId}#${leadId}`;

/** Returns the instant before which a sweep's claim has ended. */
export const sundayClaimEnd = (now: Date): string => secondsAfter(now, -SUNDAY_INTERVAL_SECONDS);

/** Returns whether a sweep's claim has ended. */
export const isSundayClaimEnded = ({ at }: Pick<Claim, 'at'>, now: Date): boolean => at <= sundayClaimEnd(now);

/** Builds the claim with which an erasure replaces a sweep's claim. It ends when the former one does. */
export const hiddenSundayClaimFor = (key: string, claim: Claim): Claim => ({
  ...claim,
  claim: key,
  expires_at: Math.floor(Date.parse(claim.at) / 1000) + SUNDAY_INTERVAL_SECONDS,
});

/** The sweep's selection: the owner's leads whose field has this value. */
export type SundayRetry = { field: string; value: string; ownerId: string };

/** Returns the leads that a connection has opted in for. `incomplete`: owner, field or value is not set. */
export function sundayRetryOf(connection: Connection): SundayRetry | 'off' | 'incomplete' {
  const { sunday_rnr_retry, disposition_crm_field: field, disposition_value: value } = crmBSettings(connection);
  const { trigger_owner_user_id: ownerId, auto_call } = connection;
  if (sunday_rnr_retry !== 'true' || !auto_call || !isConnected(connection)) return 'off';
  return field === undefined || value === undefined || ownerId === undefined ? 'incomplete' : { field, value, ownerId };
}
