import { endedByService } from '../../../../shared/domain/calls/ending.ts';

it('a call that the service ends has the reason, the current time and no connection', () => {
  const now = new Date('2026-03-02T06:00:00.000Z');
  expect(endedByService('failed', 'lost', now)).toStrictEqual({
    status: 'failed',
    ended_reason: 'lost',
    ended_at: now.toISOString(),
    duration: 0,
  });
});
