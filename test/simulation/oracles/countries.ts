import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { whyNotAllowed } from '../../../shared/domain/organizations/destination-rule.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { Fail } from './violation.ts';

/**
 * Checks, at each dial claim, that its organization may call the number (docs/call-lifecycle.md, "Allowed
 * destinations").
 */
export function countriesOracle(fail: Fail) {
  const orgs = new Map<string, Organization>();
  return {
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      if (table === 'organizations') orgs.set(String(after?.org_id), after as Organization);
      if (table !== 'calls') return;
      const { call_id: id, org_id, phone_number, dial_claimed_at } = after as Call;
      if (dial_claimed_at === undefined || dial_claimed_at === before?.dial_claimed_at) return;
      const refusal = whyNotAllowed(orgs.get(org_id) as Organization, phone_number);
      if (refusal) fail('rang when it must not', `${id} is dialed to ${refusal.country}`, [id, org_id]);
    },
  };
}
