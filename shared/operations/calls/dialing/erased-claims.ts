import type { Call } from '../../../domain/calls/call.ts';
import { type DayClaimKeys, dayClaimKeys, hiddenClaimFor } from '../../../domain/calls/dialing/day-claims.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';

export type ErasedClaimsDeps = { doNotCall: Pick<DoNotCallStore, 'hashOf'> };

type Callee = Pick<Call, 'org_id' | 'phone_number'>;
type Lead = Pick<NonNullable<Call['lead']>, 'connection_id' | 'lead_id'>;

/**
 * Returns the keys with which an erasure replaces day claims: keyed hashes replace the lead's id and the number
 * (docs/personal-data.md, "Remaining data").
 */
export async function erasedClaimKeys(
  { doNotCall }: ErasedClaimsDeps,
  { org_id, phone_number }: Callee,
  { connection_id, lead_id }: Lead,
  day: string,
): Promise<DayClaimKeys> {
  const [phone, lead] = await Promise.all([doNotCall.hashOf(org_id, phone_number), doNotCall.hashOf(org_id, lead_id)]);
  return dayClaimKeys({ org_id, phone_number: phone }, { connection_id, lead_id: lead }, day);
}

/** The checks of a transaction that no erased call has the claim on the lead or the number for the day. */
export const checkingErasedClaims = ['no erased lead claim', 'no erased phone claim'] as const;
export type ErasedClaimCheck = (typeof checkingErasedClaims)[number];

/**
 * Returns the writes that refuse the dial of a lead's call if another call to the lead or the number rang on the day
 * and was erased.
 */
export async function checkErasedClaims(
  deps: ErasedClaimsDeps & { claims: Pick<ClaimStore, 'requiringFree'> },
  call: Call,
  at: Date,
): Promise<Partial<Record<ErasedClaimCheck, Write>>> {
  if (!call.lead) return {};
  const { lead, phone } = await erasedClaimKeys(deps, call, call.lead, istDay(at));
  return {
    'no erased lead claim': deps.claims.requiringFree(lead),
    'no erased phone claim': deps.claims.requiringFree(phone),
  };
}

/**
 * Replaces a call's day claim on its number by a keyed hash, so that it still prevents a second ring on the day. A
 * no-op if the call does not hold that claim.
 */
export async function hidePhoneClaim(
  deps: ErasedClaimsDeps & { claims: Pick<ClaimStore, 'replacingByHash'>; transact: Transact; now: () => Date },
  call: Call,
): Promise<void> {
  const { call_id: callId, lead, claims_day: day } = call;
  if (!lead || !day) return;
  const clear = dayClaimKeys(call, lead, day);
  const hidden = await erasedClaimKeys(deps, call, lead, day);
  const taken = { ownerId: lead.event_id, callId, now: deps.now() };
  await deps.transact(deps.claims.replacingByHash(clear.phone, hiddenClaimFor(hidden.phone, day, taken)));
}
