import { leadClaimKey, phoneClaimKey } from '../../../domain/calls/day-claims.ts';
import type { Outcome } from '../../../domain/connections/activity.ts';
import { sundayClaimKey } from '../../../domain/leads/sunday-retry.ts';
import { istDays } from '../../../domain/time/ist-day.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { ShownEntry } from '../../../stores/connections/activity.ts';

export type FindOtherCallDeps = { claims: Pick<ClaimStore, 'calls'> };

/** BatchGetItem reads 100 keys at most. */
const MOST_DAYS = 92;

/**
 * Finds the call that stood in an event's way, by the claims that it holds (docs/leads.md, "Claims"). A call that rang
 * no phone has freed them.
 * @param phone E.164, where it is known
 * @returns the call's id
 */
export async function findOtherCall(
  { claims }: FindOtherCallDeps,
  entry: ShownEntry,
  phone: string | undefined,
  now: Date,
): Promise<string | undefined> {
  const keys = claimsInTheWay(entry, phone, now);
  if (keys.length === 0) return undefined;
  const calls = await claims.calls(keys);
  const ids = keys.map((key) => calls.get(key));
  return ids.find((id) => id !== undefined && id !== entry.call_id);
}

/** The claims that another event held, the day of this event first. */
function claimsInTheWay(entry: ShownEntry, phone: string | undefined, now: Date): string[] {
  const { connection_id, org_id, lead_id, outcome, at } = entry;
  const days = istDays(new Date(at), now, MOST_DAYS).reverse();
  const ofLead: readonly Outcome[] = ['already_called', 'already_called_race'];
  if (ofLead.includes(outcome) && lead_id !== undefined)
    return days.map((day) => leadClaimKey(connection_id, lead_id, day));
  if (outcome === 'phone_already_called' && phone !== undefined)
    return days.map((day) => phoneClaimKey(org_id, phone, day));
  if (outcome === 'retried_recently' && lead_id !== undefined) return [sundayClaimKey(connection_id, lead_id)];
  return [];
}
