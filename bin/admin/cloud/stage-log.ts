import { newToken } from '../../../shared/domain/ids.ts';
import { auditEntryOf, STAGE, type StageAction } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import type { Cloud } from './cloud.ts';

/**
 * Records an operator's operation on the whole stage in the audit log. Call it before the operation, which runs in
 * another service and cannot join the transaction: a crash may then leave an entry without its operation, but never an
 * operation without its entry.
 * @param object of the operation, for example the name of a secret
 * @param after facts, never a secret
 * @throws Refusal stale_checkout
 */
export async function noteOperatorAction(
  cloud: Pick<Cloud, 'audit' | 'transact' | 'now' | 'operator'>,
  action: StageAction,
  object: string,
  after?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const actor = await cloud.operator();
  const entry = { org_id: STAGE, actor, action, thing: { id: STAGE, name: object }, ...(after && { after }) };
  await cloud.transact({ audit: cloud.audit.adding(auditEntryOf(entry, cloud.now(), newToken())) });
}
