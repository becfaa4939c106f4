import type { CallbackStatus, RemoteWrite, TicketItem } from '../../domain/calls/call.ts';
import type { Write } from '../dynamodb/transaction.ts';
import type { Change, Condition } from '../dynamodb/update.ts';

/** Writes to one call where all conditions hold. @returns whether it took place. */
type TryWrite = (callId: string, change: Change, conditions: Condition[]) => Promise<boolean>;
/** The same as a part of a transaction. */
type MakeWrite = (callId: string, change: Change, conditions: Condition[]) => Write;

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

/** The work that one worker at a time has a turn at: whether it is left, whose turn it is until when, why it is not done yet. */
const turns = {
  crm_b_sync: { work: 'crm_b_sync', after: 'crm_b_sync_after', error: 'crm_b_sync_error' },
  ticket: { work: 'ticket_work', after: 'ticket_after', error: 'ticket_error' },
} as const;

const changeOf = (item: string, mark: RemoteWrite | undefined, { set, remove = [], ...more }: Change = {}): Change =>
  mark
    ? { ...more, set: { ...set, [item]: mark }, remove }
    : { ...more, ...(set && { set }), remove: [...remove, item] };

const asItWas = (item: string, before: RemoteWrite | undefined): Condition =>
  before ? { expression: `#${item} = :before`, values: { before } } : { expression: `attribute_not_exists(#${item})` };

/** The part of the Calls table that ends the work on a call: its four marks, and what the last of them wait for. */
export function callMarks(tryWrite: TryWrite, makeWrite: MakeWrite) {
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

  const takeTurn = (of: keyof typeof turns) => {
    const { work, after } = turns[of];
    const expression = `${work} = :pending AND attribute_exists(finished_at) AND (attribute_not_exists(${after}) OR ${after} <= :now)`;
    return (callId: string, { now, until }: { now: string; until: string }): Promise<boolean> =>
      tryWrite(callId, { set: { [after]: until, progress_at: now } }, [
        { expression, values: { pending: 'pending', now } },
      ]);
  };

  const endTurn = (of: keyof typeof turns) => {
    const { work, after, error: why } = turns[of];
    const expression = `${work} = :pending AND ${after} = :until`;
    return (callId: string, { until }: { until: string }, { next, error }: { next: string; error?: string }) =>
      tryWrite(callId, { set: { [after]: next, [why]: error }, ...(error === undefined && { remove: [why] }) }, [
        { expression, values: { pending: 'pending', until } },
      ]);
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
    takeCrmBTurn: takeTurn('crm_b_sync'),

    /** Ends a turn before its time: the next one begins at `next`. @returns false where the turn is another one's by now. */
    endCrmBTurn: endTurn('crm_b_sync'),

    /**
     * Changes what is known of something that is written into CRM-B.
     * @param before as it was read. @param after absent: nothing was asked for. @returns false where it has changed since.
     */
    changeCrmBItem: (
      callId: string,
      item: CrmBItem,
      before: RemoteWrite | undefined,
      after: RemoteWrite | undefined,
    ): Promise<boolean> => tryWrite(callId, changeOf(item, after), [asItWas(item, before)]),

    /** The help desk was told everything, or will not be. The first one stands. @returns false where it was so. */
    recordTicket: (callId: string): Promise<boolean> =>
      set(
        'ticketed',
        callId,
        { set: { ticket_work: 'done' }, remove: ['ticket_after', 'ticket_error'] },
        'ticket_work = :pending',
      ),

    /** Takes the turn to tell the help desk of a finished call. @param turn as above. @returns as above. */
    takeTicketTurn: takeTurn('ticket'),

    /** Ends a turn as above. @param next.error why there is a next one; absent where it was to be. */
    endTicketTurn: endTurn('ticket'),

    /**
     * Changes what is known of something that the help desk is told. @param before as it was read.
     * @param after absent: nothing was asked for. @param more what goes with it. Refused where it has changed since.
     */
    changingTicketItem: (
      callId: string,
      item: TicketItem,
      before: RemoteWrite | undefined,
      after: RemoteWrite | undefined,
      more?: Change,
    ): Write => makeWrite(callId, changeOf(item, after, more), [asItWas(item, before)]),
  };
}
