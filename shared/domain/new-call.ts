import type { Assistant } from './assistant.ts';
import type { Call } from './call.ts';
import { holdFor } from './credit.ts';
import { DEFAULT_WAIT_MINUTES, dialBy } from './dial-timing.ts';
import type { Organization } from './organization.ts';

type Placed = Pick<Call, 'call_id' | 'request_id' | 'phone_number' | 'request_metadata'> &
  Partial<Pick<Call, 'idempotency_key' | 'callback_url' | 'callback_status' | 'lead' | 'claims_day'>>;

/**
 * A call as it begins: queued, on the terms that org and assistant have now.
 * @param waitMinutes how long it may wait for its dial where the org sets nothing.
 */
export function queuedCall(
  placed: Placed,
  org: Pick<Organization, 'org_id' | 'rate' | 'max_wait_minutes'>,
  assistant: Pick<Assistant, 'assistant_id' | 'name' | 'max_duration_seconds'>,
  now: Date,
  waitMinutes = DEFAULT_WAIT_MINUTES,
): Call {
  const created_at = now.toISOString();
  return {
    ...placed,
    org_id: org.org_id,
    status: 'queued',
    assistant_id: assistant.assistant_id,
    assistant_name: assistant.name,
    created_at,
    progress_at: created_at,
    unfinished: 'waiting',
    rate: org.rate,
    max_duration_seconds: assistant.max_duration_seconds,
    held: holdFor(org.rate, assistant.max_duration_seconds),
    dial_by: dialBy(created_at, org.max_wait_minutes ?? waitMinutes),
    dial_after: created_at,
    attempts: 0,
  };
}
