import type { Call, RemoteWrite, TicketItem } from '../../calls/call.ts';
import type { Shown } from '../../newer-values.ts';

type TicketOfCall = Pick<Shown<Call>, TicketItem | 'ticket_work' | 'ticket_error' | 'ticket_refresh_at' | 'metadata'>;

export type ShownTicketStep = { step: string; ok: boolean; error: string | null };

/** Returns a call's ticket as an operator sees it; null if the call is not for a help desk. */
export function viewTicket(call: TicketOfCall) {
  const { ticket, ticket_work, ticket_error, metadata = {} } = call;
  if (!ticket_work) return null;
  return {
    ticket_id: ticket?.id ?? null,
    status: (ticket?.id && metadata.ticket_status) || null,
    priority: (ticket?.id && metadata.ticket_priority) || null,
    error: [ticket?.error, ticket_error].filter((error) => error !== undefined).join('; ') || null,
    refresh_at: call.ticket_refresh_at ?? null,
    steps: steps.flatMap(([step, item]) => viewStep(step, call[item])),
  };
}

const steps: [step: string, item: TicketItem][] = [
  ['contact', 'ticket_contact'],
  ['ticket', 'ticket'],
  ['tags', 'ticket_tags'],
  ['recording', 'ticket_recording'],
  ['transcript', 'ticket_transcript'],
  ['refresh', 'ticket_refresh'],
];

/** Leaves out steps that were not needed or are still in progress. */
function viewStep(step: string, mark: Shown<RemoteWrite> | undefined): ShownTicketStep[] {
  if (!mark || mark.state === 'asked' || mark.state === 'none') return [];
  return [{ step, ok: mark.state === 'written', error: mark.error ?? null }];
}
