import { activityExpiry } from '../domain/activity.ts';
import type { Call } from '../domain/call.ts';
import { istDay } from '../domain/ist-day.ts';
import { claimFor, claimKeysOf } from '../domain/lead-claims.ts';
import { maskPhone } from '../domain/phone-number.ts';
import type { ActivityStore } from '../stores/activity.ts';
import type { ClaimStore } from '../stores/claims.ts';
import type { Write } from '../stores/transaction.ts';
import { type GiveUpCallDeps, giveUpCall } from './end-call.ts';

export type ClaimWrite = 'lead claim' | 'phone claim' | 'former lead claim' | 'former phone claim';

const nothing: Record<ClaimWrite, undefined> = {
  'lead claim': undefined,
  'phone claim': undefined,
  'former lead claim': undefined,
  'former phone claim': undefined,
};

/**
 * A lead's call that is dialed on another IST day than it was claimed for takes that day's claims and drops the old ones,
 * in the transaction that claims the dial: the day of a claim is the day on which the phone rings.
 * @param at when it is dialed. @returns no day where the claims are of that day, or the call has none.
 */
export function movingToToday(
  claims: Pick<ClaimStore, 'taking' | 'freeing'>,
  call: Call,
  at: string,
): { day?: string; writes: Record<ClaimWrite, Write | undefined> } {
  const { lead, claims_day } = call;
  const now = new Date(at);
  const day = istDay(now);
  if (!lead || !claims_day || claims_day === day) return { writes: nothing };
  const [today, former] = [claimKeysOf(call, lead, day), claimKeysOf(call, lead, claims_day)];
  const owner = { eventId: lead.event_id, callId: call.call_id, now };
  return {
    day,
    writes: {
      'lead claim': claims.taking(claimFor(today.lead, owner)),
      'phone claim': claims.taking(claimFor(today.phone, owner)),
      'former lead claim': claims.freeing(former.lead, lead.event_id),
      'former phone claim': claims.freeing(former.phone, lead.event_id),
    },
  };
}

const reasons = {
  already_called: 'The call waited beyond midnight IST, and this lead was called on the new day already.',
  phone_already_called: 'The call waited beyond midnight IST, and this number was called on the new day already.',
} as const;

/**
 * Cancels a lead's call whose new day another event has claimed, and says so in Activity, in one transaction.
 * @returns a word for the log.
 */
export async function cancelAsCalled(
  deps: GiveUpCallDeps & { activity: Pick<ActivityStore, 'adding'> },
  call: Call,
  outcome: keyof typeof reasons,
): Promise<string> {
  const { lead } = call;
  if (!lead) return 'not_waiting';
  const at = deps.now().toISOString();
  const activity = deps.activity.adding({
    connection_id: lead.connection_id,
    event_id: `${lead.event_id}.dial`,
    org_id: call.org_id,
    at,
    source: 'dial',
    event: lead.event,
    test: lead.test,
    lead_id: lead.lead_id,
    phone_masked: maskPhone(call.phone_number),
    ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    outcome,
    reason: reasons[outcome],
    call_id: call.call_id,
    payload_keys: [],
    expires_at: activityExpiry(at),
  });
  return (await giveUpCall(deps, call, 'canceled', outcome, { activity })) ? outcome : 'not_waiting';
}
