import type { Call } from '../../domain/calls/call.ts';
import { tombstoneOfRemoved } from '../../domain/calls/retention/erased-call.ts';
import type { Shown } from '../../domain/newer-values.ts';
import type { CallErasures } from '../../stores/calls/call-erasures.ts';

export type BuryCallDeps = { erasures: Pick<CallErasures, 'bury'>; now: () => Date };

/**
 * Leaves a tombstone of a call that the table removed after its retention (docs/personal-data.md, "Retention"). A
 * repeat is a no-op. A call of a newer version leaves one, too, so that its id is not used again.
 */
export async function buryCall({ erasures, now }: BuryCallDeps, removed: Shown<Call>): Promise<void> {
  const tombstone = tombstoneOfRemoved(removed, now());
  if (tombstone) await erasures.bury(tombstone);
}
