import { leadFitsAt, leadStops } from '../../../domain/calls/call.ts';
import { isTerminal } from '../../../domain/calls/call-status.ts';
import { callIdForLead } from '../../../domain/ids.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';

export type ConfirmCallsDeps = { calls: Pick<CallStore, 'get' | 'confirmLead'> };

/** A waiting call changes when it gets a slot, gives it back, or is dialed. */
const MAX_TRIES = 5;

/**
 * Records on the calls of a lead's older events that a newer event fits, too, and places no call because of them: a
 * stop that lies between the events must not cancel these calls.
 * @param owners the events of these calls @param readAt the time of the newer event's lead, ISO 8601
 * @throws if a stop has just canceled such a call, or workers keep changing it; the queue delivers the event again
 */
export async function confirmCalls(
  deps: ConfirmCallsDeps,
  event: Pick<LeadEvent, 'test' | 'connection_id'>,
  owners: readonly string[],
  readAt: string,
): Promise<void> {
  for (const owner of new Set(owners))
    await confirmCall(deps, callIdForLead(event.connection_id, owner), event, readAt);
}

async function confirmCall(
  { calls }: ConfirmCallsDeps,
  callId: string,
  { test }: Pick<LeadEvent, 'test'>,
  readAt: string,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await calls.get(callId);
    if (call?.lead?.test !== test) return;
    if (isTerminal(call.status) && leadStops.some((stop) => stop === call.ended_reason))
      throw new Error(`call ${callId}, which prevented this event, was stopped`);
    const mayRing = call.status === 'queued' || call.status === 'dialing';
    if (!mayRing || leadFitsAt(call) >= readAt) return;
    if (await calls.confirmLead({ ...call, lead: call.lead }, readAt)) return;
  }
  throw new Error(`call ${callId} changed in each of ${MAX_TRIES} tries`);
}
