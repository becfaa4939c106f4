import { decideTicket, type NoTicket, type TicketDecision } from '../../domain/after-call/tickets/ticket-decision.ts';
import type { Call, RemoteWrite, TicketItem } from '../../domain/calls/call.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { CallWork } from '../../messages/call-work.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type AtReceiverDeps, atReceiver } from './remote-writes/at-receiver.ts';
import {
  type EndTurnDeps,
  endTurn,
  type FinishedCall,
  type TakeTurnDeps,
  type TryStepDeps,
  type Turn,
  takeTurn,
  tryStep,
} from './remote-writes/work-turn.ts';
import type { StepEnd } from './remote-writes/write-once.ts';
import { type ContactStepDeps, contactStep } from './tickets/contact-step.ts';
import { type FollowUpDeps, followUpSteps } from './tickets/follow-up-steps.ts';
import type { RefreshDeps } from './tickets/refresh-step.ts';
import { type GatheredTicket, gatherTicketFacts, type TicketFactsDeps } from './tickets/ticket-facts.ts';
import { type TicketStepDeps, ticketStep } from './tickets/ticket-step.ts';

export type CreateTicketDeps = TicketFactsDeps &
  ContactStepDeps &
  TicketStepDeps &
  FollowUpDeps &
  RefreshDeps &
  TakeTurnDeps &
  AtReceiverDeps & {
    calls: EndTurnDeps['calls'];
    ticketsQueue: QueueSender<CallWork>;
    /** Puts a message on the tickets queue at an instant. Idempotent by name. */
    refreshAt: (at: Date, name: string, work: CallWork) => Promise<void>;
    warn: (
      message: string,
      facts: { call_id: string; connection_id: string; item: TicketItem; reason: string },
    ) => void;
  };

/** Milliseconds into the turn after which no step begins, because an upload may take another 30 s. */
const LATEST_START_MS = 25_000;

/**
 * Writes a finished call to the help desk: a contact and a ticket, each at most once, then the follow-ups of the
 * ticket, and a quarter of an hour later the refresh (docs/help-desk.md). A failed step is retried later and given up
 * at its deadline.
 * @returns a result code for the log. @throws the errors of our stores; the queue then delivers the message again.
 */
export async function createTicket(deps: CreateTicketDeps, callId: string): Promise<string> {
  const turn = await takeTurn(deps, 'help-desk', callId);
  if (!turn) return 'not_due';
  const connectionId = connectionIdFor(turn.call.org_id, 'help-desk');
  return atReceiver(deps, turn, connectionId, (admitted) => writeTicket(deps, admitted));
}

async function writeTicket(deps: CreateTicketDeps, turn: Turn): Promise<string> {
  const facts = await gatherTicketFacts(deps, turn.call, { mayRequest: turn.refusal === undefined });
  let progress: Progress = { facts, ends: new Map() };
  for (;;) {
    const { facts, ends } = progress;
    const decision = decideTicket(facts, new Set(ends.keys()), deps.now());
    switch (decision.kind) {
      case 'no_ticket':
        return recordNoTicket(deps, turn, decision);
      case 'start_over': {
        const call = await forgetOrganization(deps, facts.call);
        if (!call) return 'not_due';
        progress = { ...progress, facts: { ...facts, call } };
        break;
      }
      case 'write':
      case 'follow_up':
        progress = withEnd(progress, decision.item, await tryDecided(deps, turn, progress, decision));
        break;
      case 'refresh_later':
        progress = withEnd(progress, 'ticket_refresh', { kind: 'not_due', dueAt: decision.dueAt });
        break;
      case 'end_turn':
        return endTicketTurn(deps, turn, [...ends.values()]);
    }
  }
}

/**
 * The progress of a turn: the facts with the marks that it has stored, and the result of each item that it has tried.
 */
type Progress = { facts: GatheredTicket; ends: ReadonlyMap<TicketItem, StepEnd> };

const withEnd = ({ facts, ends }: Progress, item: TicketItem, end: StepEnd): Progress => ({
  facts: 'mark' in end ? { ...facts, call: { ...facts.call, [item]: end.mark } } : facts,
  ends: new Map(ends).set(item, end),
});

function tryDecided(
  deps: CreateTicketDeps,
  turn: Turn,
  { facts, ends }: Progress,
  decision: Extract<TicketDecision, { kind: 'write' | 'follow_up' }>,
): Promise<StepEnd> {
  const stepDeps = stepDepsFor(deps, facts);
  switch (decision.item) {
    case 'ticket_contact':
      return tryStep(stepDeps, turn, contactStep(deps, facts));
    case 'ticket':
      return tryStep(stepDeps, turn, ticketStep(deps, facts, ends.get('ticket_contact')?.kind === 'settled'));
    default:
      return tryStep(stepDeps, turn, followUpSteps[decision.item](deps, facts, decision.ticket));
  }
}

async function endTicketTurn(deps: CreateTicketDeps, turn: Turn, ends: readonly StepEnd[]): Promise<string> {
  const { call_id } = turn.call;
  const sendAt = (at: Date) => deps.refreshAt(at, `${call_id}-refresh`, { call_id });
  const end = await endTurn({ ...deps, queue: deps.ticketsQueue, sendAt }, turn, ends);
  return end === 'not_due' ? 'waiting_for_refresh' : end;
}

async function recordNoTicket(
  deps: CreateTicketDeps,
  { call: { call_id } }: Turn,
  { state, error }: NoTicket,
): Promise<string> {
  const mark: RemoteWrite = { state, error, at: deps.now().toISOString() };
  const write = deps.calls.changingTicketItem(call_id, 'ticket', undefined, mark);
  // Another worker has requested the ticket since, so the turn belongs to that worker.
  if (!(await deps.transact({ write })).committed) return 'not_due';
  await deps.calls.completeWork('help-desk', call_id);
  return state === 'none' ? 'no_ticket' : 'failed';
}

/**
 * Removes contact and ticket text from a call, because both belong to another organization of the help desk: the text
 * names its department. An erasure still finds the contact in `former_contacts`.
 * @returns the resulting call; undefined if the call has changed since it was read.
 */
async function forgetOrganization(
  { calls, transact }: CreateTicketDeps,
  call: FinishedCall,
): Promise<FinishedCall | undefined> {
  const { ticket_contact, ticket_fields, ticket_organization, ...rest } = call;
  const remove: (keyof Call)[] = ['ticket_fields', 'ticket_organization'];
  const { former_contacts = [] } = rest;
  const { state, id, at } = ticket_contact ?? {};
  const mayExist = id !== undefined || state === 'asked' || state === 'unconfirmed';
  const former =
    mayExist && at !== undefined
      ? { former_contacts: [...former_contacts, { organization: ticket_organization, id, at }] }
      : {};
  const change = { set: former, remove };
  const write = calls.changingTicketItem(call.call_id, 'ticket_contact', ticket_contact, undefined, change);
  return (await transact({ write })).committed ? { ...rest, ...former } : undefined;
}

const stepDepsFor = (
  { warn, ...deps }: CreateTicketDeps,
  { call: { call_id }, connectionId: connection_id }: GatheredTicket,
): TryStepDeps<TicketItem> => ({
  ...deps,
  system: 'the help desk',
  latestStartMs: LATEST_START_MS,
  warn: (message, facts) => warn(message, { call_id, connection_id, ...facts }),
});
