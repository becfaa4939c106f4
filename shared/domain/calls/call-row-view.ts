import type { Shown } from '../newer-values.ts';
import { toCredits } from '../organizations/credit.ts';
import type { Call } from './call.ts';
import { isInPhase } from './call-phase.ts';
import { sourceOf } from './call-source.ts';

/** Returns a call for the dashboard's list: duration in seconds, cost in credits, null for unknown values. */
export const viewCallRow = (call: Shown<Call>) => ({
  id: call.call_id,
  placed_at: call.created_at,
  phone_number: call.phone_number,
  assistant: { id: call.assistant_id, name: call.assistant_name },
  source: sourceOf(call),
  status: call.status,
  ended_reason: call.ended_reason ?? null,
  scheduled_for: call.status === 'scheduled' ? (call.scheduled_for ?? null) : null,
  started_at: call.started_at ?? call.answered_at ?? null,
  duration: call.duration ?? null,
  cost: call.cost === undefined ? null : toCredits(call.cost),
  success: call.analysis?.result?.success_eval ?? null,
  callback_status: call.callback_status ?? null,
  is_live: isInPhase(call, 'live'),
});
