import { isScheduled } from '../../domain/calls/scheduled-call.ts';
import { type Connection, isConnected } from '../../domain/connections/connection.ts';
import type { Refusal } from '../../domain/leads/lead-decision.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import { type CancelUnreleasedCallDeps, cancelUnreleasedCall } from './steps/cancel-unreleased-call.ts';

export type CancelScheduledDeps = CancelUnreleasedCallDeps & {
  calls: Pick<CallStore, 'get' | 'unfinished' | 'ending'>;
  info: (message: string, facts: { call_id: string; connection_id: string; outcome: string }) => void;
};

export type ConnectionChange = { sequenceNumber: string; before: Connection | undefined; after: Connection };

/**
 * Cancels the scheduled calls of connections that were switched off or disconnected (docs/call-lifecycle.md, "Scheduled
 * calls"). A call that is scheduled at the same moment is canceled at its release.
 * @returns undefined once every change is processed
 * @throws so that the stream delivers the changes again
 */
export async function cancelScheduled(
  deps: CancelScheduledDeps,
  changes: readonly ConnectionChange[],
): Promise<undefined> {
  for (const { before, after } of changes) {
    const refusal = before && refusalOf(before, after);
    if (!refusal) continue;
    const { connection_id } = after;
    for await (const { call_id } of deps.calls.unfinished('scheduled', { connectionId: connection_id })) {
      const call = await deps.calls.get(call_id);
      if (!isScheduled(call)) continue;
      const outcome = await cancelUnreleasedCall(deps, call, refusal);
      deps.info('scheduled call processed', { call_id, connection_id, outcome });
    }
  }
}

function refusalOf(before: Connection, after: Connection): Pick<Refusal, 'outcome' | 'reason'> | undefined {
  if (isConnected(before) && !isConnected(after))
    return { outcome: 'auto_call_disabled', reason: 'The connection was disconnected.' };
  if (before.auto_call && !after.auto_call)
    return { outcome: 'auto_call_disabled', reason: 'Auto-call was switched off for this connection.' };
  return undefined;
}
