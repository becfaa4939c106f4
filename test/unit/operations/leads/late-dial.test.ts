import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import { postponeLateCall } from '../../../../shared/operations/calls/dialing/postpone-late-call.ts';
import { CREDIT, ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  aClaim,
  aQueuedLead,
  CONNECTION,
  claimsOf,
  expectBooks,
  found,
  HOLD,
  leadWorld,
  NOON,
  OPENS,
  PHONE,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** A call placed on Monday noon, at the end of its two hours. */
const aLateCall = async () => {
  const world = await aQueuedLead();
  world.now = ist(MONDAY, '14:00');
  return world;
};
const OVER_NIGHT = { connections: [aCallingConnection({ settings: windowOf('22:00', '06:00') })] };
const NOTHING_HELD = { available: CREDIT, held: 0 };

describe('a late dial', () => {
  it('postpones the call to the next opening in one transaction: credit, claims of that day, entry', async () => {
    const world = await aLateCall();
    world.requests.length = 0;
    expect(await world.dial()).toBe('postponed');
    expect(world.rung).toEqual([]);
    // The list of waiting organizations, the reservation, the postponement, and the mark on the entry before it.
    expect(world.writes()).toEqual(['Update slots', 'TransactWrite', 'TransactWrite', 'Update activity']);
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      held: 0,
      holds: 0,
      postponements: 1,
      claims_day: TUESDAY,
      progress_at: world.now,
    });
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.credit()).toEqual(NOTHING_HELD);
    const { call_id } = world.call();
    expect(world.entries()).toMatchObject([
      { event_id: 'evt_1', outcome: 'call queued' },
      { source: 'dial', outcome: 'call scheduled', scheduled_for: OPENS, call_id },
    ]);

    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect([world.call().held, world.ledger()]).toEqual([0, []]);
    expect(await world.dial()).toBe('accepted');
    expect(world.rung).toHaveLength(1);
    expect(world.call().lead).not.toHaveProperty('first_scheduled_for');
  });

  it.each([
    [ist(MONDAY, '20:59:59.999'), 'accepted', 1],
    [ist(MONDAY, '21:00'), 'postponed', 0],
  ])(
    'rings no phone at the end of the window, but still does so a millisecond before: %s',
    async (at, result, rings) => {
      const world = await aQueuedLead(ist(MONDAY, '20:59'));
      expect(world.call().dial_by).toBe(ist(MONDAY, '21:00'));
      world.now = at;
      expect(await world.dial()).toBe(result);
      expect(world.rung).toHaveLength(rings);
      expect(world.call().scheduled_for).toBe(result === 'postponed' ? OPENS : undefined);
    },
  );

  it.each<[string, Partial<Connection>, Partial<Call>]>([
    ['whose connection of CRM-A has no call window', { type: 'crm-a', token_hash: 'hash', settings: {} }, {}],
    ['whose connection of CRM-B has no call window', { settings: {} }, {}],
    ['that was already postponed seven times', {}, { postponements: 7 }],
  ])('fails a call %s', async (_what, change, more) => {
    const world = leadWorld({ connections: [aCallingConnection(change)] });
    const { lead } = found() as Extract<LeadReading, { kind: 'found' }>;
    await world.process(world.event({ lead }));
    world.put('calls', { ...world.all('calls')[0], ...more });
    world.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('expired');
    expect(world.call()).toMatchObject({ status: 'failed', ended_reason: 'expired' });
    expect(world.claims()).toEqual([]);
    expect(world.credit()).toEqual(NOTHING_HELD);
  });

  it('releases the credit of a call that was dialed before and rang no phone', async () => {
    const world = await aQueuedLead();
    world.dialing = { kind: 'not_dialed', reason: '429', isOperatorFault: false };
    await world.dial();
    expect(world.credit().held).toBe(HOLD);
    world.now = world.call().dial_by;
    expect(await world.dial()).toBe('postponed');
    expect([world.credit(), world.call().held]).toEqual([NOTHING_HELD, 0]);
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(await world.dial()).toContain('not dialed');
    expect(world.ledger().map(({ kind, held, entry }) => [kind, held, entry.split('#').at(-1)])).toEqual([
      ['hold', HOLD, '1'],
      ['release', -HOLD, '1'],
      ['hold', HOLD, '2'],
    ]);
    expectBooks(world);
  });

  it('does not free the claims if the window opens again on that day', async () => {
    const world = await aQueuedLead(ist(TUESDAY, '04:00'), OVER_NIGHT);
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
    const world = await aLateCall();
    world.put('claims', aClaim(key));
    expect(await world.dial()).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.claims()).toEqual([`${key} = evt_0`]);
    expect(world.credit()).toEqual(NOTHING_HELD);
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued', `evt_1.dial dial: ${outcome}`]);
  });

  it('postpones once, however often it is delivered and wherever its worker dies', async () => {
    for await (const [world] of worldThatDies(aLateCall, (each) => Promise.all([each.dial(), each.dial()]))) {
      await world.dial();
      expect(world.call()).toMatchObject({ status: 'scheduled', postponements: 1, scheduled_for: OPENS });
      expect(world.entries()).toHaveLength(2);
      expect(world.ledger()).toEqual([]);
      expect(world.credit()).toEqual(NOTHING_HELD);
    }
  });

  it.each<[string, Partial<Call>]>([
    ['is claimed for its dial', { dial_claimed_at: NOON, status: 'dialing' }],
    ['was dialed', { platform_id: 'p1', status: 'dialing' }],
    ['has rung', { status: 'ringing' }],
    ['has ended', { status: 'canceled' }],
  ])('does not change a call that %s', async (_what, change) => {
    const world = await aLateCall();
    const asRead = world.call();
    world.put('calls', { ...world.all('calls')[0], ...change });
    const before = world.snapshot();
    expect(await postponeLateCall(world.deps, asRead)).toBe('not_waiting');
    expect(world.snapshot()).toEqual(before);
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

describe('a dial after midnight, but in time', () => {
  it('moves the claims of its call to its own day', async () => {
    const world = await aQueuedLead(ist(MONDAY, '23:30'), OVER_NIGHT);
    expect(world.claims()).toEqual(claimsOf(MONDAY));
    world.now = ist(TUESDAY, '00:30');
    expect(await world.dial()).toBe('accepted');
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.call().claims_day).toBe(TUESDAY);
  });
});
