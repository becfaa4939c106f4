import type { Call } from '../../domain/calls/call.ts';
import { tombstoneOfRemoved } from '../../domain/calls/retention/erased-call.ts';
import type { CallErasures } from '../../stores/calls/call-erasures.ts';

export type BuryCallDeps = { erasures: Pick<CallErasures, 'bury'>; now: () => Date };

/**
 * Leaves a tombstone of a call that the table removed after its retention (docs/personal-data.md, "Retention"). A
 * repeat is a no-op.
 */
export async function buryCall({ erasures, now }: BuryCallDeps, removed: Call): Promise<void> {
  const tombstone = tombstoneOfRemoved(removed, now());
  if (tombstone) await erasures.bury(tombstone);
}
