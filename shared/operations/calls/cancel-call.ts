import { isWaiting } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import { cancelClaimFor, canceledBy } from '../../domain/calls/dialing/cancel-claim.ts';
import { endedByService } from '../../domain/calls/ending.ts';
import { TransactionContention } from '../../domain/contention.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import { type StopEntryDeps, stopEntry } from './steps/stop-entry.ts';
import { type EndWaitingCallDeps, endWaitingCall } from './steps/withdraw-call.ts';

export type CancelCallDeps = EndWaitingCallDeps &
  StopEntryDeps & { calls: Pick<CallStore, 'get' | 'ending'>; claims: Pick<ClaimStore, 'freeing' | 'noting'> };

/** A call of an organization. Without `org_id`: of any organization, for operators only. */
export type CallOfOrg = { org_id?: string; call_id: string };

export type Cancelation = 'canceled' | 'call_not_found' | 'already_ended' | 'already_dialed';

/** A waiting call changes when it gets a slot, gives it back, or is postponed. */
const MAX_TRIES = 5;

/**
 * Cancels a scheduled or waiting call, and releases its credit. A call with a dial claim may be ringing: hang it up
 * instead. The transaction that ends the call also adds the audit entry, and a claim, so that no event of an earlier
 * change calls the lead again. Activity gets no entry of an end that a person chose.
 * @throws TransactionContention if workers keep changing the call
 */
export async function cancelCall(
  deps: CancelCallDeps,
  actor: Actor,
  { org_id, call_id }: CallOfOrg,
): Promise<Cancelation> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const call = await deps.calls.get(call_id);
    if (!call || (org_id !== undefined && call.org_id !== org_id)) return 'call_not_found';
    if (isTerminal(call.status)) return 'already_ended';
    if (call.status !== 'scheduled' && !isWaiting(call)) return 'already_dialed';
    const now = deps.now();
    const audit = stopEntry(deps, actor, call, 'canceling');
    const claim = cancelClaimFor(call, now);
    const writes = { audit, ...(claim && { 'cancel claim': deps.claims.noting(claim) }) };
    if (await endWaitingCall(deps, call, endedByService('canceled', canceledBy[actor.kind], now), writes))
      return 'canceled';
  }
  throw new TransactionContention(`call ${call_id} changed in each of ${MAX_TRIES} tries`);
}
