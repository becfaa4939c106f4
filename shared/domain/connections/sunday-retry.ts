import { type Connection, isConnected } from './connection.ts';
import { crmBSettings } from './crm-b-settings.ts';

/** The sweep's selection: the owner's leads whose field has this value. */
export type SundayRetry = { field: string; value: string; ownerId: string };

/** Returns the selection of leads that a connection has opted in to. `incomplete`: owner, field or value is not set. */
export function sundayRetryOf(connection: Connection): SundayRetry | 'off' | 'incomplete' {
  const { sunday_rnr_retry, disposition_crm_field: field, disposition_value: value } = crmBSettings(connection);
  const { trigger_owner_user_id: ownerId, auto_call } = connection;
  if (sunday_rnr_retry !== 'true' || !auto_call || !isConnected(connection)) return 'off';
  return field === undefined || value === undefined || ownerId === undefined ? 'incomplete' : { field, value, ownerId };
}
