import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import { isE164, maskPhone } from '../../../domain/text/phone-number.ts';
import type { DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { type AuditedChangeDeps, audited } from '../steps/audited-change.ts';

export type RemoveNumberDeps = AuditedChangeDeps & {
  doNotCall: Pick<DoNotCallStore, 'removing' | 'removingErased'>;
};

/**
 * Removes a number, even an erased person's, from an organization's do-not-call list, so that it may be called again.
 * @param phone E.164 @param reason of the person; operators give none
 */
export async function removeNumber(
  deps: RemoveNumberDeps,
  actor: Actor,
  { org_id, phone, reason }: { org_id: string; phone: string; reason?: string },
): Promise<{ kind: 'removed' | 'number_not_listed' }> {
  if (!isE164(phone)) return { kind: 'number_not_listed' };
  const audit = audited(deps, {
    org_id,
    actor,
    action: 'do_not_call.removed',
    thing: { id: 'do-not-call', name: maskPhone(phone) },
    before: { number: maskPhone(phone) },
    ...(reason !== undefined && { after: { reason } }),
  });
  // An erased person's number may have been added again in plain text during the erasure: both forms are removed, each
  // in its own transaction.
  const clear = await deps.transact({ number: deps.doNotCall.removing(org_id, phone), audit });
  const number = await deps.doNotCall.removingErased(org_id, phone);
  const erased = await deps.transact({ number, audit: clear.committed ? undefined : audit });
  return { kind: clear.committed || erased.committed ? 'removed' : 'number_not_listed' };
}
