import { endedByService } from '../../../../shared/domain/calls/ending.ts';

it('an end by the service has its reason, the present time and no connection', () => {
  const now = new Date('2026-03-02T06:00:00.000Z');
  expect(endedByService('failed', 'lost', now)).toStrictEqual({
    status: 'failed',
    ended_reason: 'lost',
    ended_at: now.toISOString(),
    duration: 0,
  });
});
