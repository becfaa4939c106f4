import { type Connection, isConnected } from '../connections/connection.ts';
import { crmBSettings } from '../connections/crm-b-settings.ts';
import { secondsAfter } from '../time/instants.ts';

/** A lead is called once within this long by the sweep, however often that runs (interface, "Webhook processing rules", 9). */
const APART_SECONDS = 20 * 60 * 60;

/** What the sweep owns of a lead. Unlike a day's claim, it counts by its own time: the table forgets late. */
export const sundayClaimKey = (connectionId: string, leadId: string): string => `sunday#${connectionId}#${leadId}`;

/** @returns ISO 8601: a claim of before that is over. */
export const sundayClaimEnd = (now: Date): string => secondsAfter(now, -APART_SECONDS);

/** Which leads the sweep has called once more: an owner's, whose field has this value. */
export type SundayRetry = { field: string; value: string; ownerId: string };

/** @returns what a connection has opted in to; `off`, or `incomplete` where something that it takes is not set. */
export function sundayRetryOf(connection: Connection): SundayRetry | 'off' | 'incomplete' {
  const { sunday_rnr_retry, disposition_crm_field: field, disposition_value: value } = crmBSettings(connection);
  const { trigger_owner_user_id: ownerId, auto_call } = connection;
  if (sunday_rnr_retry !== 'true' || !auto_call || !isConnected(connection)) return 'off';
  return field === undefined || value === undefined || ownerId === undefined ? 'incomplete' : { field, value, ownerId };
}
