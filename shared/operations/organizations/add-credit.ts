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
  /** `available`: units that can be taken back. */
  | { kind: 'insufficient_credits'; available: number };

/**
 * Adds credit to an organization, with a ledger entry.
 * @param addition.amount units; negative takes credit back, but never what calls hold.
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
  // The entry's key is random, so an existing entry means that an earlier try of this transaction was committed.
  if (result.committed || result.refused.ledger) return { kind: 'added' };
  const stored = result.refused.org?.item;
  if (!stored) return { kind: 'org_not_found' };
  return { kind: 'insufficient_credits', available: deps.organizations.parse(stored).available };
}
