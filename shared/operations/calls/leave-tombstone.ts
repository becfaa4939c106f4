import type { Call } from '../../domain/calls/call.ts';
import { tombstoneOfRemoved } from '../../domain/calls/retention/erased-call.ts';
import type { Shown } from '../../domain/newer-values.ts';
import type { CallErasures } from '../../stores/calls/call-erasures.ts';

export type LeaveTombstoneDeps = { erasures: Pick<CallErasures, 'addTombstone'>; now: () => Date };

/**
 * Leaves a tombstone of a call that the table removed after its retention (docs/personal-data.md, "Retention"). A
 * repeat is a no-op. A call of a newer version leaves one, too, so that its id is not used again.
 */
export async function leaveTombstone({ erasures, now }: LeaveTombstoneDeps, removed: Shown<Call>): Promise<void> {
  const tombstone = tombstoneOfRemoved(removed, now());
  if (tombstone) await erasures.addTombstone(tombstone);
}
