import {
  admit,
  connectionReceiver,
  type Receiver,
  type ReceiverAnswer,
  type ReceiverRefusal,
  settleAttempt,
} from '../../../domain/after-call/receiver.ts';
import { TURN_SECONDS } from '../../../domain/calls/recovery/turn.ts';
import type { ReceiverStore } from '../../../stores/after-call/receivers.ts';
import { enterReceiver, type Leasing, type UseReceiverDeps } from '../receivers/use-receiver.ts';
import type { Turn } from './work-turn.ts';

export type AtReceiverDeps = UseReceiverDeps & { receivers: ReceiverStore<Receiver> };

/**
 * Runs a turn under a lease of its remote system, which allows few concurrent turns and none while its breaker is open.
 * A refused turn sends no request: its steps are retried later or given up at their deadlines.
 */
export async function atReceiver(
  deps: AtReceiverDeps,
  turn: Turn,
  connectionId: string,
  run: (turn: Turn) => Promise<string>,
): Promise<string> {
  const entered = await enterReceiver(deps, leasingOf(deps, connectionId), TURN_SECONDS);
  if (entered.kind === 'refused') return run({ ...turn, refusal: entered });
  try {
    return await run(turn);
  } finally {
    await entered.leave(answerOfTurn(turn.answers));
  }
}

function leasingOf({ receivers }: AtReceiverDeps, connectionId: string): Leasing<Receiver, ReceiverRefusal> {
  const receiver = connectionReceiver(connectionId);
  return {
    receiver,
    store: receivers,
    admit: (known, lease, now) => admit(receiver, known, lease, now),
    settle: settleAttempt,
  };
}

/** A turn may send several requests; a failure counts more than an answer. */
const answerOfTurn = (answers: readonly ReceiverAnswer[]): ReceiverAnswer => ({
  outcome:
    (['unanswered', 'answered'] as const).find((outcome) => answers.some((one) => one.outcome === outcome)) ?? 'unused',
  retryAfterSeconds: Math.max(0, ...answers.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds)),
});
