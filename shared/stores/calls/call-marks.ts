import type { Call, RemoteWrite, TicketItem } from '../../domain/calls/call.ts';
import type { CallbackStatus } from '../../domain/calls/parts/viewed-call.ts';
import { type TurnKind, turnAttributes } from '../../domain/calls/recovery/turn.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { type Condition, type ItemChange, isStill } from '../dynamodb/update.ts';
import { type MakeWrite, scheduledFor, type TryWrite } from './call-conditions.ts';

/**
 * The condition under which each mark counts as set. A mark whose work is not needed counts as set. A set mark stays
 * set unless its work becomes needed: the first analysis of a call with a client requires its notification
 * (call-analysis.ts).
 */
const isSet = {
  finished: 'attribute_exists(finished_at)',
  notified: 'attribute_not_exists(callback_status) OR callback_status <> :pending',
  analysisNotified: 'attribute_not_exists(analysis_callback) OR analysis_callback <> :pending',
  synced: 'attribute_not_exists(crm_b_sync) OR crm_b_sync <> :pending',
  ticketed: 'attribute_not_exists(ticket_work) OR ticket_work <> :pending',
} as const;

type Mark = keyof typeof isSet;

const markOf: Record<TurnKind, Mark> = { 'crm-b': 'synced', 'help-desk': 'ticketed' };

/** The records that the service writes into CRM-B for a call. */
export type CrmBItem = 'call_log' | 'note';

const changeOf = (
  item: string,
  mark: RemoteWrite | undefined,
  { set, remove = [], ...more }: ItemChange = {},
): ItemChange =>
  mark
    ? { ...more, set: { ...set, [item]: mark }, remove }
    : { ...more, ...(set && { set }), remove: [...remove, item] };

const unchanged = (item: string, before: RemoteWrite | undefined): Condition =>
  before ? { expression: `#${item} = :before`, values: { before } } : { expression: `attribute_not_exists(#${item})` };

/**
 * No other message was sent since the call was read. A repeat of this very write, whose answer may have been lost,
 * passes.
 */
function sentAsRead(attribute: string, sentAt: string | undefined, now: string): Condition {
  const { expression, values } = isStill(attribute, sentAt);
  return { expression: `${attribute} = :now OR ${expression}`, values: { now, ...values } };
}

const isLeft = (kind: TurnKind): string => `${turnAttributes[kind].work} = :pending`;

