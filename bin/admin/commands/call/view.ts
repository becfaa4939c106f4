import type { Callback } from '../../../../shared/domain/after-call/callbacks/callback.ts';
import { viewTicket } from '../../../../shared/domain/after-call/tickets/ticket-view.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import type { Shown } from '../../../../shared/domain/newer-values.ts';

/** Returns the REST API's Call object, with the members that only operators see. */
export const viewCallForOperators = (call: Shown<Call>) => ({
  ...viewCall(call),
  org_id: call.org_id,
  created_at: call.created_at,
  placed_by: call.placed_by ?? null,
  dial_by: call.dial_by,
  scheduled_for: call.scheduled_for ?? null,
  attempts: call.attempts,
  crm_b: viewCrmB(call),
  analysis_state: call.analysis?.state ?? null,
  analysis_error: call.analysis?.error ?? null,
  analysis_is_cut: call.analysis?.is_cut ?? false,
  analyzed_at: call.analyzed_at ?? null,
  lead_intent: call.analysis?.result?.lead_intent ?? null,
  issue_summary: call.analysis?.result?.issue_summary ?? null,
  do_not_call: call.analysis?.result?.do_not_call ?? null,
  ticket: viewTicket(call),
  metadata: call.metadata ?? {},
});

/** Returns the call's writes to CRM-B; null if the call has no lead of CRM-B. */
function viewCrmB({ crm_b_sync, call_log, note, crm_b_sync_error }: Shown<Call>) {
  if (!crm_b_sync) return null;
  const errors = [call_log?.error, note?.error, crm_b_sync_error].filter((error) => error !== undefined);
  return { call_log_id: call_log?.id ?? null, note_id: note?.id ?? null, error: errors.join('; ') || null };
}

type Attempt = {
  type: string;
  at: string | null;
  status_code: number | null;
  error: string | null;
  next_attempt_at: string | null;
};

/** Lists one row per attempt, oldest first. The last attempt of a pending notification has the time of the next one. */
export const viewCallbacks = (callbacks: readonly Shown<Callback>[]): Attempt[] =>
  callbacks.flatMap(viewCallback).sort((one, other) => instantOf(one).localeCompare(instantOf(other)));

function viewCallback({ type, attempts, state, next_attempt_at }: Shown<Callback>): Attempt[] {
  const next = next_attempt_at ?? null;
  if (attempts.length === 0 && state === 'pending')
    return [{ type, at: null, status_code: null, error: null, next_attempt_at: next }];
  return attempts.map(({ at, status_code, error }, index) => ({
    type,
    at,
    status_code: status_code ?? null,
    error: error ?? null,
    next_attempt_at: index === attempts.length - 1 ? next : null,
  }));
}

const instantOf = ({ at, next_attempt_at }: Attempt): string => at ?? next_attempt_at ?? '';
