import type { Call } from '../calls/call.ts';
import { rankOf } from '../calls/call-status.ts';
import type { Outcome } from '../connections/activity.ts';

/**
 * The effect of another lead's call on an event with the same phone. `waits`: it may still ring. `counts`: the phone
 * was called, or a person decides about it. `frees_phone`: it moved to another phone, or ended before it rang, and no
 * person requested that.
 */
export type OtherCall = 'waits' | 'counts' | 'frees_phone';

/**
 * Ends of a call that concern its lead, its connection, its assistant, or another phone or day. The decision checks the
 * phone itself again. The do-not-call flag is missing on purpose: the person may have asked for it. A call that expired
 * can be retried.
 */
const endsOfTheLead: readonly string[] = [
  'owner_mismatch',
  'lead_not_found',
  'no_dialable_phone',
  'own_platform_number',
  'destination_not_allowed',
  'auto_call_disabled',
  'assistant_missing',
  'crm_unavailable',
  'already_called',
  'phone_already_called',
] satisfies Outcome[];

/**
 * Returns the effect of another lead's call on an event.
 * @param phone of the event, which this call prevents, E.164. The call may have moved to another one
 */
export function stateOfOtherCall(
  call: Pick<Call, 'status' | 'phone_number' | 'ended_reason'>,
  phone: string,
): OtherCall {
  if (call.phone_number !== phone) return 'frees_phone';
  if (rankOf(call.status) < rankOf('ringing')) return 'waits';
  return call.ended_reason !== undefined && endsOfTheLead.includes(call.ended_reason) ? 'frees_phone' : 'counts';
}
