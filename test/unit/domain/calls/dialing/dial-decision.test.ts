import fc from 'fast-check';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import {
  type DialFacts,
  decideAfterRefusal,
  decideDial,
  dialReadiness,
  isDoubleDial,
} from '../../../../../shared/domain/calls/dialing/dial-decision.ts';
import type { SpendStop } from '../../../../../shared/domain/calls/dialing/spend-limit.ts';
import type { Assistant } from '../../../../../shared/domain/organizations/assistants/assistant.ts';
import type { Organization } from '../../../../../shared/domain/organizations/organization.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCall, aClaimedCall, aReservedCall } from '../../../support/call.ts';

const start = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(start, seconds));

describe('a dial message', () => {
  it.each<[string, Call]>([
    ['claimed', aClaimedCall()],
    ['claimed and known to the platform', aClaimedCall({ platform_id: 'p' })],
    ['adopted after its claim was given back', aCall({ status: 'dialing', platform_id: 'p' })],
    ['ringing', aClaimedCall({ status: 'ringing', platform_id: 'p' })],
    ['scheduled', aCall({ status: 'scheduled' })],
    ['over', aCall({ status: 'canceled' })],
  ])('is dropped if its call is %s', (_state, call) => {
    expect(dialReadiness(call, at(0))).toBe('not_waiting');
  });

  it('dials from `dial_after` on, and is late from `dial_by` on', () => {
    const call = aReservedCall({ dial_after: secondsAfter(start, 30), dial_by: secondsAfter(start, 900) });
    expect(dialReadiness(call, at(29.999))).toBe('too_early');
    expect(dialReadiness(call, at(30))).toBe('ready');
    expect(dialReadiness(call, at(899.999))).toBe('ready');
    expect(dialReadiness(call, at(900))).toBe('late');
  });

  it('does not dial without slots', () => {
    expect(dialReadiness(aCall(), at(0))).toBe('no_slot');
  });

  it('is ready after a claim was given back', () => {
    expect(dialReadiness(aReservedCall({ status: 'dialing', attempts: 1 }), at(0))).toBe('ready');
  });

  it('is late, not early, if the back-off ends after `dial_by`', () => {
    const call = aCall({ dial_after: secondsAfter(start, 1_000), dial_by: secondsAfter(start, 900) });
    expect(dialReadiness(call, at(950))).toBe('late');
  });

  it('never dials a call without slots, with a claim or a platform id, nor outside its time', () => {
    const seconds = fc.integer({ min: -100, max: 100 });
    const calls = fc.record({
      status: fc.constantFrom<Call['status']>('scheduled', 'queued', 'dialing', 'ringing', 'in_progress', 'failed'),
      isClaimed: fc.boolean(),
      isKnown: fc.boolean(),
      isReserved: fc.boolean(),
      after: seconds,
      by: seconds,
    });
    forAll([calls], { numRuns: 1000 }, ({ status, isClaimed, isKnown, isReserved, after, by }) => {
      const call = aCall({
        status,
        dial_after: secondsAfter(start, after),
        dial_by: secondsAfter(start, by),
        ...(isClaimed && { dial_claimed_at: start }),
        ...(isKnown && { platform_id: 'p' }),
        ...(isReserved && { reserved_at: start }),
      });
      const isWaiting = (status === 'queued' || status === 'dialing') && !isClaimed && !isKnown;
      expect(dialReadiness(call, at(0)) === 'ready').toBe(isWaiting && isReserved && after <= 0 && by > 0);
    });
  });
});

const assistant = { assistant_id: 'asst_1' } as Assistant;
const org = { org_id: 'org1' } as Organization;
const facts = (over: Partial<DialFacts> = {}): DialFacts => ({
  phone: '+919876543210',
  assistant,
  org,
  isOnDoNotCallList: false,
  isPaused: false,
  ...over,
});

