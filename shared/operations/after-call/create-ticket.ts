import { isWritingOver, TURN_SECONDS } from '../../domain/after-call/remote-writing.ts';
import { type HelpDeskSettings, readSettings, whyNoTicket } from '../../domain/after-call/ticket-content.ts';
import { ticketDeadlines } from '../../domain/after-call/ticket-work.ts';
import type { Call, RemoteWrite, TicketItem } from '../../domain/calls/call.ts';
import { type Connection, isConnected } from '../../domain/connections/connection.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import { secondsAfter, secondsBetween } from '../../domain/time/instants.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type ResolveOrganizationDeps, resolveOrganization } from '../connections/resolve-organization.ts';
import {
  contactItem,
  followUpItems,
  refreshItem,
  type TicketCall,
  type TicketItemDeps,
  ticketItem,
} from './ticket-items.ts';
import { begunAnewElsewhere, endedElsewhere } from './ticket-organization.ts';
import {
  giveUp,
  LONGEST_QUEUE_WAIT_SECONDS,
  NEXT_TURN_SECONDS,
  nextTry,
  type OnceItem,
  type Waiting,
  type WriteOnceDeps,
  waitFor,
  writeOnce,
} from './write-once.ts';

export type CreateTicketDeps = Omit<TicketItemDeps, 'calls' | 'connections' | 'warn'> &
  ResolveOrganizationDeps & {
    calls: TicketItemDeps['calls'] & Pick<CallStore, 'takeTicketTurn' | 'endTicketTurn' | 'recordTicket'>;
    connections: Pick<ConnectionStore, 'get'>;
    ticketsQueue: QueueSender<CallWork>;
    /** Puts a message on the tickets queue at a time; twice under one name is once. */
    refreshAt: (at: Date, name: string, work: CallWork) => Promise<void>;
    /** Milliseconds of a clock that nobody sets: how long this takes. */
    stopwatch: () => number;
    random: () => number;
    warn: (
      message: string,
      facts: { call_id: string; connection_id: string; item: TicketItem; reason: string },
    ) => void;
  };

/** A try that begins later than this might not end within the function's time: an upload takes 30 s. */
const LAST_BEGINNING_MS = 25_000;
/** EventBridge Scheduler takes no time that has passed: nearer ones go by the queue's own delay. */
const SOON_SECONDS = 60;

/**
 * Tells the help desk of a finished call: a contact and a ticket, each at most once, then what follows upon the ticket, and a
 * quarter of an hour later one look at what became of it (docs/help-desk.md). What cannot be done yet is tried again later,
 * by a message to the queue or by recover-calls; what is not done by its deadline is given up, and the call is done all the same.
 * @returns a word for the log. @throws what our own stores throw; then the queue repeats it.
 */
export async function createTicket(deps: CreateTicketDeps, callId: string): Promise<string> {
  const [now, begun] = [deps.now(), deps.stopwatch()];
  const turn = { until: secondsAfter(now, TURN_SECONDS) };
  if (!(await deps.calls.takeTicketTurn(callId, { now: now.toISOString(), ...turn }))) return 'not_due';
  const call = await deps.calls.get(callId);
  if (!call?.finished_at) return 'not_due';

  const connectionId = connectionIdFor(call.org_id, 'help-desk');
  const read = await toldOf(deps, connectionId, call);
  if ('mark' in read) {
    const mark = { ...read.mark, at: now.toISOString() };
    const write = deps.calls.changingTicketItem(callId, 'ticket', undefined, mark);
    // Another worker has asked for it meanwhile: its turn it is.
    if (!(await deps.transact({ write })).committed) return 'not_due';
    await deps.calls.recordTicket(callId);
    return mark.state === 'none' ? 'no_ticket' : 'failed';
  }
  const told = await begunAnewElsewhere(deps, read);
  if (!told) return 'not_due';

  const once = onceDeps(deps, callId, connectionId);
  const waiting: Waiting<TicketItem>[] = [];
  /** @returns what became of the item, undefined while that is open. */
  const tell = async (item: OnceItem<TicketItem>): Promise<RemoteWrite | undefined> => {
    const tried =
      deps.stopwatch() - begun < LAST_BEGINNING_MS
        ? await writeOnce(once, endedElsewhere(item))
        : { ...waitFor(once, item, item.known, 'there was no time for it'), seconds: NEXT_TURN_SECONDS };
    if (tried.kind === 'settled') return tried.mark;
    waiting.push(tried);
    once.warn('the help desk has not taken an item of a call yet', { item: item.name, reason: tried.reason });
    return undefined;
  };
  await tellAll({ ...deps, warn: once.warn }, told, tell, (item) =>
    waiting.push({ kind: 'waiting', item, known: undefined, reason: '', seconds: 0 }),
  );

  const open = await stillOpen(deps, once, waiting);
  if (open.length > 0) {
    await tryLater(deps, callId, turn, open);
    return open.every(isRefreshToCome) ? 'waiting_for_refresh' : 'waiting';
  }
  await deps.calls.recordTicket(callId);
  return waiting.length > 0 ? 'given_up' : 'done';
}

