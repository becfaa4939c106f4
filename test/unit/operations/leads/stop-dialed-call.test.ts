import type { PlatformMessage } from '../../../../shared/domain/calls/platform/platform-message.ts';
import type { ReadOutcome } from '../../../../shared/integrations/voice/voice-platform.ts';
import { applyVoiceEvent } from '../../../../shared/operations/calls/apply-voice-event.ts';
import { dialCall } from '../../../../shared/operations/calls/dial-call.ts';
import { giveBackDialClaim } from '../../../../shared/operations/calls/dialing/give-back-dial-claim.ts';
import { settleUnknownDial } from '../../../../shared/operations/calls/platform/settle-at-platform.ts';
import { aCrmAEvent, CALL, crmALeads, leadKey, phoneKey } from '../../support/crm-a-leads.ts';
import { CREDIT, ORG } from '../../support/worlds/items.ts';
import { expectBooks, OTHER_PHONE } from '../../support/worlds/lead-world.ts';

const progress = (status: 'dialing' | 'ringing'): ReadOutcome => ({
  kind: 'known',
  message: { kind: 'progress', platform_id: 'p1', status },
});
const QUEUED = { kind: 'accepted', platformId: 'p1', isQueued: true } as const;
const NOTHING_HELD = { available: CREDIT, held: 0 };

/** A lead of CRM-A, which cannot be read again, and whose call was dialed. */
async function aDialedLead(dialing: ReturnType<typeof crmALeads>['dialing']) {
  const world = crmALeads();
  await world.process();
  Object.assign(world, { dialing, record: progress('dialing') });
  await world.dial();
  const { deps } = world;
  const files = {
    putTranscript: async () => '',
    putLines: async () => '',
    removeTranscripts: async () => undefined,
    tagReported: async () => undefined,
    removeReported: async () => undefined,
  };
  return Object.assign(world, {
    setFlag: () => world.process(aCrmAEvent({ event_id: 'evt_2', at: world.now }, { do_not_call: true })),
    runQueue: async () => {
      for (const work of deps.dialQueue.due()) await dialCall(deps, work);
    },
    /** Applies the platform's report that a queued call was ended on request. */
    report: () => {
      const message: PlatformMessage = {
        kind: 'report',
        platform_id: 'p1',
        outcome: 'canceled',
        reason: 'manually-canceled',
        ended_at: world.now,
      };
      return applyVoiceEvent({ ...deps, files }, { call_id: CALL, message });
    },
    /** Gives back the attempt, as recover-calls does after two lookups that did not find it. */
    giveBack: () => {
      const call = world.call();
      if (!call.dial_claimed_at) throw new Error('no claim');
      return giveBackDialClaim(deps, { ...call, dial_claimed_at: call.dial_claimed_at }, { absent: true });
    },
    /** Looks up the attempt as recover-calls does. The platform has it. */
    find: () => {
      const lookup = { find: async () => ({ kind: 'found', platformId: 'p1', others: [] }) as const };
      return settleUnknownDial({ ...deps, files, lookup }, world.call(), new Date(world.now));
    },
    expectStopped: (outcome: string) => {
      expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
      expect(world.entries().map(({ source, outcome: of }) => `${source} ${of}`)).toContain(`dial ${outcome}`);
      expect([world.claims(), world.credit()]).toEqual([[], NOTHING_HELD]);
      expectBooks(world);
    },
  });
}

