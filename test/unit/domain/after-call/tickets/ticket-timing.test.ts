import { refreshTime } from '../../../../../shared/domain/after-call/tickets/ticket-timing.ts';

describe('the refresh of a ticket', () => {
  it('is due a quarter of an hour after the ticket, in whole seconds', () => {
    expect(refreshTime('2026-03-02T06:10:00.000Z')).toBe('2026-03-02T06:25:00.000Z');
    expect(refreshTime('2026-03-02T06:10:00.001Z')).toBe('2026-03-02T06:25:01.000Z');
  });
});
