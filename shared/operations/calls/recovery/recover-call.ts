import type { Call } from '../../../domain/calls/call.ts';
import { isScheduled } from '../../../domain/calls/dialing/scheduled-call.ts';
import {
  isFinishMessageLost,
  isLateAnalysisDue,
  isReleaseLost,
  type RecoveryStep,
  recoverySteps,
} from '../../../domain/calls/recovery/recovery.ts';
import { isTurnMessageLost, type TurnKind } from '../../../domain/calls/recovery/turn.ts';
import { isFoundLate } from '../../../domain/calls/usage/finished-in-time.ts';
import type { TakeMeasure } from '../../../domain/metric.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import { releaseOf } from '../../../messages/lead-release.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import { type PostponeLateCallDeps, postponeLateCall } from '../dialing/postpone-late-call.ts';
import { type SettleAtPlatformDeps, settleFromRecord, settleUnknownDial } from '../platform/settle-at-platform.ts';
import { type GiveBackReservationDeps, giveBackReservation } from '../slots/give-back-reservation.ts';
import { type GiveUpSlotsDeps, readOrGiveUpSlots } from '../slots/give-up-slots.ts';
import { readOrSetAside, type SetAsideDeps } from '../slots/set-aside.ts';

export type RecoverCallDeps = SettleAtPlatformDeps &
  PostponeLateCallDeps &
  GiveBackReservationDeps &
  SetAsideDeps &
  GiveUpSlotsDeps & {
    calls: Pick<CallStore, 'get' | 'noteTurnSent' | 'noteFinishSent' | 'noteReleaseSent'>;
    leadQueue: QueueSender<LeadEvent>;
    finishQueue: QueueSender<CallWork>;
    syncQueue: QueueSender<CallWork>;
    ticketsQueue: QueueSender<CallWork>;
    /** Sends the notifications that the client of an ended call has not received. */
    renotify: (call: Call) => Promise<void>;
    measure: TakeMeasure;
  };

/**
 * Takes one recovery step for a call.
 * @param indexed the step that the index of unfinished calls suggests. The index may be stale, so the step is taken
 * only if the stored call needs it.
 */
export async function recoverCall(deps: RecoverCallDeps, callId: string, indexed: RecoveryStep): Promise<void> {
  const call = await readFor(deps, callId, indexed);
  const now = deps.now();
  if (!call || !recoverySteps(call, now).includes(indexed)) return;
  switch (indexed) {
    case 'release':
      // Recorded before it is sent, so that a run that dies may omit the message, but never sends it twice.
      if (isScheduled(call) && isReleaseLost(call, now) && (await deps.calls.noteReleaseSent(call, now.toISOString())))
        await deps.leadQueue.send(releaseOf(call));
      return;
    case 'expire':
      await postponeLateCall(deps, call);
      return;
    case 'give_back':
      await giveBackReservation(deps, call);
      return;
    case 'find':
      await settleUnknownDial(deps, call, now);
      return;
    case 'read':
      if (call.platform_id) await settleFromRecord(deps, call, call.platform_id, now);
      return;
    case 'finish':
      if (isFinishMessageLost(call, now) && (await deps.calls.noteFinishSent(call, now.toISOString()))) {
        if (isFoundLate(call, now)) deps.measure({ name: 'FinishedInTime', value: 0 });
        await deps.finishQueue.send({ call_id: callId });
      }
      return;
    case 'sync':
      await resendTurn(deps.calls, deps.syncQueue, 'crm-b', call, now);
      return;
    case 'ticket':
      await resendTurn(deps.calls, deps.ticketsQueue, 'help-desk', call, now);
      return;
    case 'notify':
      if (isLateAnalysisDue(call, now) && (await deps.calls.noteFinishSent(call, now.toISOString())))
        await deps.finishQueue.send({ call_id: callId });
      await deps.renotify(call);
  }
}

/** Reads the call for a step. Gives back the slots of an unreadable call, which would otherwise keep them. */
function readFor(deps: RecoverCallDeps, callId: string, step: RecoveryStep): Promise<Call | undefined> {
  const read = () => deps.calls.get(callId);
  switch (step) {
    case 'give_back':
      return readOrSetAside(deps, callId, read);
    case 'find':
    case 'read':
      return readOrGiveUpSlots(deps, callId, read);
    default:
      return read();
  }
}

/**
 * Sends the message of an overdue turn, unless one was sent recently, which may still wait in the queue. The write
 * comes first, so that a run that dies may omit the message, but never sends it twice.
 */
export async function resendTurn(
  calls: Pick<CallStore, 'noteTurnSent'>,
  queue: Pick<QueueSender<CallWork>, 'send'>,
  kind: TurnKind,
  call: Call,
  now: Date,
): Promise<void> {
  if (isTurnMessageLost(call, kind, now) && (await calls.noteTurnSent(kind, call, now.toISOString())))
    await queue.send({ call_id: call.call_id });
}
