import type { Analysis } from '../../domain/calls/analysis.ts';
import type { Call } from '../../domain/calls/call.ts';
import type { Write } from '../dynamodb/transaction.ts';
import type { Change, Condition } from '../dynamodb/update.ts';

type TryWrite = (callId: string, change: Change, conditions: Condition[]) => Promise<boolean>;
type MakeWrite = (callId: string, change: Change, conditions: Condition[], ifRefused: 'NONE') => Write;

/** analyze-call may be told nothing of a call by its writes (lib/functions.ts): no attribute but those that it names. */
const TELLS_NOTHING = 'NONE';

/** The part of the Calls table that keeps what a model found in a transcript. */
export function callAnalysis(write: MakeWrite, tryWrite: TryWrite) {
  return {
    /** Takes the next try. @returns false where there is nothing to analyze, another worker has it or it is too early. */
    claimAnalysis: (callId: string, { now, next }: { now: string; next: string }): Promise<boolean> =>
      tryWrite(callId, { set: { analysis_after: next, progress_at: now } }, [
        pending,
        { expression: 'attribute_not_exists(analysis_after) OR analysis_after <= :now', values: { now } },
      ]),

    /** The end of the step without a result. @returns false where it has ended. */
    recordNoAnalysis: (callId: string, analysis: { state: 'none' | 'failed'; error: string }): Promise<boolean> =>
      tryWrite(callId, { set: { analysis }, remove: ['analysis_after'] }, [pending]),

    /**
     * Keeps a result; the last one stands. Refused where the call was analyzed, or its number put on the do-not-call list,
     * since it was read: what else is to be written depends on both.
     * @param call as it was read. @param kept.putsOnList whether the transaction puts the number on the list.
     */
    analyzing: (
      { call_id, analyzed_at, do_not_call_at }: Call,
      kept: { analysis: Analysis; putsOnList: boolean },
      now: string,
    ): Write =>
      write(
        call_id,
        {
          set: {
            analysis: storedAnalysis(kept.analysis),
            analyzed_at: analyzed_at === undefined ? now : undefined,
            do_not_call_at: kept.putsOnList ? now : undefined,
          },
          remove: ['analysis_after'],
        },
        [
          { expression: `attribute_${analyzed_at === undefined ? 'not_' : ''}exists(analyzed_at)` },
          { expression: `attribute_${do_not_call_at === undefined ? 'not_' : ''}exists(do_not_call_at)` },
        ],
        TELLS_NOTHING,
      ),

    /** Notes that the call has put its number on the do-not-call list, without a result. Refused where it had before. */
    notingWish: (callId: string, now: string): Write =>
      write(
        callId,
        { set: { do_not_call_at: now } },
        [{ expression: 'attribute_not_exists(do_not_call_at)' }],
        TELLS_NOTHING,
      ),
  };
}

const pending: Condition = { expression: 'analysis.#state = :pending', values: { pending: 'pending' } };

/** The result is kept as JSON text: DynamoDB knows neither the depth nor the numbers of structured data. */
export const storedAnalysis = (analysis: Analysis): object => ({
  ...analysis,
  result: analysis.result && JSON.stringify(analysis.result),
});

export function parseAnalysis(stored: unknown): unknown {
  const { result } = (stored ?? {}) as { result?: string };
  return result === undefined ? stored : { ...(stored as object), result: JSON.parse(result) };
}
