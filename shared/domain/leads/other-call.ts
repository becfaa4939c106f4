import type { Call } from '../calls/call.ts';
import { rankOf } from '../calls/call-status.ts';
import type { Outcome } from '../connections/activity.ts';

/**
 * What the call of another lead means for an event with the same phone. `waits`: it may still ring. `counts`: the phone
 * was called, or a person decides about it. `frees_phone`: it ended unrung, for a reason that concerns its lead alone.
 */
export type OtherCall = 'waits' | 'counts' | 'frees_phone';

/**
 * Ends of a call that concern its lead, its connection or its assistant, but not its phone. The CRM's do-not-call flag
 * is missing on purpose: the person may have asked for it. A call that expired can be retried.
 */
const endsOfTheLead: readonly string[] = [
  'owner_mismatch',
  'lead_not_found',
  'no_dialable_phone',
  'auto_call_disabled',
  'assistant_missing',
  'crm_unavailable',
] satisfies Outcome[];

/** @param phone the phone of the event that the call prevents, E.164. The call may have moved to another one */
export function stateOfOtherCall(
  call: Pick<Call, 'status' | 'phone_number' | 'ended_reason'>,
  phone: string,
): OtherCall {
  if (call.phone_number !== phone) return 'frees_phone';
  if (rankOf(call.status) < rankOf('ringing')) return 'waits';
  return call.ended_reason !== undefined && endsOfTheLead.includes(call.ended_reason) ? 'frees_phone' : 'counts';
}
