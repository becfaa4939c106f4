import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { aReservedCall } from '../../../support/call.ts';
import { A, aCrowd, end, handOverAll, waitingCall } from '../../../support/hand-over.ts';
import { callWorld, expectConsistent } from '../../../support/worlds/call-world.ts';
import { anOrg } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';

describe('a waiting organization', () => {
  it('gets no slot above its limit until one of its calls ends', async () => {
    const calls = ['call_1', 'call_2'].map((id) => waitingCall(id));
    const world = await aCrowd(calls, 10, { organizations: [anOrg({ max_live_calls: 1 })] });
    expect(await handOverAll(world)).toEqual(['call_1']);
    await world.handOver();
    expect(await world.stores.waitingOrgs.longestWaiting(10)).toEqual([]);
    await end(world, 'call_1');
    expect(world.deps.dialQueue.sent.map(({ message }) => message.call_id)).toEqual(['call_1', 'call_2']);
  });

  it.each([
    ['dialing is paused', { slots: [{ scope: 'stage', live: 0, paused_at: START }] }],
    ['it is suspended', { organizations: [anOrg({ suspended_at: START })] }],
    ['it may not have a live call', { organizations: [anOrg({ max_live_calls: 0 })] }],
    ['all slots are taken', { slots: [{ scope: 'stage', live: 10 }] }],
  ])('gets no slot while %s', async (_why, contents) => {
    const world = await aCrowd([waitingCall('call_1')], 10, contents);
    expect([await handOverAll(world), world.stored('call_1').unfinished]).toEqual([[], 'waiting']);
  });

  it('gets no slot for a call that is claimed, in its back-off, scheduled or ended', async () => {
    const calls = [
      waitingCall('call_claimed', { unfinished: 'claimed', status: 'dialing', dial_claimed_at: START }),
      waitingCall('call_backs_off', { dial_after: secondsAfter(START, 1) }),
      waitingCall('call_scheduled', { status: 'scheduled', unfinished: 'scheduled', held: 0 }),
      waitingCall('call_ended', { status: 'completed', unfinished: 'ended' }),
      waitingCall('call_waits'),
    ];
    expect(await handOverAll(await aCrowd(calls, 10))).toEqual(['call_waits']);
  });

  it('is served although the index shows a call that no longer waits', async () => {
    const world = await aCrowd([waitingCall('call_1'), waitingCall('call_2')], 1);
    world.freezeIndexes();
    world.change({ status: 'canceled', unfinished: 'ended' }, 'call_1');
    expect(await handOverAll(world)).toEqual(['call_2']);
  });

  it('is checked again some seconds later if the index does not show its call yet', async () => {
    const world = await aCrowd([], 1, { organizations: [anOrg()] });
    await world.handOver({ org_id: A, type: 'call.queued', at: START });
    expect(world.deps.slotsQueue.sent).toMatchObject([{ message: { org_id: A, at: START }, delay: 5 }]);
    world.putCall(waitingCall('call_1'));
    world.pass(5);
    expect(await handOverAll(world)).toEqual(['call_1']);
  });

  it('is checked again even if a message about an older call follows', async () => {
    const world = await aCrowd([], 1, { organizations: [anOrg()] });
    await world.stores.waitingOrgs.list(A, world.now, world.now);
    await world.handOver({ org_id: A, type: 'call.queued', at: secondsAfter(START, -600) });
    expect(world.deps.slotsQueue.sent).toMatchObject([{ message: { org_id: A, at: START }, delay: 5 }]);
  });

  it('does not stop others if it cannot be read, but the run fails and raises an alarm', async () => {
    const bad = waitingCall('call_bad', { org_id: 'org_bad', dial_after: secondsAfter(START, -60) });
    const world = await aCrowd([bad, waitingCall('call_1')], 10);
    world.put('organizations', { ...anOrg({ org_id: 'org_bad' }), rate: 'unreadable' });
    await expect(world.handOver()).rejects.toThrow('org_bad');
    expect(world.deps.dialQueue.sent).toMatchObject([{ message: { call_id: 'call_1' } }]);
    expect([await world.handOver(), world.stored('call_bad').unfinished]).toEqual([0, 'waiting']);
    world.pass(300);
    await world.recover();
    expect(world.counted).toContain('CallNotRecovered');
  });

  it('is left to the worker that lists it again just when it should leave the list', async () => {
    const world = await aCrowd([], 1, { organizations: [anOrg()] });
    await world.stores.waitingOrgs.list(A, START, START);
    world.beforeNextWrite(() => world.stores.waitingOrgs.list(A, secondsAfter(START, 1), START));
    expect([await world.handOver(), world.deps.slotsQueue.sent]).toEqual([0, []]);
    expect(await world.stores.waitingOrgs.longestWaiting(1)).toHaveLength(1);
  });

  it('keeps its place if the message about the end of an earlier call is delivered late', async () => {
    const call = (org_id: string) => waitingCall(`call_${org_id}`, { org_id });
    const world = await aCrowd([call('org_first'), call('org_second')], 1);
    await world.stores.waitingOrgs.moveBehind('org_second', secondsAfter(START, 1));
    world.pass(5);
    const late = { type: 'call.completed', at: secondsAfter(START, -180), freed_slots: true };
    await world.handOver({ org_id: 'org_first', ...late });
    expect(world.stored('call_org_first').unfinished).toBe('reserved');
  });

  it('leaves the list once it has no call to dial', async () => {
    const world = await aCrowd([], 1, { organizations: [anOrg()] });
    await world.handOver({ org_id: A, type: 'call.queued', at: START });
    world.pass(5);
    await handOverAll(world);
    expect([world.deps.slotsQueue.sent, await world.stores.waitingOrgs.longestWaiting(10)]).toEqual([[], []]);
  });
});

describe('recover-calls', () => {
  it('hands over slots to calls whose messages were lost, and takes slots from calls that are not dialed', async () => {
    const world = callWorld([waitingCall('call_lost'), aReservedCall({ call_id: 'call_stuck' })]);
    world.deps.stageSlots = 1;
    world.pass(180);
    expect(await world.recover()).toMatchObject({ give_back: 1, handed_over: 1, failed: 0 });
    expectConsistent(world);
    expect(world.deps.dialQueue.sent).toHaveLength(1);
  });
});
