import { decideAfterAttempt } from '../../../../../shared/domain/after-call/callbacks/callback-attempt.ts';

const now = new Date('2026-03-02T06:00:00.000Z');
const END = 'call.completed';
const made = (count: number) => Array.from({ length: count }, () => ({ at: now.toISOString() }));
const decide = (
  { type = END, attempts = 1, isEndDelivered = false },
  answer?: { status: number; retryAfterSeconds?: number },
) => decideAfterAttempt({ type, attempts: made(attempts) }, answer, { isEndDelivered, now, random: 0.5 });

describe('the result of a notification attempt', () => {
  it('is a delivery; for the notification of the end it also sets the call’s callback_status', () => {
    expect(decide({}, { status: 204 })).toEqual({ state: 'delivered', callbackStatus: 'delivered' });
    for (const type of ['call.ringing', 'call.analyzed'])
      expect(decide({ type }, { status: 204 })).toEqual({ state: 'delivered' });
  });

  it('after a 410 ends all notifications; callback_status is failed unless the end was delivered', () => {
    expect(decide({ type: 'call.ringing' }, { status: 410 })).toEqual({ state: 'gone', callbackStatus: 'failed' });
    const after = decide({ type: 'call.analyzed', isEndDelivered: true }, { status: 410 });
    expect(after).toEqual({ state: 'gone', callbackStatus: 'delivered' });
  });

  it.each([undefined, { status: 302 }, { status: 404 }, { status: 500 }])('is another attempt after %j', (answer) => {
    expect(decide({}, answer)).toEqual({ state: 'pending', next_attempt_at: '2026-03-02T06:00:05.000Z' });
  });

  it('is another attempt no earlier than a throttling answer demands', () => {
    const next_attempt_at = '2026-03-02T06:01:00.000Z';
    expect(decide({}, { status: 429, retryAfterSeconds: 60 })).toEqual({ state: 'pending', next_attempt_at });
  });

  it('is a failure after seven attempts', () => {
    expect(decide({ attempts: 6 }, { status: 500 })).toMatchObject({ state: 'pending' });
    expect(decide({ attempts: 7 }, { status: 500 })).toEqual({ state: 'failed', callbackStatus: 'failed' });
    expect(decide({ attempts: 7, type: 'call.analyzed' })).toEqual({ state: 'failed' });
  });
});
