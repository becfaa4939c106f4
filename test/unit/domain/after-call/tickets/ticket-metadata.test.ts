import { withTicket } from '../../../../../shared/domain/after-call/tickets/ticket-change.ts';

const at = '2026-03-02T06:10:00.000Z';

describe('the metadata of a call with a ticket', () => {
  it('contains the state of the ticket, without entries that the ticket no longer has', () => {
    const before = { other: 'x', ticket_status: 'Open', ticket_priority: 'High', ticket_assignee_id: '9' };
    const state = { status: 'Waiting', statusType: 'On Hold', modifiedTime: at };
    expect(withTicket(before, { id: '7', ticketNumber: '101', webUrl: 'https://desk.example/7', ...state })).toEqual({
      other: 'x',
      ticket_id: '7',
      ticket_number: '101',
      ticket_status: 'Waiting',
      ticket_status_type: 'On Hold',
      ticket_url: 'https://desk.example/7',
      ticket_modified_at: at,
    });
    expect(withTicket(undefined, { id: '7' })).toEqual({ ticket_id: '7' });
  });
});
