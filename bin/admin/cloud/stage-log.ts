import { newToken } from '../../../shared/domain/ids.ts';
import { auditEntryOf, STAGE, type StageAction } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import type { Cloud } from './cloud.ts';

/**
 * Records in the audit log an operator's imminent operation on the whole stage, in a service that cannot share a
 * transaction with it. A crash may leave an entry without the operation, but never an operation without its entry.
 * @param of the object of the operation, for example the name of a secret @param after facts, never a secret
 */
export async function noteOperatorAction(
  cloud: Pick<Cloud, 'audit' | 'transact' | 'now' | 'operator'>,
  action: StageAction,
  of: string,
  after?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const actor = await cloud.operator();
  const entry = { org_id: STAGE, actor, action, thing: { id: STAGE, name: of }, ...(after && { after }) };
  await cloud.transact({ audit: cloud.audit.adding(auditEntryOf(entry, cloud.now(), newToken())) });
}
