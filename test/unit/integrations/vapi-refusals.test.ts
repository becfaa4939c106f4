import {
  isAccountFault,
  meaningOf,
  refusesAccount,
  refusesNumber,
} from '../../../shared/integrations/voice/vapi/ended-reason.ts';
import { outcomeOfRefusal } from '../../../shared/integrations/voice/vapi/refusal.ts';

/** Vapi passes on what the carrier of the calling number answers (observed; Twilio, "Error and Warning Dictionary"). */
const twilio = (error: string) => `Couldn't Create Twilio Call. Twilio Error: ${error}`;
const abroad = twilio(
  'Account not authorized to call +919876543210. Perhaps you need to enable some international permissions: ' +
    'https://www.twilio.com/console/voice/calls/geo-permissions/low-risk',
);
const trial = twilio('The number +919876543210 is unverified. Trial accounts may only make calls to verified numbers.');
const foreign = twilio(
  "The source phone number provided, +15550100000, is not yet verified for your account. You may only make calls from phone numbers that you've verified or purchased from Twilio.",
);

const refusalOf = (status: number, message?: string | string[]) => outcomeOfRefusal(status, { message });

describe('a refused dial request', () => {
  it.each([
    [429, undefined, 'account'],
    [401, undefined, 'account'],
    [402, undefined, 'account'],
    [400, 'Over Concurrency Limit.', 'account'],
    [400, 'Wallet Balance is -0.03.', 'account'],
    [400, 'Numbers Bought On Vapi Have A Daily Outbound Call Limit.', 'number'],
    [400, "Couldn't Get Phone Number. Need Either `phoneNumber` Or `phoneNumberId`.", 'number'],
    [400, ['phoneNumberId must be a UUID'], 'number'],
    [404, 'phoneNumberId 6d0a1f52 does not exist.', 'number'],
    [404, 'Cannot POST /call', 'number'],
    [400, 'The fraud check failed.', 'destination'],
    [400, 'Free Vapi Numbers Do Not Support International Calls.', 'destination'],
    [400, abroad, 'destination'],
    [400, trial, 'destination'],
    [400, foreign, 'number'],
    [400, twilio('Authenticate'), 'number'],
    [400, twilio('Account is not active'), 'number'],
    [400, twilio('Too Many Requests'), 'number'],
  ] as const)('says whether other calls meet the limit, too: %s %s', (status, message, limit) => {
    const answer = outcomeOfRefusal(status, { message: message as string }, 7);
    expect(answer).toMatchObject({ kind: 'not_dialed', limit, retryAfterSeconds: 7 });
  });

  it.each([
    ['phoneNumberId must be a UUID', 'platform answered 400: about the calling number'],
    ['The fraud check failed.', 'platform answered 400: about the destination'],
    [undefined, 'platform answered 400'],
  ])('has a reason that names its subject, but not the words of the platform: %s', (message, reason) => {
    expect(refusalOf(400, message)).toMatchObject({ reason });
  });

  it('with status 403 may concern only one destination', () => {
    expect(refusalOf(403)).toMatchObject({ kind: 'not_dialed', limit: 'destination' });
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
    [400, 'phoneNumberId must be a UUID', true],
    [400, 'The fraud check failed.', true],
    [400, 'Free Vapi Numbers Do Not Support International Calls.', true],
    [404, 'phoneNumberId does not exist.', true],
    [404, undefined, true],
    [400, abroad, true],
    [400, trial, true],
    [400, foreign, true],
    [400, twilio('Authenticate'), true],
    [400, twilio('Account is not active'), true],
    [400, twilio('Too Many Requests'), false],
  ] as const)('for the account, its limits or our configuration waits: %s %s', (status, message, isOperatorFault) => {
    expect(refusalOf(status, message as string)).toMatchObject({ kind: 'not_dialed', isOperatorFault });
  });

  it.each([
    [400, 'customer.number must be a valid phone number in the E.164 format.'],
    [400, ['assistant.firstMessage must be a string', 'assistant.model should not be empty']],
    [400, undefined],
    [400, twilio("The phone number you are attempting to call, +91, is not valid: Invalid 'To' Phone Number.")],
    [400, ['customer.number must be a valid phone number', 'assistant.voice.provider must be one of the values']],
    [422, 'phoneNumberId'],
    [422, undefined],
  ])('is final if it concerns only this call: %s %s', (status, message) => {
    expect(refusalOf(status, message)).toEqual({ kind: 'refused', reason: `platform answered ${status}` });
  });

  it.each([
    ["Couldn't Find Voice. VoiceId: Wallet.", ['wallet']],
    ['voiceId phoneNumber is unknown', [undefined, 'phoneNumber']],
    ['“Payment” and “payment of the balance” are unknown', ['payment of the balance', ' Payment ']],
  ])('is final if only a quoted text of the organization is a word of a limit: %s', (message, quotable) => {
    expect(outcomeOfRefusal(400, { message }, undefined, quotable)).toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['Over Concurrency Limit.', ['en', 'o', 'concurren']],
    ['Wallet Balance is -0.03.', ['wallet', 'Wallet Balance is -0.03. Pay']],
  ])('is temporary if a text of the organization is only part of a word of its limit: %s', (message, quotable) => {
    expect(outcomeOfRefusal(400, { message }, undefined, quotable)).toMatchObject({ limit: 'account' });
  });

  it.each([302, 408, 409, 425, 500, 502, 504])('with status %s proves no refusal', (status) => {
    expect(refusalOf(status, 'Over Concurrency Limit')).toMatchObject({ kind: 'unknown' });
  });

  it.each(['Over Concurrency Limit', undefined, [1], {}])('may have any body: %j', (body) => {
    expect(outcomeOfRefusal(400, body)).toMatchObject({ kind: 'refused' });
  });
});

