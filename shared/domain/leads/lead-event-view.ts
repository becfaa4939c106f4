import type { Call } from '../calls/call.ts';
import type { ActivityEntry } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';

/**
 * Returns an entry of Activity for the dashboard.
 * @param crm the type of its connection. @param call its call, if it exists
 */
export const viewLeadEvent = (
  entry: Omit<Shown<ActivityEntry>, 'retryable'>,
  crm: string,
  call: Pick<Shown<Call>, 'status' | 'ended_reason'> | undefined,
) => ({
  id: entry.event_id,
  at: entry.at,
  connection_id: entry.connection_id,
  crm,
  source: entry.source,
  event: entry.event,
  is_test: entry.test,
  lead_id: entry.lead_id ?? null,
  phone_masked: entry.phone_masked ?? null,
  owner_id: entry.owner_id ?? null,
  outcome: entry.outcome,
  reason: entry.reason,
  call:
    entry.call_id === undefined
      ? null
      : { id: entry.call_id, status: call?.status ?? null, ended_reason: call?.ended_reason ?? null },
  is_superseded: entry.superseded_by !== undefined,
  scheduled_for: entry.scheduled_for ?? null,
  payload_keys: entry.payload_keys,
});
