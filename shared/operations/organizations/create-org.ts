import { newOrgId } from '../../domain/ids.ts';
import { HINT_CHARACTERS, newCallbackSecret } from '../../domain/organizations/callback-secret.ts';
import { topUpEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

export type CreateOrgDeps = {
  organizations: Pick<OrganizationStore, 'creation'>;
  ledger: Pick<CreditLedger, 'adding'>;
  transact: Transact;
  /** Encrypts a callback secret for its organization. */
  seal: (orgId: string, secret: string) => Promise<string>;
  now: () => Date;
};

export type NewOrg = {
  name: string;
  /** Units. */
  credit: number;
  /** Units per started minute. */
  rate: number;
  default_region: string;
  platform_numbers: string[];
};

/** Creates an organization with its credit, the ledger entry of the credit, and a callback secret. */
export async function createOrg(deps: CreateOrgDeps, { credit, ...settings }: NewOrg): Promise<Organization> {
  const org_id = newOrgId();
  const created_at = deps.now().toISOString();
  const secret = newCallbackSecret();
  const org: Organization = {
    org_id,
    ...settings,
    created_at,
    available: credit,
    held: 0,
    callback_secrets: [{ ciphertext: await deps.seal(org_id, secret), hint: secret.slice(-HINT_CHARACTERS) }],
  };
  const result = await deps.transact({
    org: deps.organizations.creation(org),
    ledger:
      credit === 0
        ? undefined
        : deps.ledger.adding(topUpEntry(org_id, 'opening', credit, created_at, 'opening credit')),
  });
  // The id is random, so an existing organization means that an earlier try of this transaction was committed.
  if (!result.committed && !result.refused.org)
    throw new Error('the ledger has an opening entry without an organization');
  return org;
}
