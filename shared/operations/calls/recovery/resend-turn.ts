import type { Call } from '../../../domain/calls/call.ts';
import { isTurnMessageLost, type TurnKind } from '../../../domain/calls/recovery/turn.ts';
import type { CallWork } from '../../../messages/call-work.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { QueueSender } from '../../../stores/queue.ts';

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
