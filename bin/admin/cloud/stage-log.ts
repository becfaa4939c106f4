import { newToken } from '../../../shared/domain/ids.ts';
import { auditEntryOf, STAGE, type StageAction } from '../../../shared/domain/organizations/audit-entry.ts';
import type { Cloud } from './cloud.ts';

/**
 * Writes into the audit log what an operator is about to do on the whole stage with a service that has no transactions
 * with it. A crash leaves an entry of what was not done, and never a deed without an entry.
 * @param of what it is done to, for example the name of a secret. @param after facts; never a secret.
 */
export async function noteDeed(
  cloud: Pick<Cloud, 'audit' | 'transact' | 'now' | 'operator'>,
  action: StageAction,
  of: string,
  after?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const actor = await cloud.operator();
  const entry = { org_id: STAGE, actor, action, thing: { id: STAGE, name: of }, ...(after && { after }) };
  await cloud.transact({ audit: cloud.audit.adding(auditEntryOf(entry, cloud.now(), newToken())) });
}
