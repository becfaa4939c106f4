import type { Call } from '../../../domain/calls/call.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { type AuditedChangeDeps, audited } from '../../organizations/steps/audited-change.ts';

export type StopEntryDeps = Omit<AuditedChangeDeps, 'transact'>;

/** Builds the write of the audit entry for a person who stops a call. */
export const stopEntry = (
  deps: StopEntryDeps,
  actor: Actor,
  { org_id, call_id, phone_number, status }: Call,
  by: 'canceling' | 'hanging up' | 'force',
): Write =>
  audited(deps, {
    org_id,
    actor,
    action: 'call.stopped',
    thing: { id: call_id, name: maskPhone(phone_number) },
    before: { status },
    after: { by },
  });