/** @returns the call and what its help desk is like, or how its ticket ended before anything was asked for. */
async function toldOf(
  deps: CreateTicketDeps,
  connectionId: string,
  call: Call,
): Promise<TicketCall | { mark: Omit<RemoteWrite, 'at'> }> {
  const connection = await deps.connections.get(connectionId);
  const settings = settingsOf(connection);
  // Once it was asked for, the ticket goes its way, whatever the settings and the analysis have become.
  const isBegun = call.ticket !== undefined || call.ticket_fields !== undefined;
  if (!isBegun && 'error' in settings) return { mark: { state: 'failed', error: settings.error } };
  const reason = isBegun || 'error' in settings ? undefined : whyNoTicket(call, settings);
  if (reason !== undefined) return { mark: { state: 'none', error: reason } };
  return {
    call: call as TicketCall['call'],
    connectionId,
    connection: connection && isConnected(connection) ? await resolveOrganization(deps, connection) : connection,
    settings: 'error' in settings ? undefined : settings,
  };
}

const settingsOf = (connection: Connection | undefined): HelpDeskSettings | { error: string } =>
  connection ? readSettings(connection.settings) : { error: 'the help-desk connection is gone' };

const onceDeps = (
  { now, random, warn }: CreateTicketDeps,
  call_id: string,
  connection_id: string,
): WriteOnceDeps<TicketItem> => ({
  system: 'the help desk',
  now,
  random,
  warn: (message, facts) => warn(message, { call_id, connection_id, ...facts }),
});

/** The ticket needs its contact, and what follows needs the ticket; what follows needs nothing else of what follows. */
async function tellAll(
  deps: TicketItemDeps,
  told: TicketCall,
  tell: (item: OnceItem<TicketItem>) => Promise<RemoteWrite | undefined>,
  later: (item: OnceItem<TicketItem>) => void,
): Promise<void> {
  let { ticket } = told.call;
  if (!ticket || ticket.state === 'asked') {
    const contact = await tell(contactItem(deps, told));
    ticket = contact && (await tell(ticketItem(deps, told, contact)));
  }
  if (ticket?.state !== 'written') return;
  for (const item of followUpItems(deps, told, ticket)) await tell(item);
  const refresh = refreshItem(deps, told, ticket);
  if (refresh.since > deps.now().toISOString()) later(refresh);
  else await tell(refresh);
}

/** Gives up what is over its time. @returns what is tried again. */
async function stillOpen(
  deps: CreateTicketDeps,
  once: WriteOnceDeps<TicketItem>,
  waiting: readonly Waiting<TicketItem>[],
): Promise<Waiting<TicketItem>[]> {
  const open: Waiting<TicketItem>[] = [];
  for (const each of waiting) {
    const { name, since } = each.item;
    if (!isWritingOver(since, deps.now(), ticketDeadlines[name])) open.push(each);
    else {
      await giveUp(once, each);
      // The ticket comes next, with the contact in it.
      if (name === 'ticket_contact') open.push({ ...each, seconds: NEXT_TURN_SECONDS });
    }
  }
  return open;
}

/** Dying before the message leaves a call whose turn is past: recover-calls sends it. */
async function tryLater(
  deps: CreateTicketDeps,
  callId: string,
  turn: { until: string },
  open: readonly Waiting<TicketItem>[],
): Promise<void> {
  const now = deps.now();
  // The refresh has its hour, however long it took until here: its schedule must not find that it is early.
  const waiting = open.map((each) => (isRefreshToCome(each) ? { ...each, seconds: untilIts(each, now) } : each));
  const scheduled = waiting.filter((each) => isRefreshToCome(each) && each.seconds >= SOON_SECONDS);
  // A second more than each wait, so that nothing comes before its time and is dropped.
  for (const { item } of scheduled)
    await deps.refreshAt(new Date(secondsAfter(item.since, 1)), `${callId}-refresh`, { call_id: callId });
  const { seconds, error } = nextTry(waiting);
  const next = { next: secondsAfter(now, seconds), ...(error !== '' && { error }) };
  if (!(await deps.calls.endTicketTurn(callId, turn, next))) return;
  const others = waiting.filter((each) => !scheduled.includes(each));
  if (others.length === 0) return;
  const wait = nextTry(others).seconds;
  if (wait < LONGEST_QUEUE_WAIT_SECONDS) await deps.ticketsQueue.send({ call_id: callId }, wait + 1);
}

/** Nothing is wrong with what is not due yet. */
const isRefreshToCome = ({ reason }: Waiting<TicketItem>): boolean => reason === '';

const untilIts = ({ item }: Waiting<TicketItem>, now: Date): number => Math.max(0, secondsBetween(now, item.since));
