import type { Connection } from '../../../domain/connections/connection.ts';
import { type AuditAction, type Author, auditEntryOf } from '../../../domain/organizations/audit/audit-entry.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { AuditStore } from '../../../stores/organizations/audit.ts';

export type AuditConnectionDeps = {
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

type Values = Readonly<Record<string, unknown>>;

/** Returns the audit entry for a change of a connection, for the change's transaction. */
export function auditConnection(
  { audit, now, newToken }: Omit<AuditConnectionDeps, 'transact'>,
  author: Author,
  { connection_id, org_id, type }: Pick<Connection, 'connection_id' | 'org_id' | 'type'>,
  action: AuditAction & `connection.${string}`,
  values: { before?: Values; after?: Values } = {},
): Write {
  const thing = { id: connection_id, name: type };
  return audit.adding(auditEntryOf({ org_id, actor: author, action, thing, ...values }, now(), newToken()));
}

/** Returns a connection's editable settings by name. */
export const auditedValues = ({ auto_call, assistant_id, trigger_owner_user_id, settings }: Connection): Values => ({
  auto_call,
  assistant_id,
  trigger_owner_user_id,
  ...settings,
});