describe('a waiting call', () => {
  const suspended = { ...org, suspended_at: start };

  it.each<[string, Partial<DialFacts>, object]>([
    ['is dialed if no rule forbids it', {}, { kind: 'dial', assistant, org }],
    [
      'ends as failed without its assistant',
      { assistant: undefined },
      { kind: 'withdraw', status: 'failed', reason: 'assistant_missing' },
    ],
    [
      'ends as canceled if its number is on the do-not-call list',
      { isOnDoNotCallList: true },
      { kind: 'withdraw', status: 'canceled', reason: 'do_not_call' },
    ],
    [
      'is canceled, even while dialing is paused, if its number may not be called',
      { phone: '+881612345678', isPaused: true },
      { kind: 'cancel_destination', message: expect.stringContaining('never called') },
    ],
    ['waits while its organization is suspended', { org: suspended }, { kind: 'wait', why: 'org_suspended' }],
    ['waits while dialing is paused', { isPaused: true }, { kind: 'wait', why: 'paused' }],
    ['waits while its organization does not exist', { org: undefined }, { kind: 'wait', why: 'org_suspended' }],
  ])('%s', (_rule, over, decision) => {
    expect(decideDial(facts(over))).toEqual(decision);
  });

  it('is dialed only if no rule forbids it', () => {
    const violations = fc.subarray<Partial<DialFacts>>([
      { assistant: undefined },
      { org: suspended },
      { isOnDoNotCallList: true },
      { phone: '+881612345678' },
      { isPaused: true },
    ]);
    forAll([violations], (violated) => {
      expect(decideDial(facts(Object.assign({}, ...violated))).kind === 'dial').toBe(violated.length === 0);
    });
  });
});

describe('a refused dial claim', () => {
  it.each(['already_called', 'phone_already_called'] as const)('cancels the call as %s', (outcome) => {
    const taken = { outcome };
    expect(decideAfterRefusal({ call: false, taken })).toEqual({ kind: 'cancel_as_called', taken });
  });

  const lack = { required: 10_000, available: 9_500, held: 0 };

  it('changes nothing if the call has changed, whichever event owns the day claims', () => {
    for (const taken of [{ outcome: 'already_called' }, undefined] as const)
      expect(decideAfterRefusal({ call: true, taken, lack })).toEqual({ kind: 'nothing' });
  });

  it('changes nothing if another write of the transaction was refused', () => {
    expect(decideAfterRefusal({ call: false, taken: undefined })).toEqual({ kind: 'nothing' });
  });

  it('cancels the call for its destination, or else lets it wait for its spend limit, before the credit counts', () => {
    const destinationRefusal = { message: 'Calls to France are not allowed.' };
    const spend: SpendStop = { of: 'stage', limit: 500 };
    const refused = { call: false, taken: undefined, lack };
    expect(decideAfterRefusal({ ...refused, destinationRefusal, spend })).toEqual({
      kind: 'cancel_destination',
      ...destinationRefusal,
    });
    expect(decideAfterRefusal({ ...refused, spend })).toEqual({ kind: 'wait_for_spend', stop: spend });
  });

  it('waits for credit while live calls hold some, because they may cost less', () => {
    const refused = { call: false, taken: undefined, lack: { ...lack, held: 1 } };
    expect(decideAfterRefusal(refused)).toEqual({ kind: 'wait_for_credit' });
  });

  it('cancels the call for lack of credit if no live call holds any, and names both amounts', () => {
    expect(decideAfterRefusal({ call: false, taken: undefined, lack })).toEqual({
      kind: 'cancel_without_credit',
      message: 'The call may cost 10 credits, and 9.5 are available.',
    });
  });
});

describe('a platform id that the call does not accept', () => {
  const attempt = { claimedAt: start, platformId: 'second' };

  it('is a double dial if the same attempt has another id', () => {
    expect(isDoubleDial(aClaimedCall({ dial_claimed_at: start, platform_id: 'first' }), attempt)).toBe(true);
  });

  it.each<[string, Call | undefined]>([
    ['was given back: it rang no phone', aCall()],
    [
      'was given back and claimed again',
      aClaimedCall({ dial_claimed_at: secondsAfter(start, 60), platform_id: 'other' }),
    ],
    ['has this very id', aClaimedCall({ dial_claimed_at: start, platform_id: 'second' })],
    ['belongs to no stored call', undefined],
  ])('is not a double dial if the attempt %s', (_state, call) => {
    expect(isDoubleDial(call, attempt)).toBe(false);
  });
});
