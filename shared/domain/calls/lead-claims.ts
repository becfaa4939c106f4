import type { Call } from './call.ts';

/** What makes a lead, or a phone of an org, called only once a day: an item that one event owns. */
export type LeadClaim = { claim: string; event_id: string; call_id: string; at: string; expires_at: number };

/** The keys of the claims that a call for a lead takes on an IST day (interface, "Webhook processing rules", 6). */
export type ClaimKeys = { lead: string; phone: string };

/** @param day IST, as `istDay` gives it: it stands last, so that no id can look like another claim. */
export const leadClaimKey = (connectionId: string, leadId: string, day: string): string =>
  `lead#${connectionId}#${leadId}#${day}`;

export const phoneClaimKey = (orgId: string, phone: string, day: string): string => `phone#${orgId}#${phone}#${day}`;

export const claimKeysOf = (call: Pick<Call, 'org_id' | 'phone_number'>, lead: LeadOfCall, day: string): ClaimKeys => ({
  lead: leadClaimKey(lead.connection_id, lead.lead_id, day),
  phone: phoneClaimKey(call.org_id, call.phone_number, day),
});

type LeadOfCall = NonNullable<Call['lead']>;

/** As long as Activity, from which an event may be queued again: its own day's claim still tells. */
const KEPT_SECONDS = 92 * 24 * 60 * 60;

/** A claim that may be written. @param key as the functions above make them. */
export const claimFor = (
  key: string,
  { eventId, callId, now }: { eventId: string; callId: string; now: Date },
): LeadClaim => ({
  claim: key,
  event_id: eventId,
  call_id: callId,
  at: now.toISOString(),
  expires_at: Math.floor(now.getTime() / 1000) + KEPT_SECONDS,
});
