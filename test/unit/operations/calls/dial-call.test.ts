import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { DialOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { aCall, aCalledLead, aClaimedCall } from '../../support/call.ts';
import { CALL, callWorld, expectConsistent } from '../../support/call-world.ts';
import type { Contents } from '../../support/database.ts';
import { CREDIT, MONDAY, ORG } from '../../support/items.ts';
import { aClaim } from '../../support/lead-world.ts';
import { START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const liveInBoth = (live: number) => ({ stage: live, [`org#${ORG}`]: live });
const slot = (scope: string, live: number, more = {}) => ({ scope, live, ...more });
const withLimit = (max_live_calls: number) => ({ org: { max_live_calls } });

describe('dialing a call', () => {
  it('takes a slot of the stage and one of the organization, rings the phone and stores the platform id', async () => {
    const world = callWorld([aCall({ absent_since: START })]);
    expect(await world.dialCall()).toBe('accepted');
    const { absent_since, ...claimed } = aClaimedCall({
      dial_claimed_at: START,
      progress_at: START,
      platform_id: 'p1',
      absent_since: START,
    });
    expect(world.stored()).toEqual(claimed);
    expect(world.live()).toEqual(liveInBoth(1));
    expect(world.rung).toEqual([{ call_id: CALL, phone: claimed.phone_number, at: START }]);
    expect(await world.dialCall()).toBe('not_waiting');
    expect(world.rung).toHaveLength(1);
  });

  it('rings at most once, however many workers have its message and wherever they die', async () => {
    for await (const [world, cut] of worldThatDies(callWorld, (each) =>
      Promise.all([each.dialCall(), each.dialCall()]),
    )) {
      await world.dialCall();
      const { dial_claimed_at, attempts } = world.stored();
      expect([cut, dial_claimed_at, attempts]).toEqual([cut, START, 1]);
      expect(world.rung.length).toBeLessThanOrEqual(1);
      expectConsistent(world);
    }
  });

  it.each<[string, Parameters<typeof callWorld>[1]]>([
    ['the last slot of the stage', { slots: [slot('stage', 9)] }],
    ['the last slot of its organization', { ...withLimit(2), slots: [slot(`org#${ORG}`, 1)] }],
    ['the first slot of its organization', withLimit(1)],
    ['any slot of an organization without a limit', { slots: [slot(`org#${ORG}`, 1_000)] }],
    ['a slot while its organization is above the limit of another', { slots: [slot('org#other', 1_000)] }],
  ])('uses %s', async (_name, contents) => {
    expect(await callWorld([aCall()], contents).dialCall()).toBe('accepted');
  });

  it.each<[string, Parameters<typeof callWorld>[1]]>([
    ['the stage has no free slot', { slots: [slot('stage', 10)] }],
    ['dialing is paused', { slots: [slot('stage', 0, { paused_at: START })] }],
    ['its organization has no free slot', { ...withLimit(2), slots: [slot(`org#${ORG}`, 2)] }],
    ['its organization has no slots at all', withLimit(0)],
    ['its organization has no slots any more', { ...withLimit(0), slots: [slot(`org#${ORG}`, 0)] }],
  ])('changes nothing and rings no phone while %s', async (_name, contents) => {
    const world = callWorld([aCall()], contents);
    const before = world.snapshot();
    expect(await world.dialCall()).toBe('no_slot');
    expect(world.snapshot()).toEqual(before);
    expect(world.rung).toEqual([]);
  });

  it('pauses and resumes for the whole stage; the first pause counts', async () => {
    const world = callWorld();
    const { slots } = world.stores;
    await slots.pause(START);
    await slots.pause(secondsAfter(START, 60));
    expect(world.all('slots')).toEqual([{ scope: 'stage', paused_at: START }]);
    expect(await slots.stage()).toEqual({ live: 0, paused: true });
    await slots.resume();
    expect(await slots.stage()).toEqual({ live: 0, paused: false });
    expect(await world.dialCall()).toBe('accepted');
  });

  it.each<[string, Partial<Call>]>([
    ['claimed its dial', { status: 'dialing', dial_claimed_at: START }],
    ['learned its platform id', { platform_id: 'p7' }],
    ['ended it', { status: 'canceled' }],
    ['postponed it', { status: 'scheduled' }],
    ['gave it back, to be dialed later', { dial_after: secondsAfter(START, 1) }],
    ['released it, to be dialed before now', { dial_by: START }],
  ])('rings no phone if another worker %s after the call was read', async (_name, change) => {
    const world = callWorld();
    world.beforeNextWrite(() => world.change(change));
    expect(await world.dialCall()).toBe('not_waiting');
    expect(world.stored()).toEqual({ ...aCall(), ...change });
    expect([world.rung, world.live()]).toEqual([[], {}]);
  });

  const listed = { org_id: ORG, phone: aCall().phone_number, added_at: START };
  it.each<[string, Contents, string, string]>([
    ['its assistant was deleted', { assistants: [] }, 'failed', 'assistant_missing'],
    ['its number is on the do-not-call list', { 'do-not-call': [listed] }, 'canceled', 'do_not_call'],
  ])('ends the call without a charge if %s', async (_name, contents, status, ended_reason) => {
    const world = callWorld([aCall()], contents);
    expect(await world.dialCall()).toBe(ended_reason);
    expect(world.stored()).toMatchObject({ status, ended_reason, cost: 0, unfinished: 'ended' });
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.rung).toEqual([]);
    expectConsistent(world);
  });

  it.each([
    ['lead', leadClaimKey('conn_1', aCalledLead().lead_id, MONDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, aCall().phone_number, MONDAY), 'phone_already_called'],
  ])(
    "cancels a lead's call of yesterday if another event claims its %s before the dial",
    async (_what, key, outcome) => {
      const world = callWorld([aCall({ lead: aCalledLead(), claims_day: '2026-03-01' })]);
      world.beforeNextWrite(() => world.put('claims', aClaim(key)));
      expect(await world.dialCall()).toBe(outcome);
      expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: outcome, cost: 0 });
      expect([world.rung, world.claims()]).toEqual([[], [`${key} = evt_0`]]);
      expect(world.outcomes()).toEqual([`evt_1.dial dial: ${outcome}`]);
      expectConsistent(world);
    },
  );

  it('waits while its organization is suspended, and for a few seconds if the slot counters are contended', async () => {
    const suspended = callWorld([aCall()], { org: { suspended_at: START } });
    expect(await suspended.dialCall()).toBe('org_suspended');
    const contended = callWorld();
    contended.beforeNextWrite(() => {
      throw new TransactionContention('8 tries');
    });
    expect(await contended.dialCall()).toBe('contended');
    expect(contended.deps.dialQueue.sent).toMatchObject([{ message: { call_id: CALL }, delay: 5 }]);
    for (const world of [suspended, contended]) expect([world.stored(), world.rung]).toEqual([aCall(), []]);
  });
});

