import { plainJson } from '../text/plain-text.ts';
import type { Call } from './call.ts';
import { isTerminal } from './call-status.ts';
import { type CallView, viewCall } from './call-view.ts';

/** The detail of an event on the bus `calls`. */
export type CallEvent = {
  type: `call.${string}`;
  call_id: string;
  org_id: string;
  at: string;
  /** Whether the client is notified of it. */
  notify: boolean;
  /** Whether the call has to be written to CRM-B. */
  crm_b: boolean;
  /** Whether the call may become a ticket. */
  ticket: boolean;
  /** Present if the end released slots. */
  freed_slots?: true;
  /** The call at the time of the event, for the notification. */
  call?: CallView;
};

/**
 * Derives the events of one change: a new status, a new scheduled time, released slots, the first analysis, the first
 * finish.
 * @param before undefined if the call was created.
 */
export function eventsOfChange(before: Call | undefined, after: Call): CallEvent[] {
  const event = (type: CallEvent['type'], at: string): CallEvent => ({
    type,
    call_id: after.call_id,
    org_id: after.org_id,
    at,
    notify: false,
    crm_b: after.crm_b_sync === 'pending',
    ticket: after.ticket_work === 'pending',
  });
  const notified = (type: CallEvent['type'], at: string): CallEvent => {
    const plain = event(type, at);
    return after.callback_url === undefined ? plain : { ...plain, notify: true, call: snapshotOf(after) };
  };
  if (isCopy(before, after)) return [];
  const hasFreedSlots = before?.slots !== undefined && !after.slots;
  const events: CallEvent[] = [];
  if (!before) events.push(event(`call.${after.status}`, after.created_at));
  else if (before.status !== after.status)
    events.push({
      ...notified(`call.${after.status}`, after.progress_at),
      ...(hasFreedSlots && isTerminal(after.status) && { freed_slots: true }),
    });
  else if (after.status === 'scheduled' && before.scheduled_for !== after.scheduled_for)
    events.push(event('call.scheduled', after.progress_at));
  // A call's end also frees its slots, but has its own event.
  if (hasFreedSlots && !isTerminal(after.status)) events.push(event('call.given_back', after.progress_at));
  if (after.analyzed_at && !before?.analyzed_at) events.push(notified('call.analyzed', after.analyzed_at));
  if (after.finished_at && !before?.finished_at) events.push(event('call.finished', after.finished_at));
  return events;
}

/**
 * EventBridge parses events, and may refuse or change long numbers. SQS refuses or replaces characters that a client
 * can send. `storeCallback` takes the client's values from the call instead.
 */
const snapshotOf = (call: Call): CallView => plainJson(viewCall(call));

/**
 * Returns whether a change only stores a copy of an ended call, as `stage reconcile` does. The changes of this call
 * were already published and measured from the table that it was copied from. Every other call is first stored before
 * its end.
 */
export const isCopy = (before: Call | undefined, after: Call): boolean => !before && isTerminal(after.status);
