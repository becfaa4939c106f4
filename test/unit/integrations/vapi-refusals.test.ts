import {
  isAccountFault,
  meaningOf,
  refusesAccount,
  refusesNumber,
} from '../../../shared/integrations/voice/vapi/ended-reason.ts';
import { outcomeOfRefusal } from '../../../shared/integrations/voice/vapi/refusal.ts';

const refusalOf = (status: number, message?: string | string[]) => outcomeOfRefusal(status, { message });

describe('a refused dial request', () => {
  it.each([
    [429, undefined, 'account'],
    [401, undefined, 'account'],
    [402, undefined, 'account'],
    [400, 'Over Concurrency Limit.', 'account'],
    [400, 'Wallet Balance is -0.03.', 'account'],
    [400, 'Numbers Bought On Vapi Have A Daily Outbound Call Limit.', 'number'],
    [403, undefined, undefined],
  ] as const)('tells whether other calls meet the limit, too: %s %s', (status, message, limit) => {
    const answer = outcomeOfRefusal(status, { message }, 7);
    expect(answer).toMatchObject({ kind: 'not_dialed', ...(limit && { limit, retryAfterSeconds: 7 }) });
    expect('limit' in answer).toBe(limit !== undefined);
  });

  it.each([
    [429, 'Over Concurrency Limit', false],
    [400, 'Over Concurrency Limit.', false],
    [400, 'Concurrency limit reached: 10 calls are in progress.', false],
    [400, ['Numbers Bought On Vapi Have A Daily Outbound Call Limit. Import Your Own Twilio Numbers.'], true],
    [400, 'Wallet Balance is -0.03. Purchase More Credits Or Upgrade Your Plan.', true],
    [400, 'Subscription frozen', true],
    [401, 'Invalid Key', true],
    [402, undefined, true],
    [403, undefined, true],
  ] as const)('for a limit of the account waits: %s %s', (status, message, isOperatorFault) => {
    expect(refusalOf(status, message as string)).toMatchObject({ kind: 'not_dialed', isOperatorFault });
  });

  it.each([
    [400, 'customer.number must be a valid phone number in the E.164 format.'],
    [400, ['assistant.firstMessage must be a string', 'assistant.model should not be empty']],
    [400, undefined],
    [404, 'Over Concurrency Limit'],
    [422, undefined],
  ])('of this very call is final: %s %s', (status, message) => {
    expect(refusalOf(status, message)).toEqual({ kind: 'refused', reason: `platform answered ${status}` });
  });

  it.each([302, 408, 409, 425, 500, 502, 504])('with status %s proves nothing', (status) => {
    expect(refusalOf(status, 'Over Concurrency Limit')).toMatchObject({ kind: 'unknown' });
  });

  it.each(['Over Concurrency Limit', undefined, [1], {}])('may have any body: %j', (body) => {
    expect(outcomeOfRefusal(400, body)).toMatchObject({ kind: 'refused' });
  });
});

describe('a call that the platform accepted and did not start', () => {
  it.each([
    ['call.start.error-subscription-concurrency-limit-reached', false, true],
    ['call.start.error-subscription-insufficient-credits', true, true],
    ['call.start.error-subscription-frozen', true, true],
    ['call.start.error-vapi-number-outbound-daily-limit', true, false],
  ])('for a limit of the account waits again: %s', (reason, isFault, isForAll) => {
    expect([refusesAccount(reason), refusesNumber(reason)]).toEqual([isForAll, !isForAll]);
    expect(meaningOf(reason)).toEqual({ outcome: 'not_dialed', line: false });
    expect(isAccountFault(reason)).toBe(isFault);
  });

  it('needs no operator for any other reason', () => {
    const reasons = ['customer-busy', 'call.start.error-fraud-check-failed', 'assistant-not-found', 'new-reason'];
    expect(reasons.filter(isAccountFault)).toEqual([]);
    expect(reasons.filter(refusesAccount)).toEqual([]);
  });
});
