import type { Shown } from '../newer-values.ts';
import { viewPendingConsent } from './access/pending-consent.ts';
import type { ActivityEntry } from './activity.ts';
import { type Connection, isConnected } from './connection.ts';
import { connectionHealth } from './connection-health.ts';
import { withoutEffect } from './crm-b-settings.ts';
import type { MissedSweep } from './missed-sweep.ts';
import { nextStepOf, setUpOf } from './set-up.ts';

/**
 * Returns the URL for the events of the CRM; null for the help desk, which sends no events.
 * @param publicUrl of the stage
 */
export const webhookUrl = (publicUrl: string, { connection_id, type }: Connection): string | null =>
  type === 'help-desk' ? null : new URL(`/api/webhooks/${type}/${connection_id}`, publicUrl).href;

/** Returns the connection as people see it, without tokens and their hashes. @param publicUrl of the stage. */
export const viewConnection = (connection: Connection, publicUrl: string) => ({
  connection_id: connection.connection_id,
  org_id: connection.org_id,
  type: connection.type,
  webhook_url: webhookUrl(publicUrl, connection),
  auto_call: connection.auto_call,
  assistant_id: connection.assistant_id ?? null,
  trigger_owner_user_id: connection.trigger_owner_user_id ?? null,
  settings: connection.settings ?? {},
  created_at: connection.created_at,
  ...(connection.type !== 'crm-a' && viewGrant(connection)),
  health: {
    ...connectionHealth(connection),
    checked_at: connection.channel_check?.at ?? null,
    last_delivery_at: connection.last_delivery_at ?? null,
    channel_expiry: connection.channel?.expires_at ?? null,
    needs_reconnect: connection.reconnect_needed !== undefined,
    rejection: connection.rejection ?? null,
    rejected_minutes: connection.rejected_minutes ?? 0,
    ...(connection.missed_sweep && { missed_sweep: viewMissedSweep(connection.missed_sweep) }),
  },
});

/** Shows a Sunday sweep whose leads still wait for CRM-B, or are given up. */
const viewMissedSweep = ({ at, given_up_at }: MissedSweep) => ({ at, given_up_at: given_up_at ?? null });

const viewGrant = ({ type, grant, ...connection }: Connection) => ({
  data_center: grant?.data_center ?? null,
  api_domain: grant?.api_domain ?? null,
  granted_at: grant?.granted_at ?? null,
  /** Who consented; null if the remote system did not say. */
  consented: grant?.identity ?? null,
  pending_consent: viewPendingConsent({ ...connection, grant }),
  // null without a consent, or if the help desk has not answered yet.
  ...(type === 'help-desk' && { organizations: grant?.organizations ?? null }),
});

/**
 * Returns the connection as the dashboard's API shows it, without the parts for operators.
 * @param publicUrl of the stage
 */
export function viewForDashboard(connection: Connection, publicUrl: string) {
  const { org_id: _, api_domain: __, health, ...view } = viewConnection(connection, publicUrl);
  const { status, reason, last_delivery_at, channel_expiry, rejection, missed_sweep } = health;
  const { grant, revision = 0, updated_at, updated_by } = connection;
  return {
    ...view,
    health: { status, reason, last_delivery_at, channel_expiry, rejection, ...(missed_sweep && { missed_sweep }) },
    is_connected: isConnected(connection),
    data_center: grant?.data_center ?? null,
    granted_at: grant?.granted_at ?? null,
    organizations: grant?.organizations ?? null,
    consented: grant?.identity ?? null,
    pending_consent: viewPendingConsent(connection),
    revision,
    updated_at: updated_at ?? null,
    updated_by: updated_by ?? null,
    set_up: setUpOf(connection),
    next_step: nextStepOf(connection) ?? null,
    without_effect: withoutEffect(connection),
  };
}

/**
 * Returns an entry of Activity as the dashboard's API shows it: phones are masked, and the payload's values are not
 * stored.
 */
export const viewEvent = (entry: Shown<ActivityEntry>) => ({
  event_id: entry.event_id,
  at: entry.at,
  source: entry.source,
  event: entry.event,
  test: entry.test,
  lead_id: entry.lead_id ?? null,
  phone_masked: entry.phone_masked ?? null,
  owner_id: entry.owner_id ?? null,
  outcome: entry.outcome,
  reason: entry.reason,
  call_id: entry.call_id ?? null,
  scheduled_for: entry.scheduled_for ?? null,
});