describe('the outcome of a dial', () => {
  const settled = async (dialing: DialOutcome) => {
    const world = Object.assign(callWorld(), { dialing });
    const result = await world.dialCall();
    expectConsistent(world);
    return { world, result };
  };

  it('ends a refused call without a charge', async () => {
    const { world, result } = await settled({ kind: 'refused', reason: 'platform answered 400' });
    expect(result).toBe('refused');
    const end = { status: 'failed', ended_reason: 'platform answered 400', cost: 0, unfinished: 'ended' };
    expect(world.stored()).toMatchObject(end);
    expect([world.live(), world.credit()]).toEqual([liveInBoth(0), { available: CREDIT, held: 0 }]);
  });

  it.each([true, false])(
    'gives the claim back if no phone rang, with back-off (operator: %s)',
    async (isOperatorFault) => {
      const { world, result } = await settled({ kind: 'not_dialed', reason: '429', isOperatorFault });
      expect(result).toBe('not dialed: 429');
      const dial_after = secondsAfter(START, 15);
      expect(world.stored()).toEqual(aCall({ status: 'dialing', attempts: 1, dial_after }));
      expect(world.live()).toEqual(liveInBoth(0));
      expect(world.deps.dialQueue.sent).toMatchObject([{ message: { call_id: CALL }, delay: 16 }]);
      expect(world.counted).toEqual(isOperatorFault ? ['DialOperatorFault'] : []);
      expect(await world.dialCall()).toBe('too_early');
      world.now = dial_after;
      world.dialing = { kind: 'accepted', platformId: 'p2' };
      expect(await world.dialCall()).toBe('accepted');
      expect(world.stored()).toMatchObject({ attempts: 2, platform_id: 'p2', dial_claimed_at: dial_after });
    },
  );

  it('keeps claim and slots if it is unknown', async () => {
    const { world, result } = await settled({ kind: 'unknown', reason: 'ETIMEDOUT' });
    expect(result).toBe('unknown: ETIMEDOUT');
    expect(world.stored()).toEqual(aClaimedCall({ dial_claimed_at: START, progress_at: START }));
    expect(world.live()).toEqual(liveInBoth(1));
  });

  it.each<[string, Partial<Call>, string | undefined, string[]]>([
    ['the same attempt is live under another id', { platform_id: 'p7' }, 'p7', ['DoubleDial']],
    ['a message revealed the same id first', { platform_id: 'p1', status: 'ringing' }, 'p1', []],
    ['its report came first', { status: 'completed', platform_id: 'p1' }, 'p1', []],
    ['the claim was given back meanwhile', { dial_claimed_at: undefined }, undefined, []],
    ['a later attempt has the claim', { dial_claimed_at: secondsAfter(START, 60), platform_id: 'p7' }, 'p7', []],
  ])(
    'counts and hangs up a double dial only if two calls of one attempt are live: %s',
    async (_name, change, id, counted) => {
      const world = callWorld();
      const { dial } = world.deps.voice;
      world.deps.voice.dial = async (request) => {
        world.beforeNextWrite(() => world.change(change));
        return dial(request);
      };
      expect(await world.dialCall()).toBe('accepted');
      expect([world.stored().platform_id, world.counted]).toEqual([id, counted]);
      expect(world.hungUp).toEqual(counted.length > 0 ? ['p1'] : []);
    },
  );
});
