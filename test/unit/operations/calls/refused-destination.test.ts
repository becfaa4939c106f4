import type { Call } from '../../../../shared/domain/calls/call.ts';
import { secondsAfter, secondsBetween } from '../../../../shared/domain/time/instants.ts';
import type { DialOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { aCalledLead, aReservedCall } from '../../support/call.ts';
import { aReport, type CallWorld, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import { expectBooks, HOLD } from '../../support/worlds/lead-world.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const REFUSED = {
  kind: 'not_dialed',
  reason: 'platform answered 403',
  isOperatorFault: true,
  limit: 'destination',
} as const satisfies DialOutcome;

/** The platform's report that it has refused an accepted call because of its destination. */
const aRefusal = (platform_id: string, over = {}) =>
  aReport({
    platform_id,
    outcome: 'not_dialed',
    reason: 'call.start.error-vapi-number-international',
    is_account_fault: true,
    started_at: undefined,
    transcript: undefined,
    ended_at: START,
    ...over,
  });

const aLeadCall = (index: number, over: Partial<Call> = {}): Call =>
  aReservedCall({
    call_id: `call_${index}`,
    phone_number: `+91980000000${index}`,
    dial_by: secondsAfter(START, 7_200),
    lead: aCalledLead({ lead_id: `lead-${index}`, event_id: `evt_${index}`, test: true }),
    claims_day: MONDAY,
    held: 0,
    holds: 0,
    ...over,
  });

const leadsWithCredit = (count: number, available: number): CallWorld =>
  callWorld(
    Array.from({ length: count }, (_, index) => aLeadCall(index)),
    { org: { available } },
  );

/** Hands over slots for the due messages, and dials the calls that got them. @returns the results */
async function dialDue(world: CallWorld): Promise<string[]> {
  const results: string[] = [];
  for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
  for (const { call_id } of world.deps.dialQueue.due()) results.push(await world.dialCall(call_id));
  return results;
}

describe('a lead whose destination the platform refuses', () => {
  it('holds no credit while it waits, so that the other leads of its organization ring', async () => {
    const world = leadsWithCredit(3, 2 * HOLD);
    world.dialing = REFUSED;
    for (const index of [0, 1]) expect(await world.dialCall(`call_${index}`)).toMatch('not dialed');
    expect(world.credit()).toEqual({ available: 2 * HOLD, held: 0 });
    world.dialing = { kind: 'accepted', platformId: 'p_2' };
    expect(await world.dialCall('call_2')).toBe('accepted');
    expectConsistent(world, 2 * HOLD);
  });

  it('holds credit again at its next dial, and pays for its conversation', async () => {
    const world = leadsWithCredit(1, HOLD);
    world.dialing = REFUSED;
    await world.dialCall('call_0');
    world.pass(20);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    expect(await dialDue(world)).toEqual(['accepted']);
    expect(world.credit()).toEqual({ available: 0, held: HOLD });
    await world.apply(aReport({ platform_id: 'p_0' }), 'call_0');
    expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold', 'release', 'hold', 'settlement']);
    expect(world.credit()).toEqual({ available: HOLD - 2_000, held: 0 });
    expect(world.usage()).toMatchObject([{ completed: 1, units: 2_000 }]);
    expectBooks(world, HOLD);
  });

  it('wakes the leads that wait for its credit', async () => {
    const world = leadsWithCredit(2, HOLD);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    expect([await world.dialCall('call_0'), await world.dialCall('call_1')]).toEqual(['accepted', 'wait_for_credit']);
    world.pass(70);
    await world.apply(aRefusal('p_0'), 'call_0');
    world.dialing = { kind: 'accepted', platformId: 'p_1' };
    // Until then, the organization gets no slots.
    expect(await dialDue(world)).toContain('accepted');
    expectBooks(world, HOLD);
  });

  it('frees its share of the daily spend limits, also if the refusal comes after midnight', async () => {
    const calls = [aLeadCall(0, { dial_by: ist(TUESDAY, '02:00') }), aLeadCall(1, { dial_by: ist(TUESDAY, '02:00') })];
    const world = callWorld(calls, { org: { daily_limit: HOLD } });
    world.deps.stageSpend = HOLD;
    world.now = ist(MONDAY, '23:59');
    const spent = () => Promise.all([ORG, 'stage'].map((scope) => world.stores.usage.committed(scope, MONDAY)));
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    await world.dialCall('call_0');
    expect(await spent()).toEqual([HOLD, HOLD]);
    world.now = ist(TUESDAY, '00:01');
    await world.apply(aRefusal('p_0'), 'call_0');
    expect(await spent()).toEqual([0, 0]);
    expect(world.stored('call_0').spend).toBeUndefined();
    world.dialing = { kind: 'accepted', platformId: 'p_1' };
    expect(await world.dialCall('call_1')).toBe('accepted');
    expectConsistent(world);
  });

  it.each([
    ['because of its destination', {}],
    [
      'because of a fault of the platform',
      { reason: 'call.start.error-vapifault-get-org', is_account_fault: undefined },
    ],
  ])('holds no credit after a report that refuses it %s', async (_why, over) => {
    const world = leadsWithCredit(1, HOLD);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    await world.dialCall('call_0');
    expect(await world.apply(aRefusal('p_0', over), 'call_0')).toBe('given_back');
    expect(await world.apply(aRefusal('p_0', over), 'call_0')).toBe('former_attempt');
    expect(world.credit()).toEqual({ available: HOLD, held: 0 });
    expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold', 'release']);
    expectConsistent(world, HOLD);
  });

  it.each([
    ['the account', { refuses_account: true }],
    ['the calling number', { refuses_number: true }],
  ])('keeps its hold if the report refuses %s, because a gate stops the next calls', async (_whose, over) => {
    const world = leadsWithCredit(1, HOLD);
    world.dialing = { kind: 'accepted', platformId: 'p_0' };
    await world.dialCall('call_0');
    expect(await world.apply(aRefusal('p_0', over), 'call_0')).toBe('given_back');
    expect(world.credit()).toEqual({ available: 0, held: HOLD });
  });

  it('keeps its hold while its dial has an unknown outcome, because its phone may ring', async () => {
    const world = leadsWithCredit(1, HOLD);
    world.dialing = { kind: 'unknown', reason: 'no answer' };
    await world.dialCall('call_0');
    for (let run = 0; run < 3 && world.stored('call_0').dial_claimed_at; run += 1) {
      expect(world.credit()).toEqual({ available: 0, held: HOLD });
      world.pass(200);
      await world.recover();
    }
    expect(world.stored('call_0')).toMatchObject({ absences: 1, held: HOLD });
    expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold']);
  });

  it('is dialed after growing waits of at most 15 minutes, and then ends as expired without a hold', async () => {
    const world = leadsWithCredit(1, HOLD);
    world.dialing = REFUSED;
    const dials: string[] = [];
    for (let seconds = 0; seconds < 7_500; seconds += 5) {
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      if (seconds % 300 === 0) await world.recover();
      const due = seconds === 0 ? [{ call_id: 'call_0' }] : world.deps.dialQueue.due();
      for (const { call_id } of due) {
        if ((await world.dialCall(call_id)).startsWith('not dialed')) dials.push(world.now);
      }
      world.pass(5);
    }
    const waits = dials.slice(1).map((at, index) => secondsBetween(dials[index] ?? '', at));
    expect(Math.max(...waits)).toBeGreaterThan(400);
    expect(Math.max(...waits)).toBeLessThanOrEqual(900);
    expect(dials.length).toBeGreaterThan(8);
    expect(dials.length).toBeLessThan(25);
    expect(world.ledger()).toHaveLength(2 * dials.length);
    expect(new Set(world.ledger().map(({ entry }) => entry)).size).toBe(2 * dials.length);
    expect(world.stored('call_0')).toMatchObject({ status: 'failed', ended_reason: 'expired', cost: 0 });
    expect(world.credit()).toEqual({ available: HOLD, held: 0 });
    expectConsistent(world, HOLD);
  });

  it('is postponed to its next call window if the window closes before its next dial', async () => {
    const window = { start: '09:00', end: '21:00', exclude_sunday: false };
    const lead = aCalledLead({ lead_id: 'lead-0', event_id: 'evt_0', test: true, window });
    const world = callWorld([aLeadCall(0, { lead, attempts: 8, dial_by: secondsAfter(START, 60) })], {
      org: { available: HOLD },
    });
    world.dialing = REFUSED;
    await world.dialCall('call_0');
    expect(world.stored('call_0').dial_after > world.stored('call_0').dial_by).toBe(true);
    world.pass(310);
    await world.recover();
    expect(world.stored('call_0')).toMatchObject({ status: 'scheduled', held: 0, holds: 1 });
    expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold', 'release']);
    expectConsistent(world, HOLD);
  });

  it('has exact books wherever workers die, also if the report is repeated', async () => {
    const begin = () => leadsWithCredit(1, HOLD);
    const run = async (world: CallWorld) => {
      world.dialing = REFUSED;
      await world.dialCall('call_0');
      world.pass(20);
      world.dialing = { kind: 'accepted', platformId: 'p_0' };
      await dialDue(world);
      for (let time = 0; time < 2; time += 1) await world.apply(aRefusal('p_0', { ended_at: world.now }), 'call_0');
      world.pass(40);
      world.dialing = { kind: 'accepted', platformId: 'p_1' };
      await dialDue(world);
      await world.apply(aReport({ platform_id: 'p_1' }), 'call_0');
    };
    for await (const [world] of worldThatDies(begin, run)) {
      expectConsistent(world, HOLD);
      for (let time = 0; time < 12; time += 1) {
        world.pass(200);
        await world.recover();
        world.dialing = { kind: 'accepted', platformId: `p_late_${time}` };
        const { platform_id } = world.stored('call_0');
        if (platform_id) await world.apply(aReport({ platform_id, ended_at: world.now }), 'call_0');
        await dialDue(world);
        expectBooks(world, HOLD);
      }
      const kinds = world.ledger().map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'hold')).toHaveLength(kinds.length / 2);
      expect(world.credit().held).toBe(0);
    }
  });
});

describe('a call by REST whose destination the platform refuses', () => {
  it('keeps the hold of its placing, and its spend', async () => {
    const world = callWorld([aReservedCall()]);
    const before = world.credit();
    world.dialing = REFUSED;
    await world.dialCall();
    expect(world.credit()).toEqual(before);
    expect(world.stored()).toMatchObject({ held: HOLD, spend: { day: MONDAY } });
    expect(await world.stores.usage.committed(ORG, MONDAY)).toBe(HOLD);
    world.pass(20);
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await dialDue(world)).toEqual(['accepted']);
    await world.apply(aReport());
    expect(world.ledger().map(({ kind }) => kind)).toEqual(['hold', 'settlement']);
    expectConsistent(world);
  });
});
