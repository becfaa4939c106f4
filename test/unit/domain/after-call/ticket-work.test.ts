import { describe, expect, it } from '@jest/globals';
import { refreshTime, viewTicket, withTicket } from '../../../../shared/domain/after-call/ticket-work.ts';

const at = '2026-03-02T06:10:00.000Z';

describe('the status refresh', () => {
  it('is a quarter of an hour after the ticket, in whole seconds', () => {
    expect(refreshTime(at)).toBe('2026-03-02T06:25:00.000Z');
    expect(refreshTime('2026-03-02T06:10:00.001Z')).toBe('2026-03-02T06:25:01.000Z');
  });

  it('merges what the ticket is into the call’s metadata, and takes back what it is no more', () => {
    const before = { other: 'x', ticket_status: 'Open', ticket_priority: 'High', ticket_assignee_id: '9' };
    const ticket = {
      id: '7',
      ticketNumber: '101',
      status: 'Waiting',
      statusType: 'On Hold',
      webUrl: 'https://desk.example/7',
      modifiedTime: at,
    };
    expect(withTicket(before, ticket)).toEqual({
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

describe('what an operator sees of a ticket', () => {
  it('is nothing where there is no help desk', () => {
    expect(viewTicket({})).toBeNull();
  });

  it('is what went well and what did not, without what was not wanted or is under way', () => {
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

  it('says why there is none', () => {
    const ticket = { state: 'none' as const, at, error: 'the call is failed' };
    expect(viewTicket({ ticket_work: 'done', ticket })).toMatchObject({
      ticket_id: null,
      status: null,
      error: 'the call is failed',
      steps: [],
    });
  });
});
