import type { SlotsWork } from '../../../../shared/messages/call-work.ts';
import { updateOrganization } from '../../../../shared/operations/organizations/update-organization.ts';
import { aCall, aCalledLead, aReservedCall } from '../../support/call.ts';
import { aReport, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import { HOLD } from '../../support/worlds/lead-world.ts';

/** Reserved calls that may cost 10 credits each: of clients, or of leads, which hold no credit before their dials. */
function callsWithin(daily_limit: number | undefined, count: number, isLead = true) {
  const calls = Array.from({ length: count }, (_, index) =>
    aReservedCall({
      call_id: `call_${index}`,
      phone_number: `+91980000000${index}`,
      dial_by: ist(TUESDAY, '02:00'),
      ...(isLead && {
        lead: aCalledLead({ lead_id: `lead-${index}`, event_id: `evt_${index}`, test: true }),
        claims_day: MONDAY,
        held: 0,
        holds: 0,
      }),
    }),
  );
  const world = callWorld(calls, { org: { ...(daily_limit !== undefined && { daily_limit }) } });
  const dial = (index: number) => {
    world.dialing = { kind: 'accepted', platformId: `p_${index}` };
    return world.dialCall(`call_${index}`);
  };
  return {
    world,
    dial,
    end: (index: number) => world.apply(aReport({ platform_id: `p_${index}` }), `call_${index}`),
    committed: (day = MONDAY, scope = ORG) => world.stores.usage.committed(scope, day),
    /** Hands over slots for the due messages, and dials the call if it got them. */
    async again(index: number): Promise<string> {
      for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
      return dial(index);
    },
  };
}

describe('a daily spend limit', () => {
  it.each([
    ['leads', true],
    ['clients', false],
  ])('counts the highest cost of calls of %s, then their actual cost', async (_whose, isLead) => {
    const { world, dial, end, committed } = callsWithin(2 * HOLD, 2, isLead);
    expect([await dial(0), await dial(1)]).toEqual(['accepted', 'accepted']);
    expect(await committed()).toBe(2 * HOLD);
    await end(0);
    expect(await committed()).toBe(HOLD + 2_000);
    expect(world.counted).toEqual([]);
    expectConsistent(world);
  });

  it('delays a call that exceeds it, adds it to Activity once a day, and dials it when a live call cost less', async () => {
    const { world, dial, end, again } = callsWithin(2 * HOLD - 1, 2);
    expect([await dial(0), await dial(1)]).toEqual(['accepted', 'spend_limit_reached']);
    expect([world.stored('call_1').status, world.stored('call_1').slots, world.rung.length]).toEqual([
      'queued',
      undefined,
      1,
    ]);
    expect(world.counted).toEqual(['SpendLimitReached']);
    world.pass(301);
    expect(await again(1)).toBe('spend_limit_reached');
    expect(world.entries().map(({ event_id, outcome, reason }) => `${event_id} ${outcome}: ${reason}`)).toEqual([
      expect.stringMatching(
        /^evt_1\.spend\.2026-03-02 spend_limit_reached: .* limit of 19.999 credits .* the call waits/,
      ),
    ]);
    await end(0);
    world.pass(301);
    expect(await again(1)).toBe('accepted');
    expect(world.rung).toHaveLength(2);
    expectConsistent(world);
  });

  it('delays its organization with one message, which arrives when the calls may get slots again', async () => {
    const { world, dial } = callsWithin(1, 2);
    expect([await dial(0), await dial(1)]).toEqual(['spend_limit_reached', 'spend_limit_reached']);
    const [message, ...others] = world.deps.slotsQueue.sent;
    expect(others).toEqual([]);
    world.pass(message?.delay ?? 0);
    expect(await world.handOver(...world.deps.slotsQueue.due())).toBe(2);
  });

  it('delays the other calls of its organization no longer once it is raised', async () => {
    const { world, dial } = callsWithin(1, 1);
    world.putCall(aCall({ call_id: 'call_1', dial_by: ist(TUESDAY, '02:00') }));
    expect(await dial(0)).toBe('spend_limit_reached');
    expect(await world.handOver({ org_id: ORG })).toBe(0);
    const waking = { ...world.deps, handOverSlots: (work: SlotsWork) => world.deps.slotsQueue.send(work) };
    const raised = { set: { daily_limit: 2 * HOLD } };
    await updateOrganization(waking, { kind: 'operator', name: 'ops' }, { org_id: ORG }, raised);
    expect(await world.handOver(...world.deps.slotsQueue.due())).toBe(1);
  });

  it('starts again at midnight in India', async () => {
    const { world, dial, again, committed } = callsWithin(HOLD, 2);
    expect([await dial(0), await dial(1)]).toEqual(['accepted', 'spend_limit_reached']);
    world.now = ist(TUESDAY, '00:06');
    expect(await again(1)).toBe('accepted');
    expect([await committed(MONDAY), await committed(TUESDAY)]).toEqual([HOLD, HOLD]);
    expectConsistent(world);
  });

  it.each([
    ['organization', ORG],
    ['stage', 'stage'],
  ])('of the %s prevents a dial if another dial reaches it at the moment of the claim', async (of, scope) => {
    const { world, dial, committed } = callsWithin(of === 'stage' ? undefined : HOLD, 1);
    if (of === 'stage') world.deps.stageSpend = HOLD;
    world.beforeNextWrite(() => world.put('usage', { org_id: scope, day: `spend#${MONDAY}`, committed: 1 }));
    expect(await dial(0)).toBe('spend_limit_reached');
    expect([world.rung, await committed(MONDAY, scope), world.stored('call_0').slots]).toEqual([[], 1, undefined]);
    expect(world.credit().held).toBe(0);
  });

  it('of the stage counts the calls of all organizations', async () => {
    const { world, dial, end, committed } = callsWithin(undefined, 2);
    world.deps.stageSpend = HOLD;
    expect([await dial(0), await dial(1)]).toEqual(['accepted', 'spend_limit_reached']);
    expect(world.entries()[0]?.reason).toMatch(/^The service's daily spend limit is reached; the call waits/);
    await end(0);
    expect([await committed(MONDAY, 'stage'), await committed()]).toEqual([2_000, 2_000]);
    expectConsistent(world);
  });

  it.each([
    ['organization', ORG],
    ['stage', 'stage'],
  ])(
    'of the %s counts a call that rang no phone once, even if it is dialed again on the next day',
    async (of, scope) => {
      const { world, again, committed } = callsWithin(of === 'stage' ? undefined : HOLD, 1);
      if (of === 'stage') world.deps.stageSpend = HOLD;
      world.dialing = { kind: 'not_dialed', reason: 'busy', isOperatorFault: false };
      expect(await world.dialCall('call_0')).toBe('not dialed: busy');
      expect(await committed(MONDAY, scope)).toBe(HOLD);
      world.now = ist(TUESDAY, '00:06');
      expect(await again(0)).toBe('accepted');
      expect([await committed(MONDAY, scope), await committed(TUESDAY, scope)]).toEqual([0, HOLD]);
      expectConsistent(world);
    },
  );
});
