import { whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import { canonicalE164 } from '../../../domain/text/national-number.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type JudgeTransferDeps = { organizations: Pick<OrganizationStore, 'get'> };

export type TransferRefusal = { kind: 'destination_not_allowed'; message: string };

/**
 * Decides whether an assistant may transfer calls to a number: its organization must be allowed to call it
 * (docs/call-lifecycle.md, "Allowed destinations"). The dial checks again, because the countries may change.
 * @param number E.164; undefined if there is none @returns why not; undefined if it may
 */
export async function judgeTransfer(
  { organizations }: JudgeTransferDeps,
  orgId: string,
  number: string | undefined,
): Promise<TransferRefusal | undefined> {
  const org = number === undefined ? undefined : await organizations.get(orgId);
  const refusal = org && number !== undefined ? whyNotAllowed(org, canonicalE164(number)) : undefined;
  return refusal && { kind: 'destination_not_allowed', message: refusal.message };
}
