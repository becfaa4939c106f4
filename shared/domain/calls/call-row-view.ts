import { toCredits } from '../organizations/credit.ts';
import type { Call } from './call.ts';
import { sourceOf } from './call-source.ts';
import { isTerminal } from './call-status.ts';

/** Whether the call may change from one second to the next: it waits for a line, or is dialed, or talks. */
const isLive = ({ status }: Pick<Call, 'status'>): boolean => !isTerminal(status) && status !== 'scheduled';

/** A call in the dashboard's list: duration in seconds, cost in credits, null for unknown values. */
export const viewCallRow = (call: Call) => ({
  id: call.call_id,
  placed_at: call.created_at,
  phone_number: call.phone_number,
  assistant: { id: call.assistant_id, name: call.assistant_name },
  source: sourceOf(call),
  status: call.status,
  ended_reason: call.ended_reason ?? null,
  scheduled_for: call.status === 'scheduled' ? (call.scheduled_for ?? null) : null,
  started_at: call.started_at ?? null,
  duration: call.duration ?? null,
  cost: call.cost === undefined ? null : toCredits(call.cost),
  success: call.analysis?.result?.success_eval ?? null,
  callback_status: call.callback_status ?? null,
  is_live: isLive(call),
});
