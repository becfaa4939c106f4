import type { Call } from '../../../domain/calls/call.ts';
import { type Actor, auditEntryOf } from '../../../domain/organizations/audit/audit-entry.ts';
import { maskPhone } from '../../../domain/text/phone-number.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import type { AuditStore } from '../../../stores/organizations/audit.ts';

export type StopEntryDeps = { audit: Pick<AuditStore, 'adding'>; now: () => Date; newToken: () => string };

/** Makes the audit entry for a person who stops a call. */
export const stopEntry = (
  deps: StopEntryDeps,
  actor: Actor,
  { org_id, call_id, phone_number, status }: Call,
  by: 'canceling' | 'hanging up' | 'force',
): Write =>
  deps.audit.adding(
    auditEntryOf(
      {
        org_id,
        actor,
        action: 'call.stopped',
        thing: { id: call_id, name: maskPhone(phone_number) },
        before: { status },
        after: { by },
      },
      deps.now(),
      deps.newToken(),
    ),
  );
