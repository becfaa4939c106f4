import { unfinishedWork } from '../../domain/calls/call.ts';
import { type RecoveryStep, recoverySteps } from '../../domain/calls/recovery.ts';
import { type HandOverSlotsDeps, handOverSlots } from './hand-over-slots.ts';
import { type RecoverCallDeps, recoverCall } from './steps/recover-call.ts';

export type RecoverCallsDeps = RecoverCallDeps &
  HandOverSlotsDeps & {
    /** Milliseconds left for this run. It stops early, and the next run goes on. */
    timeLeftMs: () => number;
    warn: (message: string, facts: { call_id: string; error: Error }) => void;
  };

/** What a run did: how many calls it examined, and how often it took each step. */
export type RecoveryReport = { looked_at: number; complete: boolean; failed: number; handed_over: number } & Partial<
  Record<RecoveryStep, number>
>;

const CONCURRENCY = 8;
const ENOUGH_TIME_MS = 40_000;

/**
 * Advances every unfinished call that makes no progress (docs/call-lifecycle.md, "recover-calls"). It is the fallback
 * for every lost message. A failure of one call does not affect the others.
 */
export async function recoverCalls(deps: RecoverCallsDeps): Promise<RecoveryReport> {
  const report: RecoveryReport = { looked_at: 0, complete: true, failed: 0, handed_over: 0 };
  const running = new Set<Promise<void>>();
  // First, because it is quick and the rest may use up the time of the run.
  report.handed_over = await handOverSlots(deps);

  const take = async (callId: string, step: RecoveryStep) => {
    try {
      await recoverCall(deps, callId, step);
      report[step] = (report[step] ?? 0) + 1;
    } catch (error) {
      report.failed += 1;
      deps.count('CallNotRecovered');
      deps.warn('a call could not be recovered', { call_id: callId, error: error as Error });
    }
  };

  for (const work of unfinishedWork) {
    for await (const call of deps.calls.unfinished(work)) {
      if (deps.timeLeftMs() < ENOUGH_TIME_MS) {
        report.complete = false;
        break;
      }
      report.looked_at += 1;
      for (const step of recoverySteps(call, deps.now())) {
        const task = take(call.call_id, step).finally(() => running.delete(task));
        running.add(task);
        if (running.size >= CONCURRENCY) await Promise.race(running);
      }
    }
  }
  await Promise.all(running);
  return report;
}
