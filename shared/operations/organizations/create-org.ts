import { newOrgId } from '../../domain/ids.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import { HINT_CHARACTERS, newCallbackSecret } from '../../domain/organizations/callback-secret.ts';
import { toCredits } from '../../domain/organizations/credit.ts';
import { topUpEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { auditedSettings } from '../../domain/organizations/organization-change.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type CreateOrgDeps = AuditedChangeDeps & {
  organizations: Pick<OrganizationStore, 'creation'>;
  ledger: Pick<CreditLedger, 'adding'>;
  /** Encrypts a callback secret for its organization. */
  seal: (orgId: string, secret: string) => Promise<string>;
};

export type NewOrg = {
  name: string;
  /** Units. */
  credit: number;
  /** Units per started minute. */
  rate: number;
  default_region: string;
  countries: string[];
  /** Units per started minute, by country. */
  rates?: Record<string, number>;
  platform_numbers: string[];
};

/** Creates an organization with its credit, entries in ledger and audit log, and a callback secret. */
export async function createOrg(
  deps: CreateOrgDeps,
  actor: Actor,
  { credit, ...settings }: NewOrg,
): Promise<Organization> {
  const org_id = newOrgId();
  const at = deps.now();
  const created_at = at.toISOString();
  const secret = newCallbackSecret();
  const org: Organization = {
    org_id,
    ...settings,
    created_at,
    available: credit,
    held: 0,
    callback_secrets: [{ ciphertext: await deps.seal(org_id, secret), hint: secret.slice(-HINT_CHARACTERS) }],
  };
  const after = { ...auditedSettings(settings), credits: toCredits(credit) };
  const thing = { id: org_id, name: settings.name };
  const result = await deps.transact({
    audit: audited(deps, { org_id, actor, action: 'org.created', thing, after }, at),
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
