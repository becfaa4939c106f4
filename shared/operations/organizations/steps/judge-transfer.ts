import { whyNotAllowed } from '../../../domain/organizations/destination-rule.ts';
import { canonicalE164 } from '../../../domain/text/national-number.ts';
import type { OrganizationStore } from '../../../stores/organizations/organizations.ts';

export type JudgeTransferDeps = { organizations: Pick<OrganizationStore, 'get'> };

export type TransferRefusal = { kind: 'destination_not_allowed'; message: string };

/**
 * Decides whether an assistant may get a number to transfer calls to: one that its organization may call
 * (docs/call-lifecycle.md, "Where calls may go"). The dial asks again, because the countries may change.
 * @param number E.164; undefined = none. @returns why not; undefined if it may.
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
