import type { Assistant } from '../../organizations/assistants/assistant.ts';
import { holdFor } from '../../organizations/credit.ts';
import { rateFor } from '../../organizations/destination-rule.ts';
import type { Organization } from '../../organizations/organization.ts';
import { type OwnRetention, type Retention, retentionOf } from '../../organizations/retention.ts';
import type { Opening } from '../../time/call-window.ts';
import type { Call } from '../call.ts';
import { DEFAULT_WAIT_MINUTES, dialBy, LEAD_WAIT_MINUTES } from '../dialing/dial-timing.ts';

/** A call before the organization's and assistant's terms are applied. */
export type PlacedCall = Pick<Call, 'call_id' | 'request_id' | 'phone_number' | 'request_metadata'> &
  Partial<
    Pick<
      Call,
      | 'idempotency_key'
      | 'callback_url'
      | 'callback_status'
      | 'lead'
      | 'claims_day'
      | 'crm_b_sync'
      | 'tested_by'
      | 'placed_by'
    >
  >;

/** The organization's terms. `retention`: the stage's defaults. */
type Terms = Pick<Organization, 'org_id' | 'rate' | 'rates' | 'max_wait_minutes'> &
  OwnRetention & { retention?: Retention };

/**
 * Creates a queued call on the current terms of organization and assistant.
 * @param waitMinutes how long it may wait for its dial, unless the organization sets `max_wait_minutes`.
 */
export function queuedCall(
  placed: PlacedCall,
  org: Terms,
  assistant: Pick<Assistant, 'assistant_id' | 'name' | 'max_duration_seconds'>,
  now: Date,
  waitMinutes = DEFAULT_WAIT_MINUTES,
): Call {
  const created_at = now.toISOString();
  const rate = rateFor(org, placed.phone_number);
  const keep = retentionOf(org, org.retention);
  return {
    ...placed,
    org_id: org.org_id,
    status: 'queued',
    assistant_id: assistant.assistant_id,
    assistant_name: assistant.name,
    created_at,
    progress_at: created_at,
    unfinished: 'waiting',
    rate,
    max_duration_seconds: assistant.max_duration_seconds,
    ...(keep && { keep }),
    held: holdFor(rate, assistant.max_duration_seconds),
    dial_by: dialBy(created_at, org.max_wait_minutes ?? waitMinutes),
    dial_after: created_at,
    attempts: 0,
  };
}

type Waiting = Pick<Call, 'dial_by' | 'dial_after'>;

/**
 * Computes when a lead's call may be dialed: never after its call window closes.
 * @param from the earliest dial. @param opening the current opening of the call window; undefined means always open.
 */
export const leadWait = (
  org: Pick<Organization, 'max_wait_minutes'>,
  from: Date,
  opening: Opening | undefined,
): Waiting => {
  const dial_after = from.toISOString();
  const longest = Date.parse(dialBy(dial_after, org.max_wait_minutes ?? LEAD_WAIT_MINUTES));
  const closes = opening?.to.getTime() ?? Number.POSITIVE_INFINITY;
  return { dial_by: new Date(Math.min(longest, closes)).toISOString(), dial_after };
};

/**
 * Creates a lead's call that is dialed now. It holds no credit before its dial, so that a burst of leads does not hold
 * all their maximum costs at once.
 * @param opening the current opening of its call window.
 */
export const queuedLeadCall = (
  placed: PlacedCall,
  org: Terms,
  assistant: Pick<Assistant, 'assistant_id' | 'name' | 'max_duration_seconds'>,
  now: Date,
  opening: Opening | undefined,
): Call => ({ ...queuedCall(placed, org, assistant, now), ...leadWait(org, now, opening), held: 0, holds: 0 });

/** Creates a lead's call that waits for its call window. */
export const scheduledCall = (
  placed: PlacedCall,
  org: Terms,
  assistant: Pick<Assistant, 'assistant_id' | 'name' | 'max_duration_seconds'>,
  now: Date,
  opening: Opening,
): Call => ({
  ...queuedLeadCall(placed, org, assistant, now, opening),
  ...leadWait(org, opening.from, opening),
  status: 'scheduled',
  unfinished: 'scheduled',
  scheduled_for: opening.from.toISOString(),
});
