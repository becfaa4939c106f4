import { CLAIM_DAYS } from '../../../domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../domain/calls/dialing/sunday-claim.ts';
import type { Outcome } from '../../../domain/connections/activity.ts';
import { istDays } from '../../../domain/time/ist-day.ts';
import type { CallBrief, CallBriefs } from '../../../stores/calls/call-briefs.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ShownEntry } from '../../../stores/connections/activity.ts';

export type FindOtherCallDeps = { claims: Pick<ClaimStore, 'callsOf'>; calls: CallBriefs };

/**
 * Finds the call that prevented an event, by the claims that it holds (docs/leads.md, "Claims"). A call that rang no
 * phone has freed them.
 * @param phone E.164, if it is known
 * @returns the call that was placed nearest to the event
 */
export async function findOtherCall(
  { claims, calls }: FindOtherCallDeps,
  entry: ShownEntry,
  phone: string | undefined,
  now: Date,
): Promise<CallBrief | undefined> {
  const keys = blockingClaimKeys(entry, phone, now);
  if (keys.length === 0) return undefined;
  const found = await calls.get(entry.org_id, await claims.callsOf(keys));
  const distance = (call: CallBrief) => Math.abs(Date.parse(call.created_at) - Date.parse(entry.at));
  return [...found.values()]
    .filter(({ call_id }) => call_id !== entry.call_id)
    .sort((one, other) => distance(one) - distance(other))[0];
}

/** Returns the keys of the claims, from the event's day on, by which another event may have prevented this one. */
function blockingClaimKeys(entry: ShownEntry, phone: string | undefined, now: Date): string[] {
  const { connection_id, org_id, lead_id, outcome, at } = entry;
  const days = istDays(new Date(at), now, CLAIM_DAYS);
  const ofLead = ['already_called', 'already_called_race'] satisfies Outcome[] as string[];
  if (ofLead.includes(outcome) && lead_id !== undefined)
    return days.map((day) => leadClaimKey(connection_id, lead_id, day));
  if (outcome === 'phone_already_called' && phone !== undefined)
    return days.map((day) => phoneClaimKey(org_id, phone, day));
  if (outcome === 'retried_recently' && lead_id !== undefined) return [sundayClaimKey(connection_id, lead_id)];
  return [];
}
