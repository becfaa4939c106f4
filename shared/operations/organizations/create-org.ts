import { randomBytes } from 'node:crypto';
import { newOrgId } from '../../domain/ids.ts';
import { topUpEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

export type CreateOrgDeps = {
  organizations: Pick<OrganizationStore, 'creation'>;
  ledger: Pick<CreditLedger, 'adding'>;
  transact: Transact;
  /** Seals a callback secret under its org. */
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

/** Creates an org with its credit, the ledger entry of it, and a callback secret. @returns the org as it is kept. */
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
  // The id is random: where it is taken, it was by this very transaction, whose answer was lost.
  if (!result.committed && !result.refused.org) throw new Error('the opening entry stands without its org');
  return org;
}

export const HINT_CHARACTERS = 4;
const SECRET_BYTES = 32;

/** A signing secret by Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
