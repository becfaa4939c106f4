import type { Call } from '../../domain/calls/call.ts';
import { isScheduled } from '../../domain/calls/dialing/scheduled-call.ts';
import { whyOff } from '../../domain/connections/connection.ts';
import type { DialWork } from '../../messages/call-work.ts';
import type { SwitchOff } from '../../messages/switch-off.ts';
import type { PageEnd } from '../../stores/calls/call-leads.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type CancelUnreleasedCallDeps, cancelUnreleasedCall } from './steps/cancel-unreleased-call.ts';
import { type StopLeadCallDeps, stopLeadCall } from './steps/stop-lead-call.ts';

export type CancelCallsOfConnectionDeps = CancelUnreleasedCallDeps &
  StopLeadCallDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    calls: Pick<CallStore, 'get' | 'pageOfConnection' | 'ending' | 'noteSwitchOff'>;
    switchOffs: Pick<QueueSender<SwitchOff>, 'send' | 'sendMany'>;
    dialQueue: Pick<QueueSender<DialWork>, 'send'>;
    info: (message: string, facts: { call_id: string; connection_id: string; outcome: string }) => void;
  };

const CONCURRENCY = 8;
/** The calls that may ring soon come first. */
const order = ['waiting', 'reserved', 'scheduled'] as const;

/**
 * Cancels one page of the calls of a connection that is off, the waiting ones before the scheduled ones, and sends a
 * message for the next page (docs/call-lifecycle.md, "Switching off"). The last page also ends the calls that the
 * platform has queued. A call that cannot be canceled gets a separate message, so that it does not block the others. If
 * the connection is on again, the remaining calls stay.
 * @returns the outcome, for the log
 * @throws if the page cannot be read, or the only call of the message cannot be canceled; the queue delivers it again
 */
export async function cancelCallsOfConnection(
  deps: CancelCallsOfConnectionDeps,
  { connection_id, work = 'waiting', after, call_id }: SwitchOff,
): Promise<string> {
  const connection = await deps.connections.get(connection_id);
  const reason = connection && whyOff(connection);
  if (reason === undefined) return 'not_off';
  const cancel = async (callId: string) => {
    const outcome = await cancelOne(deps, callId, reason);
    deps.info('call of a switched-off connection processed', { call_id: callId, connection_id, outcome });
  };
  if (call_id !== undefined) {
    await cancel(call_id);
    return '1 call';
  }
  const cancelAll = async (callIds: readonly string[]) => {
    const left = [...callIds];
    const failed: string[] = [];
    const lane = async () => {
      for (let callId = left.shift(); callId !== undefined; callId = left.shift())
        await cancel(callId).catch(() => failed.push(callId));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    if (failed.length > 0) await deps.switchOffs.sendMany(failed.map((each) => ({ connection_id, call_id: each })));
  };
  const { callIds, next } = await deps.calls.pageOfConnection(work, connection_id, after);
  await cancelAll(callIds);
  const following = order[order.indexOf(work) + 1];
  if (next) await deps.switchOffs.send({ connection_id, work, after: next });
  else if (following) await deps.switchOffs.send({ connection_id, work: following });
  else await cancelAll(await dialedCalls(deps, connection_id));
  return `${callIds.length} calls`;
}

/** Reads all pages. They are few, because the stage has no more dialed calls than slots. */
async function dialedCalls({ calls }: CancelCallsOfConnectionDeps, connectionId: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: PageEnd | undefined; ; ) {
    const { callIds, next } = await calls.pageOfConnection('claimed', connectionId, after);
    found.push(...callIds);
    if (!next) return found;
    after = next;
  }
}

/** A scheduled call changes when it is released or postponed, and when a newer event of its lead confirms it. */
const MAX_TRIES = 5;

/**
 * Cancels a call as it is now: the index may be seconds old.
 * @throws if workers keep changing the call
 */
async function cancelOne(deps: CancelCallsOfConnectionDeps, callId: string, reason: string): Promise<string> {
  const outcome = 'auto_call_disabled';
  const noteOn = (dialed: Call & { dial_claimed_at: string }) =>
    deps.calls.noteSwitchOff(dialed, deps.now().toISOString());
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(callId);
    if (!isScheduled(call)) return stopLeadCall(deps, callId, { outcome, reason }, noteOn);
    const result = await cancelUnreleasedCall(deps, call, { outcome, reason });
    if (result !== 'not_scheduled') return result;
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}