describe('a call that the platform accepted but did not start', () => {
  const start = 'call.start.error';

  it.each([
    [`${start}-subscription-concurrency-limit-reached`, false, 'account'],
    [`${start}-subscription-insufficient-credits`, true, 'account'],
    [`${start}-subscription-frozen`, true, 'account'],
    [`${start}-subscription-wallet-does-not-exist`, true, 'account'],
    [`${start}-subscription-upgrade-failed`, true, 'account'],
    [`${start}-vapi-number-outbound-daily-limit`, true, 'number'],
    [`${start}-get-phone-number`, true, 'number'],
    [`${start}-vapi-number-international`, true, undefined],
    [`${start}-get-transport`, true, undefined],
    [`${start}-get-resources-validation`, true, undefined],
    [`${start}-fraud-check-failed`, true, undefined],
    [`${start}-enterprise-feature-not-available-recording-consent`, true, undefined],
    [`${start}-vapifault-get-org`, false, undefined],
    [`${start}-get-org`, true, undefined],
    [`${start}-get-subscription`, false, undefined],
    [`${start}-vapifault-get-subscription`, false, undefined],
    [`${start}-vapifault-database-error`, false, undefined],
    ['call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required', true, 'number'],
  ])('waits again if the call is not at fault: %s', (reason, isFault, met) => {
    expect([refusesAccount(reason), refusesNumber(reason)]).toEqual([met === 'account', met === 'number']);
    expect(meaningOf(reason)).toEqual({ outcome: 'not_dialed', mayHaveConnected: false });
    expect(isAccountFault(reason)).toBe(isFault);
  });

  it.each([
    `${start}-get-customer`,
    `${start}-get-assistant`,
    'assistant-not-found',
    'assistant-not-valid',
    'toString',
  ])('is over if its own request or an unknown reason is at fault: %s', (reason) => {
    expect(meaningOf(reason).outcome).toBe('failed');
    expect([isAccountFault(reason), refusesAccount(reason), refusesNumber(reason)]).toEqual([false, false, false]);
  });

  it('needs no operator for an end of its own', () => {
    const reasons = ['customer-busy', 'assistant-not-found', 'new-reason', undefined];
    expect(reasons.filter(isAccountFault)).toEqual([]);
    expect(reasons.filter(refusesAccount)).toEqual([]);
  });
});
