import {
  type Actor,
  type AuditAction,
  type AuditEntry,
  auditEntryOf,
} from '../../../domain/organizations/audit/audit-entry.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { AuditStore } from '../../../stores/organizations/audit.ts';

export type CallbackSecretDeps = {
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

export const callbackSecretEntry = (
  { now, newToken }: CallbackSecretDeps,
  actor: Actor,
  { org_id, name }: Organization,
  action: AuditAction,
  change: Pick<AuditEntry, 'before' | 'after'> = {},
) => auditEntryOf({ org_id, actor, action, thing: { id: org_id, name }, ...change }, now(), newToken());
