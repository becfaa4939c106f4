import { ticketChange } from '../../../../../shared/domain/after-call/tickets/ticket-change.ts';

const at = '2026-03-02T06:10:00.000Z';
const fields = { departmentId: '7', subject: 'Leak', description: 'The box leaks.', phone: '+919812345678' };
const inline = { fields, makesContact: true, contactId: '9' };
const written = { state: 'written', at, id: '5' } as const;

describe('the change that is stored with the mark of a ticket', () => {
  it('is the text of the ticket before its request', () => {
    const change = ticketChange({}, { state: 'asked', at }, { fields, makesContact: false });
    expect(change).toEqual({ set: { ticket_fields: fields } });
  });

  it('removes the text if the request was not carried out', () => {
    expect(ticketChange({}, undefined, undefined)).toEqual({ remove: ['ticket_fields'] });
  });

  it('is empty if a lookup did not find the ticket', () => {
    expect(ticketChange({}, { state: 'asked', at, absent_since: at }, undefined)).toEqual({});
  });

  it('removes the text once the ticket is settled', () => {
    for (const state of ['failed', 'unconfirmed', 'none'] as const)
      expect(ticketChange({}, { state, at, error: 'x' }, undefined)).toEqual({ remove: ['ticket_fields'] });
  });

  it('is the metadata and the time of the refresh once the ticket is written', () => {
    const requested = { fields: { ...fields, priority: 'High' }, makesContact: false, contactId: '9' };
    expect(ticketChange({ metadata: { other: 'x' } }, written, requested)).toEqual({
      set: {
        ticket_refresh_at: '2026-03-02T06:25:00.000Z',
        metadata: { other: 'x', ticket_id: '5', ticket_status: 'Open', ticket_priority: 'High' },
      },
      remove: ['ticket_fields'],
    });
  });

  it('includes the contact only if the ticket created it and the help desk returned its id', () => {
    expect(ticketChange({}, written, inline).set).toMatchObject({ ticket_contact: { state: 'written', at, id: '9' } });
    for (const requested of [undefined, { ...inline, makesContact: false }, { ...inline, contactId: undefined }])
      expect(ticketChange({}, written, requested).set).not.toHaveProperty('ticket_contact');
  });
});
