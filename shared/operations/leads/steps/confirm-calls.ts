import { leadFitsAt } from '../../../domain/calls/call.ts';
import { isTerminal, rankOf } from '../../../domain/calls/call-status.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type ConfirmCallsDeps = { calls: Pick<CallStore, 'get' | 'confirmLead'> };

/** A waiting call changes when it gets a slot, gives it back, or is dialed; a scheduled one at its release. */
const MAX_TRIES = 5;

/**
 * Records on the calls of a lead's older events that a newer event fits, too, and places no call only because they
 * exist. From then on, neither a stop between the events nor a release that fetched the lead earlier may cancel them.
 * @param owners the events of these calls @param readAt the time of the newer event's lead, ISO 8601
 * @returns false if such a call has ended before its dial, so that its claims may be free by now
 * @throws if workers keep changing a call; the queue delivers the event again
 */
export async function confirmCalls(
  deps: ConfirmCallsDeps,
  event: Pick<LeadEvent, 'test' | 'connection_id'>,
  owners: readonly string[],
  readAt: string,
): Promise<boolean> {
  let areConfirmed = true;
  for (const owner of new Set(owners))
    if (!(await confirmCall(deps, callIdForLead(event.connection_id, owner), event, readAt))) areConfirmed = false;
  return areConfirmed;
}

async function confirmCall(
  { calls }: ConfirmCallsDeps,
  callId: string,
  { test }: Pick<LeadEvent, 'test'>,
  readAt: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await calls.get(callId);
    if (call?.lead?.test !== test) return true;
    if (isTerminal(call.status)) return call.platform_id !== undefined;
    const mayBeStopped = rankOf(call.status) < rankOf('ringing');
    if (!mayBeStopped || leadFitsAt(call) >= readAt) return true;
    if (await calls.confirmLead({ ...call, lead: call.lead }, readAt)) return true;
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}