/** Completes the work on calls in the Calls table: their five marks, and the turns that lead to two of them. */
export function callMarks(tryWrite: TryWrite, makeWrite: MakeWrite) {
  /**
   * Sets a mark and removes the call from the index of unfinished calls if it is the last of the five. If the other
   * marks become set between the first two tries, both of them fail, so a third try follows.
   */
  const setMark = async (mark: Mark, callId: string, change: ItemChange, own: string): Promise<boolean> => {
    const others = Object.entries(isSet)
      .filter(([other]) => other !== mark)
      .map(([, expression]) => `(${expression})`)
      .join(' AND ');
    const write = (made: ItemChange, expression: string) =>
      tryWrite(callId, made, [{ expression: own }, { expression, values: { pending: 'pending' } }]);
    const asLast = () => write({ ...change, remove: [...(change.remove ?? []), 'unfinished'] }, others);
    const asEarlier = () => write(change, `NOT (${others})`);
    return (await asLast()) || (await asEarlier()) || (await asLast());
  };

  return {
    /**
     * Marks the call finished.
     * @param mayHaveTicket whether the help desk is next; the call then stays unfinished until `completeWork`.
     * @returns false if the call was finished before, or a step of finish-call is still pending.
     */
    finish: (callId: string, now: string, mayHaveTicket = false): Promise<boolean> => {
      const change: ItemChange = { set: { finished_at: now, progress_at: now }, remove: ['finish_sent_at'] };
      const own =
        'attribute_not_exists(finished_at) AND recording.#state <> :pending AND (attribute_not_exists(analysis) OR analysis.#state <> :pending)';
      if (!mayHaveTicket) return setMark('finished', callId, change, own);
      return tryWrite(callId, { ...change, set: { ...change.set, ticket_work: 'pending' } }, [
        { expression: own, values: { pending: 'pending' } },
      ]);
    },

    /**
     * Records that recover-calls sends the release of a scheduled call.
     * @param call as read. @returns false if the call was released, postponed or sent since.
     */
    noteReleaseSent: ({ call_id, scheduled_for, release_sent_at }: Call, now: string): Promise<boolean> =>
      tryWrite(call_id, { set: { release_sent_at: now } }, [
        scheduledFor(scheduled_for),
        sentAsRead('release_sent_at', release_sent_at, now),
      ]),

    /**
     * Records that recover-calls sends the call to finish-call.
     * @param call as read. @returns false if the call was finished or sent since.
     */
    noteFinishSent: ({ call_id, finish_sent_at, finished_at }: Call, now: string): Promise<boolean> =>
      tryWrite(call_id, { set: { finish_sent_at: now } }, [
        isStill('finished_at', finished_at),
        sentAsRead('finish_sent_at', finish_sent_at, now),
      ]),

    /**
     * Stores the result of the call's last notification.
     * @returns false if a result was stored before; that one counts.
     */
    recordCallbackStatus: (callId: string, status: Exclude<CallbackStatus, 'pending'>): Promise<boolean> =>
      setMark('notified', callId, { set: { callback_status: status } }, 'callback_status = :pending'),

    /**
     * Records that a failed notification of the end was delivered because a person resent it.
     * @returns false if it had not failed.
     */
    recordLateDelivery: (callId: string): Promise<boolean> =>
      tryWrite(callId, { set: { callback_status: 'delivered' } }, [
        { expression: 'callback_status = :failed', values: { failed: 'failed' } },
      ]),

    /** Records that the client's notification of the analysis is settled. @returns false if it was settled before. */
    recordAnalysisNotified: (callId: string): Promise<boolean> =>
      setMark('analysisNotified', callId, { set: { analysis_callback: 'done' } }, 'analysis_callback = :pending'),

    /** Ends the tries at the analysis of a finished call. @returns false if they had ended, or one was successful. */
    giveUpAnalysis: (callId: string): Promise<boolean> =>
      setMark(
        'analysisNotified',
        callId,
        { set: { analysis_callback: 'done' }, remove: ['analysis_after'] },
        'analysis_callback = :pending AND attribute_not_exists(analyzed_at)',
      ),

    /**
     * Takes the turn to write a finished call into CRM-B or the help desk.
     * @param turn.until no other worker takes the turn before this instant.
     * @returns false if no work is left, the call is not finished, or the next turn is not due yet.
     */
    takeTurn: (kind: TurnKind, callId: string, { now, until }: { now: string; until: string }): Promise<boolean> => {
      const { after } = turnAttributes[kind];
      const isDue = `attribute_not_exists(${after}) OR ${after} <= :now`;
      return tryWrite(callId, { set: { [after]: until, progress_at: now } }, [
        {
          expression: `${isLeft(kind)} AND attribute_exists(finished_at) AND (${isDue})`,
          values: { pending: 'pending', now },
        },
      ]);
    },

    /**
     * Ends a turn early.
     * @param next.at when the next turn may be taken. @param next.error why the work is not done; absent if nothing
     * failed.
     * @returns false if another worker has taken the turn since.
     */
    endTurn: (
      kind: TurnKind,
      callId: string,
      { until }: { until: string },
      next: { at: string; error?: string },
    ): Promise<boolean> => {
      const { after, error } = turnAttributes[kind];
      const change = {
        set: { [after]: next.at, [error]: next.error },
        remove: next.error === undefined ? [error] : [],
      };
      return tryWrite(callId, change, [
        { expression: `${isLeft(kind)} AND ${after} = :until`, values: { pending: 'pending', until } },
      ]);
    },

    /**
     * Records that recover-calls sends the message of a turn again.
     * @param call as read. @returns false if a turn was taken or another message sent since.
     */
    noteTurnSent: (kind: TurnKind, call: Call, now: string): Promise<boolean> => {
      const { after, sent } = turnAttributes[kind];
      return tryWrite(call.call_id, { set: { [sent]: now } }, [
        { expression: isLeft(kind), values: { pending: 'pending' } },
        isStill(after, call[after]),
        sentAsRead(sent, call[sent], now),
      ]);
    },

    /** Marks the work of the turns done: each of its writes is settled. @returns false if it was marked before. */
    completeWork: (kind: TurnKind, callId: string): Promise<boolean> => {
      const { work, after, error, sent } = turnAttributes[kind];
      return setMark(markOf[kind], callId, { set: { [work]: 'done' }, remove: [after, error, sent] }, isLeft(kind));
    },

    /**
     * Changes the mark of a record in CRM-B.
     * @param before as read. @param after absent to remove the mark because nothing was requested.
     * @returns false if the mark has changed since it was read.
     */
    changeCrmBItem: (
      callId: string,
      item: CrmBItem,
      before: RemoteWrite | undefined,
      after: RemoteWrite | undefined,
    ): Promise<boolean> => tryWrite(callId, changeOf(item, after), [unchanged(item, before)]),

    /**
     * Changes the mark of a record at the help desk, in a transaction; refused if the mark has changed since it was
     * read.
     * @param before as read. @param after absent to remove the mark. @param more attributes to change with it.
     */
    changingTicketItem: (
      callId: string,
      item: TicketItem,
      before: RemoteWrite | undefined,
      after: RemoteWrite | undefined,
      more?: ItemChange,
    ): Write => makeWrite(callId, changeOf(item, after, more), [unchanged(item, before)]),
  };
}
