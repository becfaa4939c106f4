import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { toCredits } from '../../domain/organizations/credit.ts';
import { topUpEntry } from '../../domain/organizations/ledger-entry.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type AddCreditDeps = AuditedChangeDeps & {
  organizations: Pick<OrganizationStore, 'get' | 'toppingUp' | 'parse'>;
  ledger: Pick<CreditLedger, 'adding' | 'referring' | 'parseReference'>;
};

export type CreditAddition =
  | { kind: 'added' }
  /** The reference was used before, so nothing was added. `amount`: the units that were added then. */
  | { kind: 'repeated'; amount: number }
  | { kind: 'org_not_found' }
  /** `available`: units that can be taken back. */
  | { kind: 'insufficient_credits'; available: number };

/**
 * Adds credit to an organization, with entries in ledger and audit log.
 * @param addition.amount units; negative takes credit back, but never credit that calls hold.
 * @param addition.reference the operator's name of the payment, such as an invoice number. A repeated reference adds
 * nothing, so that a command can be repeated if its answer was lost.
 */
export async function addCredit(
  deps: AddCreditDeps,
  actor: Actor,
  { org_id, amount, reason, reference }: { org_id: string; amount: number; reason?: string; reference?: string },
): Promise<CreditAddition> {
  const org = await deps.organizations.get(org_id);
  if (!org) return { kind: 'org_not_found' };
  const at = deps.now();
  const entry = topUpEntry(org_id, deps.newToken(), amount, at.toISOString(), reason);
  const thing = { id: org_id, name: org.name };
  const after = { credits: toCredits(amount), reason, reference };
  const result = await deps.transact({
    org: deps.organizations.toppingUp(org_id, amount),
    ledger: deps.ledger.adding(entry),
    reference: reference === undefined ? undefined : deps.ledger.referring(reference, entry),
    audit: audited(deps, { org_id, actor, action: 'org.credit_added', thing, after }, at),
  });
  if (result.committed) return { kind: 'added' };
  const { refused } = result;
  // The entry's key is random, so an existing entry means that an earlier try of this transaction was committed.
  if (refused.ledger) return { kind: 'added' };
  if (refused.reference) return { kind: 'repeated', amount: deps.ledger.parseReference(refused.reference.item).amount };
  const stored = refused.org?.item;
  if (!stored) return { kind: 'org_not_found' };
  return { kind: 'insufficient_credits', available: deps.organizations.parse(stored).available };
}
