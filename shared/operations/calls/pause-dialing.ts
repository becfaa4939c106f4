import { type Actor, auditEntryOf, STAGE, type StageAction } from '../../domain/organizations/audit/audit-entry.ts';
import type { SlotStore } from '../../stores/calls/slots/slots.ts';
import type { Write } from '../../stores/dynamodb/transaction.ts';
import type { AuditedChangeDeps } from '../organizations/steps/audited-change.ts';

export type PauseDialingDeps = AuditedChangeDeps & {
  slots: Pick<SlotStore, 'pausing' | 'resuming'>;
};

/** Stops dialing on the whole stage: live calls continue, other calls wait. A repeat changes nothing. */
export const pauseDialing = (deps: PauseDialingDeps, actor: Actor): Promise<void> =>
  change(deps, actor, 'dialing.paused', deps.slots.pausing(deps.now().toISOString()));

/** Resumes dialing. A repeat changes nothing. */
export const resumeDialing = (deps: PauseDialingDeps, actor: Actor): Promise<void> =>
  change(deps, actor, 'dialing.resumed', deps.slots.resuming());

async function change(deps: PauseDialingDeps, actor: Actor, action: StageAction, slots: Write): Promise<void> {
  const entry = { org_id: STAGE, actor, action, thing: { id: STAGE, name: 'dialing' } };
  await deps.transact({ slots, audit: deps.audit.adding(auditEntryOf(entry, deps.now(), deps.newToken())) });
}
