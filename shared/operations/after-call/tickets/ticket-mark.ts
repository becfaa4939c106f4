import type { RemoteWrite, TicketItem } from '../../../domain/calls/call.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { Transact, Write } from '../../../stores/dynamodb/transaction.ts';
import type { WriteStep } from '../remote-writes/write-once.ts';
import type { GatheredTicket } from './ticket-facts.ts';

export type TicketMarkDeps = { calls: Pick<CallStore, 'changingTicketItem'>; transact: Transact };

/** Data that the call stores in the same transaction as a mark. */
export type MarkExtra = {
  set?: Readonly<Record<string, unknown>>;
  remove?: readonly string[];
  claim?: Write | undefined;
};

export type TicketStep = WriteStep<TicketItem, MarkExtra>;

/** Stores a mark, and with it the organization of the help desk. @returns as `WriteStep.store`. */
export async function storeTicketMark(
  { calls, transact }: TicketMarkDeps,
  { call, organization }: GatheredTicket,
  item: TicketItem,
  before: RemoteWrite | undefined,
  after: RemoteWrite | undefined,
  { set, remove, claim }: MarkExtra = {},
): Promise<boolean> {
  const ticket_organization = call.ticket_organization ?? organization;
  const mark = calls.changingTicketItem(call.call_id, item, before, after, {
    set: { ...set, ...(after && ticket_organization !== undefined && { ticket_organization }) },
    ...(remove && { remove }),
  });
  return (await transact({ mark, claim }, { decidedBy: ['mark', 'claim'] })).committed;
}
