import { connectionReceiver, type ReceiverAnswer } from '../../../domain/after-call/receiver.ts';
import { TURN_SECONDS } from '../../../domain/calls/recovery/turn.ts';
import { enterReceiver, leaveReceiver, type UseReceiverDeps } from '../receivers/use-receiver.ts';
import type { Turn } from './work-turn.ts';

/**
 * Runs a turn under a lease of its remote system, which allows few concurrent turns and none while its breaker is open.
 * A refused turn sends no request: its steps are retried later or given up at their deadlines.
 */
export async function atReceiver(
  deps: UseReceiverDeps,
  turn: Turn,
  connectionId: string,
  run: (turn: Turn) => Promise<string>,
): Promise<string> {
  const entered = await enterReceiver(deps, connectionReceiver(connectionId), TURN_SECONDS);
  if (entered.kind === 'refused') return run({ ...turn, refusal: entered });
  try {
    return await run(turn);
  } finally {
    await leaveReceiver(deps, entered, receiverAnswerIn(turn.answers));
  }
}

/** A turn may send several requests; a failure counts more than an answer. */
const receiverAnswerIn = (answers: readonly ReceiverAnswer[]): ReceiverAnswer => ({
  outcome:
    (['unanswered', 'answered'] as const).find((outcome) => answers.some((one) => one.outcome === outcome)) ?? 'unused',
  retryAfterSeconds: Math.max(0, ...answers.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds)),
});
