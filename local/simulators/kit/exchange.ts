import { type Answer, Problem, WithheldAnswer } from './answer.ts';
import { alterAnswer, type CommonFault, failBeforeWork, matchesFault, type VendorProblems } from './faults.ts';
import type { Journal, SeenRequest } from './journal.ts';

type Log = (line: string) => void;

/** Records the answer of a request in its entry, and logs one line without content. */
export async function recorded(seen: SeenRequest, log: Log, work: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await work();
    seen.answer = answer.status;
    return answer;
  } catch (error) {
    seen.answer = error instanceof WithheldAnswer ? error.kind : 500;
    throw error;
  } finally {
    log(`${seen.method} ${seen.path} -> ${seen.answer}${seen.fault ? ` (${seen.fault})` : ''}`);
  }
}

/** Returns the answer of the work, even if the work ends with a Problem. */
export async function settled(work: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) return error.answer;
    throw error;
  }
}

export type Exchange<Seen extends SeenRequest & { route: string }, Fault extends CommonFault> = {
  journal: Journal<Seen, Fault>;
  seen: Seen;
  /** The path, query and body, for faults that match a text. */
  text: string;
  problems: VendorProblems;
  /** Throws for the faults that only this vendor has. */
  applyVendorFault?: (fault: Fault | undefined) => void;
  /** Simulated seconds per real second. */
  speed: number;
  /** Aborted when the simulator is reset. */
  resetSignal: AbortSignal;
  log: Log;
};

/**
 * Answers a request of a vendor's route, and applies the fault that matches it, if any.
 * @param work must call `applyFault` after its checks of token and limits, because a refused request does not use up a
 * fault
 */
export function exchange<Seen extends SeenRequest & { route: string }, Fault extends CommonFault>(
  { journal, seen, text, problems, applyVendorFault, speed, resetSignal, log }: Exchange<Seen, Fault>,
  work: (applyFault: () => void) => Answer | Promise<Answer>,
): Promise<Answer> {
  let fault: Fault | undefined;
  const applyFault = () => {
    fault = journal.takeFault(seen, matchesFault(seen.route, text));
    failBeforeWork(fault, problems);
    applyVendorFault?.(fault);
  };
  return recorded(seen, log, async () => {
    const answer = await settled(() => work(applyFault));
    return alterAnswer(fault, answer, { problems, speed, resetSignal });
  });
}
