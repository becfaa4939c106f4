import type { Connection } from '../../../domain/connections/connection.ts';
import type { AuditAction, Author } from '../../../domain/organizations/audit/audit-entry.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { type AuditedChangeDeps, audited } from '../../organizations/steps/audited-change.ts';

export type AuditConnectionDeps = AuditedChangeDeps;

type Values = Readonly<Record<string, unknown>>;

/** Returns the audit entry for a change of a connection, for the change's transaction. */
export function auditConnection(
  deps: Omit<AuditedChangeDeps, 'transact'>,
  author: Author,
  { connection_id, org_id, type }: Pick<Connection, 'connection_id' | 'org_id' | 'type'>,
  action: AuditAction & `connection.${string}`,
  values: { before?: Values; after?: Values } = {},
): Write {
  const thing = { id: connection_id, name: type };
  return audited(deps, { org_id, actor: author, action, thing, ...values });
}

/** Returns a connection's editable settings by name. */
export const auditedValues = ({ auto_call, assistant_id, trigger_owner_user_id, settings }: Connection): Values => ({
  auto_call,
  assistant_id,
  trigger_owner_user_id,
  ...settings,
});
