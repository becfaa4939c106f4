import { isWaiting } from '../../domain/calls/call.ts';
import { isScheduled } from '../../domain/calls/scheduled-call.ts';
import { whyOff } from '../../domain/connections/connection.ts';
import type { SwitchOff } from '../../messages/switch-off.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type WithdrawCallDeps, withdrawCall } from '../calls/steps/withdraw-call.ts';
import { type CancelUnreleasedCallDeps, cancelUnreleasedCall } from './steps/cancel-unreleased-call.ts';

export type CancelCallsDeps = CancelUnreleasedCallDeps &
  WithdrawCallDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    calls: Pick<CallStore, 'get' | 'pageOfConnection' | 'ending'>;
    switchOffs: Pick<QueueSender<SwitchOff>, 'send'>;
    info: (message: string, facts: { call_id: string; connection_id: string; outcome: string }) => void;
  };

const CONCURRENCY = 8;
/** The calls that may ring soon come first. */
const order = ['waiting', 'reserved', 'scheduled'] as const;

/**
 * Cancels one page of the calls of a connection that is off, the waiting ones before the scheduled ones, and sends a
 * message for the next page (docs/call-lifecycle.md, "Switching off"). A connection that is on again keeps the rest.
 * @returns the outcome, for the log
 * @throws after the page was tried, if a call could not be canceled; the queue delivers the page again
 */
export async function cancelCalls(
  deps: CancelCallsDeps,
  { connection_id, work = 'waiting', after }: SwitchOff,
): Promise<string> {
  const connection = await deps.connections.get(connection_id);
  const reason = connection && whyOff(connection);
  if (reason === undefined) return 'not_off';
  const { callIds, next } = await deps.calls.pageOfConnection(work, connection_id, after);
  const left = [...callIds];
  const lane = async () => {
    for (let callId = left.shift(); callId !== undefined; callId = left.shift()) {
      const outcome = await cancelOne(deps, callId, reason);
      deps.info('call of a switched-off connection processed', { call_id: callId, connection_id, outcome });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: CONCURRENCY }, lane));
  const failed = lanes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  if (next) await deps.switchOffs.send({ connection_id, work, after: next });
  else {
    const following = order[order.indexOf(work) + 1];
    if (following) await deps.switchOffs.send({ connection_id, work: following });
  }
  return `${callIds.length} calls`;
}

/** Cancels a call as it is now: the index may be seconds old. */
async function cancelOne(deps: CancelCallsDeps, callId: string, reason: string): Promise<string> {
  const outcome = 'auto_call_disabled';
  const call = await deps.calls.get(callId);
  if (isScheduled(call)) return cancelUnreleasedCall(deps, call, { outcome, reason });
  if (!call || !isWaiting(call)) return 'not_waiting';
  return (await withdrawCall(deps, call, 'canceled', outcome, { outcome, reason })) ? outcome : 'not_waiting';
}
