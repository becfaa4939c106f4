import { webhookIdFor } from '../../../shared/domain/after-call/callbacks/callback.ts';
import type { Analysis } from '../../../shared/domain/calls/analysis.ts';
import type { Call, RemoteWrite } from '../../../shared/domain/calls/call.ts';
import { parseAnalysis } from '../../../shared/stores/calls/call-json.ts';
import type { Fail } from './violation.ts';

/** The results of the work after the calls, at the end of a run. */
export type AfterCall = {
  /** The records at remote systems: their ids by kind and key. */
  records: ReadonlyMap<string, string>;
  /** Notifications that the client received. */
  notified: ReadonlySet<string>;
};

/**
 * Checks, at the end of a run, that each ended call is finished and has exactly the records that it should have, unless
 * a remote system refused one.
 */
export function checkAfterCall(fail: Fail, calls: readonly Call[], { records, notified }: AfterCall): void {
  for (const call of calls) {
    const { call_id: id, recording, analysis, crm_b_sync, ticket_work, started_at, duration = 0 } = call;
    const check = (isRight: boolean, text: string) => {
      if (!isRight) fail('after the call', `${id}: ${text}`, [id]);
    };
    check(call.finished_at !== undefined, 'it is not finished');
    check(recording?.state !== 'pending' && analysis?.state !== 'pending', 'recording or analysis is pending');

    /** Checks that a mark equals the remote system's state. */
    const checkRecord = (kind: string, key: string, mark: RemoteWrite | undefined, isWanted: boolean) => {
      const states = isWanted ? ['written', 'failed'] : ['none', undefined];
      check(states.includes(mark?.state), `the ${kind} is ${mark?.state ?? 'absent'}: ${mark?.error ?? ''}`);
      check((mark?.state === 'written') === records.has(`${kind} ${key}`), `the ${kind} is ${mark?.state}`);
    };
    if (crm_b_sync !== undefined) {
      checkRecord('call log', id, call.call_log, started_at !== undefined && duration > 0);
      checkRecord('note', id, call.note, call.transcript_key !== undefined || recording?.state === 'stored');
    }
    if (ticket_work !== undefined) {
      // The oracles see stored items, so this one parses the analysis. Analyses after the decision create no ticket.
      const isLate = call.ticket?.state === 'none' && (call.analyzed_at ?? '') > call.ticket.at;
      const { result } = (isLate ? {} : (parseAnalysis(analysis) ?? {})) as Partial<Analysis>;
      const intent = result?.lead_intent;
      checkRecord('ticket', id, call.ticket, intent === 'complaint' || intent === 'purchase');
    }
    const { callback_url, callback_status } = call;
    check(callback_url === undefined || callback_status !== 'pending', 'its callback is pending');
    if (callback_status === 'delivered')
      check(notified.has(webhookIdFor(id, `call.${call.status}`)), 'its client was not notified of its end');
  }
}
