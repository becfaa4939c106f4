import { viewTicket } from '../../../../../shared/domain/after-call/tickets/ticket-view.ts';

const at = '2026-03-02T06:10:00.000Z';

describe('a ticket as an operator sees it', () => {
  it('is null for a call without a help desk', () => {
    expect(viewTicket({})).toBeNull();
  });

  it('lists the steps that succeeded or failed, but neither unwanted nor unfinished ones', () => {
    expect(
      viewTicket({
        ticket_work: 'pending',
        ticket_error: 'TOO_MANY_REQUESTS',
        ticket_contact: { state: 'failed', at, error: 'SCOPE_MISMATCH' },
        ticket: { state: 'written', at, id: '7' },
        ticket_tags: { state: 'none', at },
        ticket_recording: { state: 'asked', at },
        ticket_transcript: { state: 'unconfirmed', at, error: 'reset' },
        ticket_refresh_at: '2026-03-02T06:25:00.000Z',
        metadata: { ticket_id: '7', ticket_status: 'Open' },
      }),
    ).toEqual({
      ticket_id: '7',
      status: 'Open',
      priority: null,
      error: 'TOO_MANY_REQUESTS',
      refresh_at: '2026-03-02T06:25:00.000Z',
      steps: [
        { step: 'contact', ok: false, error: 'SCOPE_MISMATCH' },
        { step: 'ticket', ok: true, error: null },
        { step: 'transcript', ok: false, error: 'reset' },
      ],
    });
  });

  it('says why the call has no ticket', () => {
    const ticket = { state: 'none' as const, at, error: 'the call is failed' };
    expect(viewTicket({ ticket_work: 'done', ticket })).toMatchObject({
      ticket_id: null,
      status: null,
      error: 'the call is failed',
      steps: [],
    });
  });
});