describe('a lead of CRM-A whose do-not-call flag is set after the dial of its call', () => {
  it('does not ring if the platform has the call queued: it is ended there at once, and not dialed again', async () => {
    const world = await aDialedLead(QUEUED);
    expect(await world.setFlag()).toBe('do_not_call');
    await world.runQueue();
    expect(world.hungUp).toEqual(['p1']);
    expect(await world.report()).toBe('given_back');
    world.pass(60);
    expect(await world.dial()).toBe('do_not_call');
    expect(world.rung).toHaveLength(1);
    world.expectStopped('do_not_call');
  });

  it('does not ring if the call is found to be queued only later', async () => {
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    await world.setFlag();
    await world.find();
    expect([world.hungUp, world.call().platform_id]).toEqual([['p1'], 'p1']);
  });

  it('does not ring if the platform accepts the call as queued at the same moment', async () => {
    const world = crmALeads();
    await world.process();
    world.record = progress('dialing');
    world.deps.voice.dial = async () => {
      await world.process(aCrmAEvent({ event_id: 'evt_2' }, { do_not_call: true }));
      return QUEUED;
    };
    await world.dial();
    expect(world.hungUp).toEqual(['p1']);
  });

  it('does not ring if the platform queues the call at the same moment without saying so', async () => {
    const world = await aDialedLead({ kind: 'not_dialed', reason: 'no_line', isOperatorFault: false });
    world.pass(60);
    world.deps.voice.dial = async () => {
      await world.setFlag();
      return { kind: 'accepted', platformId: 'p1' };
    };
    expect(await world.dial()).toBe('accepted');
    await world.runQueue();
    world.pass(30);
    await world.runQueue();
    expect(world.hungUp).toEqual(['p1']);
  });

  it.each([
    ['is dialed again', 120, 'do_not_call'],
    ['is late', 86_400, 'do_not_call'],
  ])('does not ring after a dial without an outcome is given back: the call is canceled when it %s', async (...row) => {
    const [, seconds, outcome] = row;
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    await world.setFlag();
    expect(await world.giveBack()).toBe(true);
    world.pass(seconds);
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await world.dial()).toBe(outcome);
    expect(world.rung).toEqual([]);
    world.expectStopped(outcome);
  });

  it('is canceled at once if the dial is given back at the same moment', async () => {
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    world.beforeNextWrite(world.giveBack);
    await world.setFlag();
    world.expectStopped('do_not_call');
  });

  it('keeps its call if the phone begins to ring at the same moment', async () => {
    const world = await aDialedLead(QUEUED);
    world.deps.dialQueue.sent.length = 0;
    world.beforeNextWrite(() => world.deps.calls.advance(CALL, { status: 'ringing' }, 'p1', world.now));
    await world.setFlag();
    expect(world.call()).toMatchObject({ status: 'ringing' });
    expect(world.call()).not.toHaveProperty('lead_stop');
    expect(world.deps.dialQueue.sent).toEqual([]);
  });

  it('keeps its call if the phone rings, or rings soon because it was dialed seconds ago', async () => {
    const world = await aDialedLead({ kind: 'accepted', platformId: 'p1' });
    await world.setFlag();
    world.pass(29);
    await world.runQueue();
    expect(world.hungUp).toEqual([]);
    world.record = progress('ringing');
    world.pass(1);
    await world.runQueue();
    expect([world.hungUp, world.deps.dialQueue.sent]).toEqual([[], []]);
    expect(world.claims()).toEqual([`${leadKey()} = evt_1`, `${phoneKey()} = evt_1`]);
  });

  it('has its call looked up again within seconds while the platform does not answer', async () => {
    const world = await aDialedLead(QUEUED);
    await world.setFlag();
    world.record = { kind: 'unknown', reason: 'status 500' };
    await world.runQueue();
    world.record = progress('dialing');
    world.pass(15);
    await world.runQueue();
    expect(world.hungUp).toEqual(['p1']);
  });
});

