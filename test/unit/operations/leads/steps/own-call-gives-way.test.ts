import { callIdForLead } from '../../../../../shared/domain/ids.ts';
import type { LeadEvent } from '../../../../../shared/messages/lead-event.ts';
import { aCrmAEvent, crmALeads } from '../../../support/crm-a-leads.ts';
import { ist, MONDAY, TUESDAY } from '../../../support/worlds/items.ts';
import {
  CONNECTION,
  ENTRY,
  found,
  type LeadWorld,
  leadWorld,
  NIGHT,
  namedOnly,
  OPENS,
  OTHER_PHONE,
  windowOf,
} from '../../../support/worlds/lead-world.ts';
import { callOf, deliver, theOther } from '../../../support/worlds/two-leads.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

describe('a lead whose own call gives way to the call of another lead', () => {
  const atMidnight = { at: ist(TUESDAY, '00:01') };
  const beginOfCrmA = async (more: Partial<LeadEvent> = {}) => {
    const world = crmALeads();
    world.now = ist(MONDAY, '23:59');
    await world.process(aCrmAEvent({ at: world.now, ...more }));
    world.now = atMidnight.at;
    expect(await world.process(theOther(atMidnight))).toBe('call queued');
    return world;
  };
  const otherOwner = { event_id: 'evt_3', at: ist(TUESDAY, '00:02') };

  it('is called if that call is stopped after midnight', async () => {
    const world = await beginOfCrmA();
    expect(await world.dial()).toBe('phone_already_called');
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    await world.process(aCrmAEvent(otherOwner, { lead_id: 'lead-2', owner_id: 'owner-2' }));
    expect(await deliver(world, 7)).toEqual(['call queued']);
    expect(world.outcomes()).toEqual(
      expect.arrayContaining(['evt_1.dial dial: phone_already_called', 'evt_1.dial.retry.1 retry: call queued']),
    );
    const ended = world.entries().find(({ event_id }) => event_id === 'evt_1.dial');
    expect(ended?.superseded_by).toBe('evt_1.dial.retry.1');
    expect(await world.dial('evt_1.dial')).toBe('accepted');
    expect(world.rung).toHaveLength(1);
  });

  it('stays uncalled if that call rings', async () => {
    const world = await beginOfCrmA();
    await world.dial();
    await world.dial('evt_2');
    const other = world.all('calls').find(({ call_id }) => call_id === callIdForLead(CONNECTION, 'evt_2'));
    world.put('calls', { ...other, status: 'ringing' });
    expect(await deliver(world, 60)).toEqual(['phone_already_called']);
    expect([world.rung.length, world.queued]).toEqual([1, []]);
  });

  it('is called wherever dial-call dies', async () => {
    for await (const [world] of worldThatDies(
      () => beginOfCrmA(),
      (each) => each.dial(),
    )) {
      if (callOf(world, 'evt_1')?.status !== 'canceled') {
        world.pass(400);
        await world.dial();
      }
      await world.process(aCrmAEvent(otherOwner, { lead_id: 'lead-2', owner_id: 'owner-2' }));
      await deliver(world, 30);
      expect(callOf(world, 'evt_1.dial')?.status).toBe('queued');
    }
  });

  const leads: Record<string, ReturnType<typeof found>> = {};
  const beginOfCrmB = async () => {
    const world = leadWorld();
    Object.assign(leads, { 1001: found(), 1002: found({ lead_id: '1002' }) });
    world.crm = (leadId) => leads[leadId] ?? { kind: 'not_found', reason: 'x' };
    return world;
  };
  const theSecond = (world: LeadWorld) => world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }));
  const stopsTheSecond = (world: LeadWorld) => {
    leads[1002] = found({ lead_id: '1002', owner_id: 'owner-2' });
    return world.process(world.event({ event_id: 'evt_3', lead: namedOnly('1002') }));
  };

  it('is called if it cannot move to its other phone because of a call that is stopped later', async () => {
    const world = await beginOfCrmB();
    await world.process(world.event());
    leads[1002] = found({ lead_id: '1002', phones: [OTHER_PHONE] });
    await theSecond(world);
    world.pass(11 * 60);
    leads[1001] = found({ phones: [OTHER_PHONE] });
    expect(await world.dial()).toBe('phone_already_called');
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    await stopsTheSecond(world);
    expect(await deliver(world, 7)).toEqual(['call queued']);
    expect(callOf(world, 'evt_1.dial')?.phone_number).toBe(OTHER_PHONE);
  });

  it('is called although a person canceled an earlier call of the lead and then retried the lead', async () => {
    const world = await beginOfCrmB();
    world.now = ist(MONDAY, '19:00');
    Object.assign(leads, { 1001: { ...found(), changedAt: world.now } });
    await world.process(world.event({ event_id: 'evt_0' }));
    world.pass(60);
    await world.cancel('evt_0');
    world.now = ist(MONDAY, '20:00');
    const retry = { source: 'retry', original_event_id: 'evt_1', asked_by: 'ops' } as const;
    expect(await world.process(world.event({ event_id: 'evt_1.retry.1', ...retry }))).toBe('call queued');
    world.now = ist(MONDAY, '21:30');
    await theSecond(world);
    expect(await world.dial()).toBe('phone_already_called');
    await world.switchOff(world.connectionChange({ auto_call: false }));
    world.connectionChange({ auto_call: true });
    expect(await deliver(world, 7)).toEqual(['call scheduled']);
    expect(callOf(world, 'evt_1.dial')?.status).toBe('scheduled');
  });

  it('follows the other call if it was not dialed in time, and that call is scheduled for its next window', async () => {
    const world = await beginOfCrmB();
    world.now = ist(MONDAY, '20:00');
    await world.process(world.event());
    world.now = ist(MONDAY, '21:30');
    expect(await theSecond(world)).toBe('call scheduled');
    expect(await world.dial()).toBe('phone_already_called');
    expect(world.queued).toMatchObject([{ message: { event_id: 'evt_1.dial.retry.1' }, delay: 300 }]);
  });

  it('follows the other call if it cannot be postponed at its release because of that call', async () => {
    const world = await beginOfCrmB();
    world.now = NIGHT;
    await world.process(world.event());
    world.connectionChange({ settings: windowOf('03:00', '04:00') });
    world.now = ist(TUESDAY, '08:00');
    expect(await theSecond(world)).toBe('call scheduled');
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('phone_already_called');
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    await world.switchOff(world.connectionChange({ auto_call: false }));
    world.connectionChange({ auto_call: true });
    expect(await deliver(world, 15)).toEqual(['call scheduled']);
    expect(callOf(world, ENTRY)?.status).toBe('scheduled');
  });

  it('follows the call of the phone to which it would move at its release', async () => {
    const world = await beginOfCrmB();
    world.now = NIGHT;
    await world.process(world.event());
    world.now = OPENS;
    leads[1002] = found({ lead_id: '1002', phones: [OTHER_PHONE] });
    await theSecond(world);
    leads[1001] = found({ phones: [OTHER_PHONE] });
    expect(await world.release(world.releaseMessage())).toBe('phone_already_called');
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    await stopsTheSecond(world);
    expect(await deliver(world, 7)).toEqual(['call queued']);
  });

  it('follows no call as a test event', async () => {
    const world = await beginOfCrmA({ test: true });
    expect(await world.dial()).toBe('phone_already_called');
    expect(world.queued).toEqual([]);
  });
});
