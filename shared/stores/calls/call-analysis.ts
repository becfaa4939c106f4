import type { Analysis } from '../../domain/calls/analysis.ts';
import type { Call } from '../../domain/calls/call.ts';
import { isTerminal } from '../../domain/calls/call-status.ts';
import type { Write } from '../dynamodb/transaction.ts';
import type { Condition, ItemChange } from '../dynamodb/update.ts';
import type { TryWrite } from './call-conditions.ts';
import { storedAnalysis } from './call-json.ts';

type MakeWrite = (callId: string, change: ItemChange, conditions: Condition[], ifRefused: 'NONE') => Write;

/**
 * The rights of analyze-call cover only the attributes in its row (lib/http-functions.ts), so a refusal returns no
 * item.
 */
const RETURN_NO_ITEM = 'NONE';

/** Accesses the attributes of the Calls table that store the analysis of a transcript. */
export function callAnalysis(write: MakeWrite, tryWrite: TryWrite) {
  return {
    /**
     * Claims the next try.
     * @returns false if no analysis is pending, another worker has the claim, or the try is not due.
     */
    claimAnalysis: (callId: string, { now, next }: { now: string; next: string }): Promise<boolean> =>
      tryWrite(callId, { set: { analysis_after: next, progress_at: now } }, [
        pending,
        { expression: 'attribute_not_exists(analysis_after) OR analysis_after <= :now', values: { now } },
      ]),

    /**
     * Ends the step without a result.
     * @param next when the analysis is retried after the call is finished; absent for no retry. With `next`, the call
     * stays unfinished until its notification of the analysis is settled.
     * @returns false if the step had already ended.
     */
    recordNoAnalysis: (
      callId: string,
      analysis: { state: 'none' | 'failed'; error: string },
      next?: string,
    ): Promise<boolean> =>
      tryWrite(
        callId,
        next === undefined
          ? { set: { analysis }, remove: ['analysis_after'] }
          : { set: { analysis, analysis_after: next, analysis_callback: 'pending' } },
        [pending],
      ),

    /**
     * Claims the next try at the analysis of a finished call.
     * @returns false if it was analyzed, another worker has the claim, or the try is not due.
     */
    claimLateAnalysis: (callId: string, { now, next }: { now: string; next: string }): Promise<boolean> =>
      tryWrite(callId, { set: { analysis_after: next, progress_at: now } }, [
        { expression: 'analysis.#state = :failed', values: { failed: 'failed' } },
        { expression: 'attribute_exists(finished_at) AND analysis_after <= :now', values: { now } },
      ]),

    /**
     * Stores a result, in place of an earlier one. Refused if, since it was read, the call was analyzed or its number
     * was added to the do-not-call list: the transaction's other writes depend on both. The first result of an ended
     * call with a client is unfinished work until the client is notified of it, so that recover-calls finds the call no
     * matter how long ago it was finished (docs/call-lifecycle.md, "Callbacks").
     * @param call as read. @param stored.putsOnList whether the transaction adds the number to the list.
     */
    analyzing: (
      { call_id, status, analyzed_at, do_not_call_at, callback_url }: Call,
      stored: { analysis: Analysis; putsOnList: boolean },
      now: string,
    ): Write => {
      const isFirst = analyzed_at === undefined;
      const isNotified = isFirst && callback_url !== undefined;
      return write(
        call_id,
        {
          set: {
            analysis: storedAnalysis(stored.analysis),
            do_not_call_at: stored.putsOnList ? now : undefined,
            ...(isFirst && { analyzed_at: now }),
            ...(isNotified && { analysis_callback: 'pending' }),
            // From this time on, recover-calls waits a while, so that the event can send the notification first.
            ...(isNotified && isTerminal(status) && { unfinished: 'ended', progress_at: now }),
          },
          remove: ['analysis_after'],
        },
        [
          { expression: `attribute_${isFirst ? 'not_' : ''}exists(analyzed_at)` },
          { expression: `attribute_${do_not_call_at === undefined ? 'not_' : ''}exists(do_not_call_at)` },
        ],
        RETURN_NO_ITEM,
      );
    },

    /**
     * Records, without a result, that the call has added its number to the do-not-call list. Refused if this was
     * recorded before.
     */
    notingDoNotCall: (callId: string, now: string): Write =>
      write(
        callId,
        { set: { do_not_call_at: now } },
        [{ expression: 'attribute_not_exists(do_not_call_at)' }],
        RETURN_NO_ITEM,
      ),
  };
}

const pending: Condition = { expression: 'analysis.#state = :pending', values: { pending: 'pending' } };
