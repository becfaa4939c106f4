import { phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { giveBackDialClaim } from '../../../../shared/operations/calls/dialing/give-back-dial-claim.ts';
import { aCall, aCalledLead } from '../../support/call.ts';
import { aReport, type CallWorld, callWorld } from '../../support/worlds/call-world.ts';
import { MONDAY, ORG } from '../../support/worlds/items.ts';
import { expectBooks, HOLD } from '../../support/worlds/lead-world.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** Calls of leads that wait for a slot, in an organization with this credit. */
async function waitingLeads(count: number, available: number, stageSlots = 2): Promise<CallWorld> {
  const leads = Array.from({ length: count }, (_, index) =>
    aCall({
      call_id: `call_${index}`,
      phone_number: `+91980000000${index}`,
      lead: aCalledLead({ lead_id: `lead-${index}`, event_id: `evt_${index}` }),
      claims_day: MONDAY,
      held: 0,
      holds: 0,
    }),
  );
  const world = callWorld(leads, { org: { available } });
  world.deps.stageSlots = stageSlots;
  await world.handOver({ org_id: ORG, at: START });
  return world;
}

/** Dials every call that got a slot, and ends the answered ones after a conversation. @returns the dials' results */
async function dialAll(world: CallWorld): Promise<string[]> {
  const results: string[] = [];
  for (let due = world.deps.dialQueue.due(); due.length > 0; due = world.deps.dialQueue.due()) {
    const answered: string[] = [];
    for (const { call_id } of due) {
      world.dialing = { kind: 'accepted', platformId: `p_${call_id}` };
      const result = await world.dialCall(call_id);
      results.push(result);
      if (result === 'accepted') answered.push(call_id);
    }
    for (const call_id of answered) {
      await world.apply(aReport({ platform_id: `p_${call_id}` }), call_id);
      await world.handOver({ org_id: ORG, type: 'call.completed' });
    }
    for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
  }
  return results;
}

/** Gives back the second call, whose destination the platform refuses. It waits longer than a minute. */
async function refuseDestination(world: CallWorld): Promise<void> {
  const { dial_claimed_at = '', platform_id: platformId = '', ...call } = world.stored('call_1');
  const attempt = { platformId, ungated: 'destination' } as const;
  expect(await giveBackDialClaim(world.deps, { ...call, attempts: 5, dial_claimed_at }, attempt)).toBe(true);
}

/** Postpones the second call, as if its attempt had been given back with its hold at the end of its window. */
async function postpone(world: CallWorld): Promise<void> {
  const { dial_claimed_at: _, platform_id: __, lead, ...call } = world.stored('call_1');
  if (!lead) throw new Error('the call has no lead');
  const window = { start: '09:00', end: '11:30', exclude_sunday: false };
  world.putCall({ ...call, lead: { ...lead, window }, dial_by: world.now, unfinished: 'waiting' });
  expect(await world.dialCall('call_1')).toBe('postponed');
}

describe('the credit of a waiting lead', () => {
  it('is not held before its dial: 8 calls of 2 credits each use a balance for 2 calls of the highest cost', async () => {
    const world = await waitingLeads(8, 2 * HOLD);
    expect(world.credit()).toEqual({ available: 2 * HOLD, held: 0 });
    const results = await dialAll(world);
    // Calls that lacked credit are retried after a minute.
    for (let minute = 0; minute < 8; minute += 1) {
      world.pass(61);
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      await world.handOver({ org_id: ORG });
      results.push(...(await dialAll(world)));
    }
    expect(results.filter((result) => result === 'accepted')).toHaveLength(6);
    expect(world.rung).toHaveLength(6);
    // The rest does not cover the highest cost of a call, and no live call will return credit.
    expect(results.filter((result) => result === 'insufficient_credits')).toHaveLength(2);
    expect(world.credit()).toEqual({ available: 2 * HOLD - 6 * 2_000, held: 0 });
    expectBooks(world, 2 * HOLD);
  });

  it('ends its wait when a live call ends, even if a client placed a call meanwhile', async () => {
    const world = await waitingLeads(2, HOLD, 5);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    expect([await world.dialCall('call_0'), await world.dialCall('call_1')]).toEqual(['accepted', 'wait_for_credit']);
    world.deps.dialQueue.due();
    world.putCall(aCall({ call_id: 'call_rest', held: 0, dial_after: world.now }));
    expect(await world.handOver({ org_id: ORG, type: 'call.queued', at: world.now })).toBe(1);
    // The list has no call that may be dialed, so the organization leaves it.
    for (let seconds = 0; seconds <= 60; seconds += 5) {
      await world.handOver(...world.deps.slotsQueue.due());
      world.pass(5);
    }
    await world.apply(aReport({ platform_id: 'p_0' }), 'call_0');
    expect(await world.handOver({ org_id: ORG, type: 'call.completed', at: world.now })).toBe(1);
    expect(world.stored('call_1').unfinished).toBe('reserved');
  });

  it('is awaited without repeated dials, even if a call that lacks it was the probe of its calling number', async () => {
    const world = await waitingLeads(9, HOLD, 6);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    await world.dialCall('call_0');
    world.put('slots', { scope: 'number#default', closed_until: secondsAfter(START, -1), closings: 1 });
    let tries = 0;
    for (let second = 0; second < 50; second += 1) {
      for (const { call_id } of world.deps.dialQueue.due()) {
        tries += 1;
        await world.dialCall(call_id);
      }
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      world.pass(1);
    }
    // At most the calls that had a slot when the first call found no credit.
    expect(tries).toBeLessThanOrEqual(6);
  });

  it('is awaited without a slot until a live call of the organization ends', async () => {
    const world = await waitingLeads(3, HOLD, 3);
    const [first = '', second = ''] = world.deps.dialQueue.due().map(({ call_id }) => call_id);
    expect([await world.dialCall(first), await world.dialCall(second)]).toEqual(['accepted', 'wait_for_credit']);
    expect(world.stored(second)).toMatchObject({ unfinished: 'waiting', held: 0 });
    expect(await world.stores.waitingOrgs.longestWaiting(10)).toEqual([]);
    world.put('organizations', { ...world.all('organizations')[0], available: HOLD });
    world.pass(61);
    for (const message of world.deps.slotsQueue.due()) expect(await world.handOver(message)).toBe(0);
    await world.apply(aReport({ platform_id: 'p1' }), first);
    expect(await world.handOver({ org_id: ORG, type: 'call.completed' })).toBeGreaterThan(0);
    expect(await world.dialCall(second)).toBe('accepted');
  });

  it('is used after the minute of back-off, even if the call that held it ends within that minute', async () => {
    const world = await waitingLeads(2, HOLD);
    expect([await world.dialCall('call_0'), await world.dialCall('call_1')]).toEqual(['accepted', 'wait_for_credit']);
    world.deps.dialQueue.due();
    world.put('organizations', { ...world.all('organizations')[0], available: HOLD });
    world.pass(10);
    await world.apply(aReport({ platform_id: 'p1' }), 'call_0');
    await world.handOver({ org_id: ORG, type: 'call.completed' });
    for (let seconds = 0; seconds <= 60; seconds += 5) {
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      world.pass(5);
    }
    expect(world.stored('call_1').unfinished).toBe('reserved');
  });

  it('is used after the minute of back-off, even if the call that held it ends while the calling number is closed', async () => {
    const world = await waitingLeads(2, HOLD);
    expect([await world.dialCall('call_0'), await world.dialCall('call_1')]).toEqual(['accepted', 'wait_for_credit']);
    world.deps.dialQueue.due();
    world.put('organizations', { ...world.all('organizations')[0], available: HOLD });
    const until = secondsAfter(START, 15);
    await world.stores.waitingOrgs.parkUntil(ORG, until);
    world.pass(10);
    await world.apply(aReport({ platform_id: 'p1' }), 'call_0');
    await world.handOver({ org_id: ORG, type: 'call.completed' });
    world.pass(6);
    await world.handOver({ org_id: ORG, at: until });
    for (let seconds = 0; seconds <= 60; seconds += 5) {
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      world.pass(5);
    }
    expect(world.stored('call_1').unfinished).toBe('reserved');
  });

  it.each([
    ['an operator adds it', (world: CallWorld) => world.handOver({ org_id: ORG, freed_credit: true })],
    ['it is released by the refusal of a destination', refuseDestination],
    ['it is released by a postponement', postpone],
  ])('is used after the minute of back-off, even if %s within that minute', async (_name, release) => {
    const world = await waitingLeads(3, 2 * HOLD, 3);
    const dialed = [await world.dialCall('call_0'), await world.dialCall('call_1'), await world.dialCall('call_2')];
    expect(dialed).toEqual(['accepted', 'accepted', 'wait_for_credit']);
    world.deps.dialQueue.due();
    world.pass(10);
    await release(world);
    for (let seconds = 0; seconds <= 60; seconds += 5) {
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      world.pass(5);
    }
    expect(world.stored('call_2').unfinished).toBe('reserved');
  });

  it('is awaited until the only live call of the organization is postponed', async () => {
    const world = await waitingLeads(2, HOLD);
    for (const n of [0, 1]) world.change({ dial_by: secondsAfter(START, n === 0 ? 120 : 3_600) }, `call_${n}`);
    const { lead } = world.stored('call_0');
    if (lead)
      world.change({ lead: { ...lead, window: { start: '09:00', end: '21:00', exclude_sunday: false } } }, 'call_0');
    world.dialing = { kind: 'not_dialed', reason: 'status 503', isOperatorFault: false };
    await world.dialCall('call_0');
    expect(world.credit()).toEqual({ available: 0, held: HOLD });
    world.pass(60);
    for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
    expect([await world.dialCall('call_1'), await world.stores.waitingOrgs.longestWaiting(10)]).toEqual([
      'wait_for_credit',
      [],
    ]);

    world.pass(60);
    expect(await world.dialCall('call_0')).toBe('postponed');
    expect(world.credit()).toEqual({ available: HOLD, held: 0 });
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    // The event of the freed slot does not reveal that credit was freed, too.
    await world.handOver({ org_id: ORG, type: 'call.given_back' });
    expect(world.stored('call_1').unfinished).toBe('waiting');
    for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
    expect(await world.dialCall('call_1')).toBe('accepted');
  });

  it('is awaited for a minute if only waiting calls hold it, because no end of a live call would report its release', async () => {
    const world = await waitingLeads(2, HOLD);
    world.dialing = { kind: 'not_dialed', reason: 'status 503', isOperatorFault: false };
    await world.dialCall('call_0');
    world.deps.slotsQueue.sent.splice(0);
    expect(await world.dialCall('call_1')).toBe('wait_for_credit');
    for (const seconds of [6, 55]) {
      expect(await world.handOver(...world.deps.slotsQueue.due())).toBe(0);
      world.pass(seconds);
    }
    expect(await world.handOver(...world.deps.slotsQueue.due())).toBe(2);
  });

  it('ends the call if the balance is too low and no credit is held, and frees the lead', async () => {
    const world = await waitingLeads(1, HOLD - 1);
    world.put('claims', { claim: phoneClaimKey(ORG, '+919800000000', MONDAY), owner_id: 'evt_0' });
    expect(await dialAll(world)).toEqual(['insufficient_credits']);
    expect(world.stored('call_0')).toMatchObject({ status: 'canceled', ended_reason: 'insufficient_credits', cost: 0 });
    expect([world.rung, world.claims(), world.ledger(), world.live()]).toEqual([[], [], [], {}]);
    // The organization is informed, and the service is not at fault.
    expect(world.counted).toEqual([]);
  });

  it('is held once and settled once, wherever workers die', async () => {
    const begin = () => waitingLeads(1, HOLD);
    for await (const [world] of worldThatDies(begin, (each) => dialAll(each))) {
      for (let run = 0; run < 3; run += 1) {
        world.pass(200);
        world.lookup = { kind: 'found', platformId: 'p_call_0', others: [] };
        world.record = {
          kind: 'known',
          message: aReport({ platform_id: 'p_call_0', ended_at: world.stored('call_0').dial_claimed_at ?? START }),
        };
        await world.recover();
        await dialAll(world);
      }
      expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold', 'settlement']);
      expectBooks(world, HOLD);
    }
  });
});
