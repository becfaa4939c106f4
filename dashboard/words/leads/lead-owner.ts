import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';

type Verdict = NonNullable<Explanation['verdict']>;

export function ownerSentence({ lead, wanted }: Verdict['owner']): string {
  if (wanted === null) return 'Not called: the connection does not say whose leads are called.';
  if (lead === null) return `Not called: the lead had no owner. Calls go to leads of ${formatOwner(wanted)}.`;
  if (lead === wanted)
    return `Not called: at that time, the leads of another owner were called. Now calls go to leads of ${formatOwner(lead)}.`;
  return `Not called: it belonged to ${formatOwner(lead)}. Calls go to leads of ${formatOwner(wanted)}.`;
}

/** Names an owner by the id, which may be a name in the CRM. */
export const formatOwner = (id: string): string => `the owner with the id “${id}”`;

/** An owner whose leads the connection could call instead of those of `wanted`. */
export type OwnerToUse = { connection_id: string; crm: Verdict['crm']; lead: string; wanted: string | null };

/** @returns the owner of a lead that was not called because the connection calls another owner's leads */
export function ownerToUse({ verdict }: Explanation): OwnerToUse | undefined {
  if (verdict?.outcome !== 'owner_mismatch') return undefined;
  const { connection_id, crm, owner } = verdict;
  if (owner.lead === null || owner.lead === owner.wanted) return undefined;
  return { connection_id, crm, lead: owner.lead, wanted: owner.wanted };
}