describe('an older event that fits, delivered after a stop', () => {
  const fits = (world: Awaited<ReturnType<typeof aDialedLead>>) =>
    world.process(aCrmAEvent({ event_id: 'evt_3', at: '2026-03-02T06:01:00.000Z' }));
  const aNewerStop = (world: Awaited<ReturnType<typeof aDialedLead>>, lead: object) =>
    world.process(aCrmAEvent({ event_id: 'evt_2', at: '2026-03-02T06:02:00.000Z' }, lead));

  it.each<[string, (world: Awaited<ReturnType<typeof aDialedLead>>) => unknown]>([
    ['the do-not-call flag', (world) => aNewerStop(world, { do_not_call: true })],
    ['the switch-off of its connection', (world) => world.switchOff(world.connectionChange({ auto_call: false }))],
  ])('does not let a queued call ring after %s, decided at the same moment', async (_what, stop) => {
    const world = await aDialedLead(QUEUED);
    world.beforeNextWrite(() => stop(world));
    expect(await fits(world)).toBe('already_called');
    await world.runQueue();
    expect(world.hungUp).toEqual(['p1']);
  });

  it('does not undo a stop by the do-not-call list, and neither does a switch-off for a while', async () => {
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    world.put('do-not-call', { org_id: ORG, phone: OTHER_PHONE, added_at: world.now });
    expect(await aNewerStop(world, { phones: [OTHER_PHONE] })).toBe('do_not_call');
    expect(await fits(world)).toBe('already_called');
    await world.switchOff(world.connectionChange({ auto_call: false }));
    world.connectionChange({ auto_call: true });
    await world.giveBack();
    world.pass(120);
    expect(await world.dial()).toBe('do_not_call');
  });

  it('is not mistaken for the newest stop if that one is recorded before an older one', async () => {
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    await aNewerStop(world, { do_not_call: true });
    await world.process(aCrmAEvent({ event_id: 'evt_4', at: '2026-03-02T06:00:30.000Z' }, { owner_id: 'owner-2' }));
    expect(world.call().lead_stop).toMatchObject({ outcome: 'do_not_call' });
  });
});

describe('switching auto-call off', () => {
  it('ends a call that the platform has queued, and cancels it when the platform reports the end', async () => {
    const world = await aDialedLead(QUEUED);
    await world.switchOff(world.connectionChange({ auto_call: false }));
    world.record = { kind: 'unknown', reason: 'status 500' };
    await world.runQueue();
    world.record = progress('dialing');
    world.pass(15);
    await world.runQueue();
    expect([world.hungUp, await world.report()]).toEqual([['p1'], 'given_back']);
    world.pass(60);
    expect(await world.dial()).toBe('auto_call_disabled');
    world.expectStopped('auto_call_disabled');
  });

  it('ends a call that the platform accepts as queued at the same moment', async () => {
    const world = crmALeads();
    await world.process();
    world.record = progress('dialing');
    world.deps.voice.dial = async () => {
      await world.switchOff(world.connectionChange({ auto_call: false }));
      return QUEUED;
    };
    await world.dial();
    expect(world.hungUp).toEqual(['p1']);
  });

  it('ends a call that is found to be queued only later', async () => {
    const world = await aDialedLead({ kind: 'unknown', reason: 'ABORT_ERR' });
    await world.switchOff(world.connectionChange({ auto_call: false }));
    await world.find();
    expect(world.hungUp).toEqual(['p1']);
  });

  it('does not cancel a call that is given back after auto-call was switched on again', async () => {
    const world = await aDialedLead(QUEUED);
    await world.switchOff(world.connectionChange({ auto_call: false }));
    await world.runQueue();
    world.connectionChange({ auto_call: true });
    expect(await world.report()).toBe('given_back');
    world.pass(60);
    world.dialing = { kind: 'accepted', platformId: 'p2', isQueued: true };
    expect(await world.dial()).toBe('queued_at_platform');
    await world.runQueue();
    expect(world.hungUp).toEqual(['p1']);
  });

  it('ends all calls that the platform has queued without saying so, over all pages of dialed calls', async () => {
    const world = crmALeads();
    // The in-memory database reads three entries at a time.
    for (let index = 1; index <= 7; index += 1) {
      const lead = { lead_id: `lead-${index}`, phones: [`98765 4${1000 + index}`] };
      await world.process(aCrmAEvent({ event_id: `evt_${index}` }, lead));
      Object.assign(world, { dialing: { kind: 'accepted', platformId: `p${index}` }, record: progress('dialing') });
      expect(await world.dial(`evt_${index}`)).toBe('accepted');
    }
    await world.switchOff(world.connectionChange({ auto_call: false }));
    world.pass(30);
    for (const work of world.deps.dialQueue.due()) await dialCall(world.deps, work);
    expect(world.hungUp.toSorted()).toEqual(Array.from({ length: 7 }, (_, index) => `p${index + 1}`));
  });

  it('does not end a call that rings', async () => {
    const world = await aDialedLead(QUEUED);
    world.record = progress('ringing');
    await world.switchOff(world.connectionChange({ auto_call: false }));
    await world.runQueue();
    expect(world.hungUp).toEqual([]);
  });
});
