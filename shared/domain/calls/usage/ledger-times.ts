import type { Shown } from '../../newer-values.ts';
import type { Call } from '../call.ts';

type Held = Pick<
  Shown<Call>,
  'lead' | 'holds' | 'created_at' | 'dial_after' | 'dial_claimed_at' | 'progress_at' | 'finished_at'
>;

/**
 * Computes the time span of a call's ledger entries, so that few entries of other calls are read with them. A call by
 * REST holds credit from its placing on, a lead's call from its dial on (docs/call-lifecycle.md, "Money").
 * @returns ISO 8601, both inclusive; undefined for a call that never held credit
 */
export function ledgerTimesOf(call: Held): { from: string; to: string } | undefined {
  const { lead, holds = 1, created_at, dial_after, dial_claimed_at = dial_after, progress_at, finished_at } = call;
  if (holds === 0) return undefined;
  const dialed = dial_after < dial_claimed_at ? dial_after : dial_claimed_at;
  // The end advanced the call's progress, and so did the work after it.
  return { from: lead && holds === 1 ? dialed : created_at, to: finished_at ?? progress_at };
}
