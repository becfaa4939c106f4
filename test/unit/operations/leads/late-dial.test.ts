import { describe, expect, it } from '@jest/globals';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { postponeLateCall } from '../../../../shared/operations/calls/steps/postpone-late-call.ts';
import { CREDIT, ist, MONDAY, ORG, TUESDAY, WEDNESDAY } from '../../support/items.ts';
import {
  aCallingConnection,
  aQueuedLead,
  CONNECTION,
  claimsOf,
  found,
  HOLD,
  leadWorld,
  NOON,
  type namedOnly,
  OPENS,
  PHONE,
  aClaim,
} from '../../support/lead-world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

describe('a dial that comes too late', () => {
  it('postpones the call to the next opening in one transaction: credit, claims of that day, entry', async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '14:00');
    world.requests.length = 0;
    expect(await world.dial()).toBe('postponed');
    expect(world.rung).toEqual([]);
    expect(world.writes()).toEqual(['TransactWrite']);
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      held: 0,
      holds: 1,
      postponements: 1,
      claims_day: TUESDAY,
      progress_at: world.now,
    });
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger().map(({ kind, held, entry }) => [kind, held, entry.split('#').at(-1)])).toEqual([
      ['hold', HOLD, '1'],
      ['release', -HOLD, '1'],
    ]);
    expect(world.entries()).toMatchObject([
      { event_id: 'evt_1', outcome: 'call queued' },
      { source: 'dial', outcome: 'call scheduled', scheduled_for: OPENS, call_id: world.call().call_id },
    ]);

    // The next release places a new hold.
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(world.call()).toMatchObject({ held: HOLD, holds: 2 });
    expect(world.ledger().at(-1)).toMatchObject({ kind: 'hold', entry: expect.stringMatching(/#hold#2$/) });
    expect(await world.dial()).toBe('accepted');
    expect(world.rung).toHaveLength(1);
    expect(world.call().lead).not.toHaveProperty('first_scheduled_for');
  });

  it('rings no phone at the end of the window, but still does so a millisecond before', async () => {
    const world = await aQueuedLead(ist(MONDAY, '20:59'));
    expect(world.call().dial_by).toBe(ist(MONDAY, '21:00'));
    world.now = ist(MONDAY, '20:59:59.999');
    expect(await world.dial()).toBe('accepted');
    const late = await aQueuedLead(ist(MONDAY, '20:59'));
    late.now = ist(MONDAY, '21:00');
    expect(await late.dial()).toBe('postponed');
    expect(late.rung).toEqual([]);
    expect(late.call().scheduled_for).toBe(OPENS);
  });

  it('fails the call if its connection has no call window', async () => {
    for (const type of ['crm-a', 'crm-b'] as const) {
      const connection = aCallingConnection({ type, settings: {}, token_hash: 'hash' });
      const world = leadWorld({ connections: [connection] });
      const { lead } = found() as { lead: ReturnType<typeof namedOnly> };
      await world.process(world.event({ lead }));
      world.now = ist(MONDAY, '14:00');
      expect(await world.dial()).toBe('expired');
      expect(world.call()).toMatchObject({ status: 'failed', ended_reason: 'expired' });
      expect(world.claims()).toEqual([]);
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    }
  });

  it('does not free the claims if the window opens again on that day', async () => {
    const over = {
      connections: [{ ...aCallingConnection(), settings: { call_window_start: '22:00', call_window_end: '06:00' } }],
    };
    const world = await aQueuedLead(ist(TUESDAY, '04:00'), over);
    const claims = world.all('claims');
    world.now = ist(TUESDAY, '06:00');
    expect(await world.dial()).toBe('postponed');
    expect(world.call()).toMatchObject({ scheduled_for: ist(TUESDAY, '22:00'), claims_day: TUESDAY });
    expect(world.all('claims')).toEqual(claims);
  });

  it.each([
    ['lead', leadClaimKey(CONNECTION, '1001', TUESDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, PHONE, TUESDAY), 'phone_already_called'],
  ])('cancels the call if the %s is already claimed for the next day', async (_what, key, outcome) => {
    const world = await aQueuedLead();
    world.put('claims', aClaim(key));
    world.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.claims()).toEqual([`${key} = evt_0`]);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued', `evt_1.dial dial: ${outcome}`]);
  });

  it('is postponed for at most a week', async () => {
    const world = await aQueuedLead();
    for (let day = 2; day <= 8; day += 1) {
      world.now = ist(`2026-03-0${day}`, '21:00');
      expect(await world.dial()).toBe('postponed');
      world.now = ist(`2026-03-${String(day + 1).padStart(2, '0')}`, '09:00');
      expect(await world.release(world.releaseMessage())).toBe('call queued');
    }
    world.now = ist('2026-03-09', '21:00');
    expect(await world.dial()).toBe('expired');
    expect(world.call()).toMatchObject({ status: 'failed', postponements: 7, holds: 8 });
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.claims()).toEqual([]);
    const sum = world.ledger().reduce((so, { held }) => so + held, 0);
    expect([world.ledger().length, sum]).toEqual([16, 0]);
  });

  it('postpones once, however often it is delivered and wherever its worker dies', async () => {
    const begin = async () => {
      const world = await aQueuedLead();
      world.now = ist(MONDAY, '14:00');
      return world;
    };
    for await (const [world] of worldThatDies(begin, (each) => Promise.all([each.dial(), each.dial()]))) {
      await world.dial();
      expect(world.call()).toMatchObject({ status: 'scheduled', postponements: 1, scheduled_for: OPENS });
      expect(world.entries()).toHaveLength(2);
      expect(world.ledger()).toHaveLength(2);
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    }
  });

  it('does not change a call that is claimed for its dial, has rung or has ended', async () => {
    for (const change of [
      { dial_claimed_at: NOON, status: 'dialing' },
      { platform_id: 'p1', status: 'dialing' },
      { status: 'ringing' },
      { status: 'canceled' },
    ] satisfies Partial<Call>[]) {
      const world = await aQueuedLead();
      const asRead = world.call();
      world.put('calls', { ...world.all('calls')[0], ...change });
      world.now = ist(MONDAY, '14:00');
      const before = world.snapshot();
      expect(await postponeLateCall(world.deps, asRead)).toBe('not_waiting');
      expect(world.snapshot()).toEqual(before);
    }
  });

  it('does not reset the number of dials after an attempt that was given back', async () => {
    const world = await aQueuedLead();
    world.dialing = { kind: 'not_dialed', reason: '429', isOperatorFault: false };
    expect(await world.dial()).toBe('not dialed: 429');
    world.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('postponed');
    expect(world.call()).toMatchObject({ status: 'scheduled', attempts: 1, claims_day: TUESDAY });
    world.now = OPENS;
    await world.release(world.releaseMessage());
    world.dialing = { kind: 'accepted', platformId: 'p2' };
    expect(await world.dial()).toBe('accepted');
    expect(world.call()).toMatchObject({ attempts: 2, platform_id: 'p2' });
  });
});

describe('a call over midnight', () => {
  it('moves its claims to the day of its dial', async () => {
    const over = {
      connections: [{ ...aCallingConnection(), settings: { call_window_start: '22:00', call_window_end: '06:00' } }],
    };
    const world = await aQueuedLead(ist(MONDAY, '23:30'), over);
    expect(world.claims()).toEqual(claimsOf(MONDAY));
    world.now = ist(TUESDAY, '00:30');
    expect(await world.dial()).toBe('accepted');
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.call().claims_day).toBe(TUESDAY);
  });

  it('is canceled if another event owns the lead on the day of the postponed call', async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '13:59');
    world.put('claims', aClaim(leadClaimKey(CONNECTION, '1001', WEDNESDAY)));
    world.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('postponed');
    world.now = ist(TUESDAY, '21:00');
    expect(await world.release(world.releaseMessage())).toBe('already_called');
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([`lead#${CONNECTION}#1001#${WEDNESDAY} = evt_0`]);
  });
});
