import { type AuditAction, type AuditedChange, auditEntryOf } from '../../../domain/organizations/audit/audit-entry.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { AuditStore } from '../../../stores/organizations/audit.ts';

/** The dependencies of a person's change, which stores its audit entry in the same transaction. */
export type AuditedChangeDeps = {
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

/** Adds a change to the audit log. Belongs in the transaction of the change. */
export const audited = (
  deps: Omit<AuditedChangeDeps, 'transact'>,
  change: AuditedChange<AuditAction>,
  at = deps.now(),
): Write => deps.audit.adding(auditEntryOf(change, at, deps.newToken()));
