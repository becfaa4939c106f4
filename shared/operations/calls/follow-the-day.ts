import type { Call } from '../../domain/calls/call.ts';
import { claimFor, claimKeysOf } from '../../domain/calls/lead-claims.ts';
import { type ActivityEntry, activityExpiry } from '../../domain/connections/activity.ts';
import { maskPhone } from '../../domain/text/phone-number.ts';
import { istDay } from '../../domain/time/ist-day.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { Write } from '../../stores/dynamodb/transaction.ts';
import { type GiveUpCallDeps, giveUpCall } from './end-call.ts';

export type ClaimWrite = 'lead claim' | 'phone claim' | 'former lead claim' | 'former phone claim';

const nothing: Record<ClaimWrite, undefined> = {
  'lead claim': undefined,
  'phone claim': undefined,
  'former lead claim': undefined,
  'former phone claim': undefined,
};

/**
 * A lead's call that is dialed on another IST day, or at another phone, than it was claimed for takes those claims and drops
 * the old ones, in the transaction that settles it: the day of a claim is the day on which the phone rings.
 * @param to.at when it is dialed. @param to.phone E.164; the call's own unless given.
 * @returns no day where the claims are those already, or the call has none.
 */
export function movingClaims(
  claims: Pick<ClaimStore, 'taking' | 'freeing'>,
  call: Call,
  { at, phone = call.phone_number }: { at: string | Date; phone?: string },
): { day?: string; writes: Record<ClaimWrite, Write | undefined> } {
  const { lead, claims_day } = call;
  if (!lead || !claims_day) return { writes: nothing };
  const now = new Date(at);
  const day = istDay(now);
  const wanted = claimKeysOf({ ...call, phone_number: phone }, lead, day);
  const former = claimKeysOf(call, lead, claims_day);
  const owner = { eventId: lead.event_id, callId: call.call_id, now };
  const move = (from: string, to: string) =>
    from === to ? [] : ([claims.taking(claimFor(to, owner)), claims.freeing(from, lead.event_id)] as const);
  const [leadClaim, formerLeadClaim] = move(former.lead, wanted.lead);
  const [phoneClaim, formerPhoneClaim] = move(former.phone, wanted.phone);
  return {
    ...(day !== claims_day && { day }),
    writes: {
      'lead claim': leadClaim,
      'phone claim': phoneClaim,
      'former lead claim': formerLeadClaim,
      'former phone claim': formerPhoneClaim,
    },
  };
}

const reasons = {
  already_called: 'The call moved beyond midnight IST, and this lead was called on the new day already.',
  phone_already_called: 'The call moved beyond midnight IST or to another phone, and that number was called already.',
} as const;

export type TakenOutcome = keyof typeof reasons;

/** Which of the claims that a call wanted another event has. */
export const takenOutcome = (refused: Partial<Record<ClaimWrite, unknown>>): TakenOutcome | undefined =>
  refused['lead claim'] ? 'already_called' : refused['phone claim'] ? 'phone_already_called' : undefined;

/**
 * Cancels a lead's call whose new day another event has claimed, and says so in Activity, in one transaction.
 * @returns a word for the log.
 */
export async function cancelAsCalled(
  deps: GiveUpCallDeps & { activity: Pick<ActivityStore, 'adding'> },
  call: Call,
  outcome: TakenOutcome,
): Promise<string> {
  const { lead } = call;
  if (!lead) return 'not_waiting';
  const told = { suffix: 'dial', source: 'dial', outcome, reason: reasons[outcome] } as const;
  const entry = lateEntry({ ...call, lead }, told, deps.now());
  const activity = deps.activity.adding(entry);
  return (await giveUpCall(deps, call, 'canceled', outcome, { activity })) ? outcome : 'not_waiting';
}

/** A call for a lead. */
type LeadCall = Pick<Call, 'call_id' | 'org_id' | 'phone_number'> & { lead: NonNullable<Call['lead']> };

export const takenReason = (outcome: TakenOutcome): string => reasons[outcome];

/**
 * What Activity says of a lead's call after its event was decided.
 * @param told.suffix names the happening, so that it has one entry however often it is tried.
 */
export function lateEntry(
  { call_id, org_id, phone_number, lead }: LeadCall,
  told: Pick<ActivityEntry, 'source' | 'outcome' | 'reason'> &
    Partial<Pick<ActivityEntry, 'scheduled_for' | 'retryable'>> & { suffix: string },
  now: Date,
): ActivityEntry {
  const { suffix, ...rest } = told;
  const at = now.toISOString();
  return {
    connection_id: lead.connection_id,
    event_id: `${lead.event_id}.${suffix}`,
    org_id,
    at,
    event: lead.event,
    test: lead.test,
    lead_id: lead.lead_id,
    phone_masked: maskPhone(phone_number),
    ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    call_id,
    payload_keys: [],
    ...rest,
    expires_at: activityExpiry(at),
  };
}
