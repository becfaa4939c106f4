import { endOfIstDay } from '../../time/ist-day.ts';
import type { Call } from '../call.ts';
import { type Claim, claimFor, expiringClaimFor } from './claim.ts';

/**
 * Keys of the claims that a lead's call holds on an IST day, so that no lead and no phone is called twice on it
 * (docs/leads.md, "Claims").
 */
export type DayClaimKeys = { lead: string; phone: string };

/**
 * Returns the key of a lead's claim on a day.
 * @param day IST. It is the last part of the key, so that a lead id that contains `#` cannot form the key of another
 * lead.
 */
export const leadClaimKey = (connectionId: string, leadId: string, day: string): string =>
  `lead#${connectionId}#${leadId}#${day}`;

export const phoneClaimKey = (orgId: string, phone: string, day: string): string => `phone#${orgId}#${phone}#${day}`;

export const dayClaimKeys = (
  call: Pick<Call, 'org_id' | 'phone_number'>,
  lead: Pick<NonNullable<Call['lead']>, 'connection_id' | 'lead_id'>,
  day: string,
): DayClaimKeys => ({
  lead: leadClaimKey(lead.connection_id, lead.lead_id, day),
  phone: phoneClaimKey(call.org_id, call.phone_number, day),
});

type ClaimOwner = Parameters<typeof claimFor>[1];

const DAY_MS = 86_400_000;

/**
 * Builds the claims on an IST day. The lead's claim is also checked for earlier days, as long as an event can be
 * retried. The phone's claim, whose key contains the number, counts only on its own day.
 */
export const dayClaimsFor = (
  { lead, phone }: DayClaimKeys,
  day: string,
  owner: ClaimOwner,
): { lead: Claim; phone: Claim } => ({
  lead: claimFor(lead, owner),
  phone: expiringClaimFor(phone, owner, endOfIstDay(day)),
});

/**
 * The days after a lead's claim in which a message may still need it: a dead letter is stored for 7 days, and for
 * another 7 if it is redriven once and fails again; an event of a catch-up counts calls from up to 2 days and 2 hours
 * before it was queued.
 */
export const QUEUED_DAYS = 17;

/**
 * Builds the claim with which an erasure replaces a day claim.
 * @param days how long it counts after the day has ended
 */
export const hiddenClaimFor = (key: string, day: string, owner: ClaimOwner, days = 0): Claim => ({
  ...claimFor(key, owner),
  expires_at: Math.floor((endOfIstDay(day).getTime() + days * DAY_MS) / 1000),
});

/** A day claim that replaces another one. */
export type ClaimMove = { take: Claim; free: string };

/**
 * Compares the day claims that a call holds with the ones it needs.
 * @param needed.day IST day on which its phone will ring. @param needed.phone E.164.
 * @returns the changes: none for a call without day claims.
 */
export function dayClaimMoves(
  call: Pick<Call, 'call_id' | 'org_id' | 'phone_number' | 'lead' | 'claims_day'>,
  needed: { day: string; phone: string },
  now: Date,
): { day?: string; lead?: ClaimMove; phone?: ClaimMove } {
  const { lead, claims_day } = call;
  if (!lead || !claims_day) return {};
  const held = dayClaimKeys(call, lead, claims_day);
  const wanted = dayClaimKeys({ ...call, phone_number: needed.phone }, lead, needed.day);
  const owner = { ownerId: lead.event_id, callId: call.call_id, now };
  const taken = dayClaimsFor(wanted, needed.day, owner);
  const move = (subject: keyof DayClaimKeys) =>
    held[subject] !== wanted[subject] && { [subject]: { take: taken[subject], free: held[subject] } };
  return { ...(needed.day !== claims_day && { day: needed.day }), ...move('lead'), ...move('phone') };
}

/** Why a call cannot be dialed on its new day, or at its new phone: another event holds the claim. */
export const alreadyCalledReasons = {
  already_called: 'The call waited beyond midnight IST, and this lead has already been called on the new day.',
  phone_already_called:
    'The call waited beyond midnight IST or changed to another phone, and that number has already been called.',
} as const;

/** `behind`: the call that claims the phone instead, and the phone. That call may still end before it rings. */
export type AlreadyCalled = {
  outcome: keyof typeof alreadyCalledReasons;
  behind?: { call_id: string; phone_number: string };
};
