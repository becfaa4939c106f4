import type { Call } from './call.ts';

type Held = Pick<
  Call,
  'lead' | 'holds' | 'created_at' | 'dial_after' | 'dial_claimed_at' | 'progress_at' | 'finished_at'
>;

/**
 * Computes between which instants the ledger's entries of a call were written, so that few others are read with them.
 * A call by REST holds credit from its placing on, a lead's from its dial on (docs/call-lifecycle.md, "Money").
 * @returns ISO 8601, both inclusive; undefined for a call that has held none.
 */
export function ledgerTimesOf(call: Held): { from: string; to: string } | undefined {
  const { lead, holds = 1, created_at, dial_after, dial_claimed_at = dial_after, progress_at, finished_at } = call;
  if (holds === 0) return undefined;
  const dialed = dial_after < dial_claimed_at ? dial_after : dial_claimed_at;
  // The end moved the call's progress, and the work after it did again.
  return { from: lead && holds === 1 ? dialed : created_at, to: finished_at ?? progress_at };
}
