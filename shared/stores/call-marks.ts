import type { CallbackStatus, RemoteWrite } from '../domain/call.ts';
import type { Change, Condition } from './update.ts';

/** Writes to one call where all conditions hold. @returns whether it took place. */
type TryWrite = (callId: string, change: Change, conditions: Condition[]) => Promise<boolean>;

/** What each mark looks like where it stands. None is ever taken back. */
const stands = {
  finished: 'attribute_exists(finished_at)',
  told: 'attribute_not_exists(callback_status) OR callback_status <> :pending',
  synced: 'attribute_not_exists(crm_b_sync) OR crm_b_sync <> :pending',
  ticketed: 'attribute_not_exists(ticket_work) OR ticket_work <> :pending',
} as const;

type Mark = keyof typeof stands;

/** What is written into CRM-B for a call. */
export type CrmBItem = 'call_log' | 'note';

/** The part of the Calls table that ends the work on a call: its four marks, and what the last of them wait for. */
export function callMarks(tryWrite: TryWrite) {
  /**
   * Sets a mark: as the last one where all others stand already, so that nothing is left unfinished, else as an earlier
   * one. Where the others come to stand between the two tries, both fail; after that they stand for good, and the third
   * decides.
   */
  const set = async (mark: Mark, callId: string, change: Change, own: string): Promise<boolean> => {
    const others = Object.entries(stands)
      .filter(([other]) => other !== mark)
      .map(([, expression]) => `(${expression})`)
      .join(' AND ');
    const write = (made: Change, expression: string) =>
      tryWrite(callId, made, [{ expression: own }, { expression, values: { pending: 'pending' } }]);
    const asLast = () => write({ ...change, remove: [...(change.remove ?? []), 'unfinished'] }, others);
    const asEarlier = () => write(change, `NOT (${others})`);
    return (await asLast()) || (await asEarlier()) || (await asLast());
  };

  return {
    /**
     * Marks the call finished. @param mayHaveTicket whether the help desk comes next: the last mark is not this one then.
     * @returns false where it was, or a step is still open.
     */
    finish: (callId: string, now: string, mayHaveTicket = false): Promise<boolean> => {
      const change: Change = { set: { finished_at: now, progress_at: now } };
      const own =
        'attribute_not_exists(finished_at) AND recording.#state <> :pending AND (attribute_not_exists(analysis) OR analysis.#state <> :pending)';
      if (!mayHaveTicket) return set('finished', callId, change, own);
      return tryWrite(callId, { set: { ...change.set, ticket_work: 'pending' } }, [
        { expression: own, values: { pending: 'pending' } },
      ]);
    },

    /** The result of the call's last notification. The first one stands. @returns false where there was one. */
    recordCallbackStatus: (callId: string, status: Exclude<CallbackStatus, 'pending'>): Promise<boolean> =>
      set('told', callId, { set: { callback_status: status } }, 'callback_status = :pending'),

    /** Everything that CRM-B is to be told of the call is settled. @returns false where it was. */
    recordCrmBSync: (callId: string): Promise<boolean> =>
      set(
        'synced',
        callId,
        { set: { crm_b_sync: 'done' }, remove: ['crm_b_sync_after', 'crm_b_sync_error'] },
        'crm_b_sync = :pending',
      ),

    /**
     * Takes the turn to write a finished call into CRM-B.
     * @param turn.until nobody else takes it before. @returns false where there is nothing to write, or it is too early.
     */
    takeCrmBTurn: (callId: string, turn: { now: string; until: string }): Promise<boolean> =>
      tryWrite(callId, { set: { crm_b_sync_after: turn.until, progress_at: turn.now } }, [
        {
          expression:
            'crm_b_sync = :pending AND attribute_exists(finished_at) AND (attribute_not_exists(crm_b_sync_after) OR crm_b_sync_after <= :now)',
          values: { pending: 'pending', now: turn.now },
        },
      ]),

    /** Ends a turn before its time: the next one begins at `next`. @returns false where the turn is another one's by now. */
    endCrmBTurn: (callId: string, turn: { until: string }, { next, error }: { next: string; error: string }) =>
      tryWrite(callId, { set: { crm_b_sync_after: next, crm_b_sync_error: error } }, [
        { expression: 'crm_b_sync = :pending AND crm_b_sync_after = :until', values: { pending: 'pending', ...turn } },
      ]),

    /**
     * Changes what is known of something that is written into CRM-B.
     * @param before as it was read. @param after absent: nothing was asked for. @returns false where it has changed since.
     */
    changeCrmBItem: (
      callId: string,
      item: CrmBItem,
      before: RemoteWrite | undefined,
      after: RemoteWrite | undefined,
    ): Promise<boolean> =>
      tryWrite(callId, after ? { set: { [item]: after } } : { remove: [item] }, [
        before
          ? { expression: `#${item} = :before`, values: { before } }
          : { expression: `attribute_not_exists(#${item})` },
      ]),
  };
}
