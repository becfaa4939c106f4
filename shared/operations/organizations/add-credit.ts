import { randomBytes } from 'node:crypto';
import { topUpEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

export type AddCreditDeps = {
  organizations: Pick<OrganizationStore, 'toppingUp' | 'parse'>;
  ledger: Pick<CreditLedger, 'adding'>;
  transact: Transact;
  now: () => Date;
};

export type CreditAddition =
  | { kind: 'added' }
  | { kind: 'org_not_found' }
  /** `available`: units that could have been taken back. */
  | { kind: 'insufficient_credits'; available: number };

/**
 * Adds credit to an org together with its ledger entry, or takes back what is available.
 * @param addition.amount units; negative takes back, never what calls hold.
 */
export async function addCredit(
  deps: AddCreditDeps,
  { org_id, amount, reason }: { org_id: string; amount: number; reason?: string },
): Promise<CreditAddition> {
  const entry = topUpEntry(org_id, randomBytes(8).toString('hex'), amount, deps.now().toISOString(), reason);
  const result = await deps.transact({
    org: deps.organizations.toppingUp(org_id, amount),
    ledger: deps.ledger.adding(entry),
  });
  // The entry's key is ours alone: where it stands already, an earlier try of this very transaction went through.
  if (result.committed || result.refused.ledger) return { kind: 'added' };
  const standing = result.refused.org?.item;
  if (!standing) return { kind: 'org_not_found' };
  return { kind: 'insufficient_credits', available: deps.organizations.parse(standing).available };
}
