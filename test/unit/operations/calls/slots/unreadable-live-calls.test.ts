import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { aCall, aClaimedCall } from '../../../support/call.ts';
import { NEWER } from '../../../support/sample-item.ts';
import { CALL, callWorld, expectConsistent } from '../../../support/worlds/call-world.ts';
import { ORG } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';

const OTHER = 'call_other';
const RECOVERY_SECONDS = 300;
const DEADLINE_SECONDS = 600 + 3_600;

/** A dialed call that cannot be read, on the only line, and another call, which waits for it. */
function aStage(broken: object, over: Partial<Call> = {}) {
  const dialed = aClaimedCall({ dial_claimed_at: START, platform_id: 'p1', status: 'in_progress', ...over });
  const world = callWorld([dialed, aCall({ call_id: OTHER, dial_by: '2026-03-03T06:00:00.000Z' })]);
  world.deps.stageSlots = 1;
  const item = { ...world.find('calls', { call_id: CALL }), ...broken };
  world.put('calls', item);
  /** Runs recover-calls as its schedule does. @returns after how many seconds the other call gets the line */
  const untilFreed = async (mostSeconds: number) => {
    for (let seconds = RECOVERY_SECONDS; seconds <= mostSeconds; seconds += RECOVERY_SECONDS) {
      world.pass(RECOVERY_SECONDS);
      await world.recover();
      if (world.stored(OTHER).unfinished === 'reserved') return seconds;
    }
    return undefined;
  };
  return Object.assign(world, { item, untilFreed, broken: () => world.find('calls', { call_id: CALL }) });
}

describe('a dialed call that cannot be read', () => {
  it.each<[string, object, Partial<Call>]>([
    ['an attribute of another type', { rate: 'unreadable' }, {}],
    ['metadata that is no JSON', { request_metadata: '{' }, {}],
    ['a status of a newer version', { status: NEWER }, {}],
    ['no readable status', { status: 0 }, {}],
    ['no readable claim', { dial_claimed_at: 0 }, { progress_at: START }],
    ['no readable progress', { progress_at: 0 }, {}],
    ['while it is looked up', { rate: 'unreadable' }, { platform_id: undefined, status: 'dialing' }],
  ])('gives back its line at its deadline, but no earlier, and is reported: %s', async (_what, broken, over) => {
    const world = aStage(broken, over);
    expect(await world.untilFreed(DEADLINE_SECONDS + RECOVERY_SECONDS)).toBe(DEADLINE_SECONDS);
    const { slots, ...rest } = world.item;
    expect(slots).toEqual(['stage', `org#${ORG}`]);
    expect(world.broken()).toEqual(rest);
    // The line is the other call's.
    expect(world.live()).toEqual({ stage: 1, [`org#${ORG}`]: 1 });
    expect(world.rung).toEqual([]);
    expect(world.counted.filter((name) => name === 'CallNotRecovered')).toHaveLength(DEADLINE_SECONDS / 300);
    const message = 'a dialed call that cannot be read gave back its slots';
    expect(world.logged).toContainEqual({ message, call_ids: [CALL] });
  });

  it.each<[string, object, Partial<Call>, number]>([
    ['an unreadable duration: that of the longest call', { max_duration_seconds: '600' }, {}, 3_600 + 3_600],
    [
      'neither claim nor progress: from its dial_by',
      { dial_claimed_at: 0, progress_at: 'soon' },
      { dial_by: secondsAfter(START, 900) },
      DEADLINE_SECONDS + 900,
    ],
    [
      'queued at the platform: an hour after its dial_by',
      { rate: 'unreadable' },
      { status: 'dialing', queued_at_platform: START, dial_by: secondsAfter(START, 2 * 3_600) },
      3 * 3_600,
    ],
  ])('has a later deadline if it has %s', async (_what, broken, over, deadline) => {
    expect(await aStage(broken, over).untilFreed(deadline + RECOVERY_SECONDS)).toBe(deadline);
  });

  it('gives back its line once, and ends as lost without another effect when it can be read again', async () => {
    const world = aStage({ rate: 'unreadable' });
    await world.untilFreed(DEADLINE_SECONDS);
    world.pass(RECOVERY_SECONDS);
    await world.recover();
    const live = { stage: 1, [`org#${ORG}`]: 1 };
    expect([world.live(), world.credit().held]).toEqual([live, 20_000]);
    world.put('calls', { ...world.broken(), rate: 1_000 });
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0 });
    expect([world.live(), world.credit().held, world.counted.includes('SlotsCorrected')]).toEqual([
      live,
      10_000,
      false,
    ]);
    expectConsistent(world);
  });

  it('notifies hand-over-slots, so that an organization at its limit gets the line', async () => {
    const world = aStage({ rate: 'unreadable' });
    world.pass(DEADLINE_SECONDS);
    await world.recover();
    const at = world.now;
    expect(world.deps.slotsQueue.due()).toContainEqual({ org_id: ORG, type: 'call.given_back', at });
  });

  it.each([
    ['was repaired', { slots: ['stage'] }],
    ['was dialed again', { dial_claimed_at: secondsAfter(START, DEADLINE_SECONDS) }],
  ])('keeps its line if it %s in between', async (_what, change) => {
    const world = aStage({ rate: 'unreadable' });
    world.pass(DEADLINE_SECONDS);
    const changed = { ...world.item, ...change };
    world.beforeNextWrite(() => world.put('calls', changed));
    await world.recover();
    expect(world.broken()).toEqual(changed);
    expect(world.live()).toMatchObject({ stage: 1 });
  });

  it('is distinguished from a call whose read the database refused', async () => {
    const world = aStage({});
    world.pass(DEADLINE_SECONDS);
    const { get } = world.deps.calls;
    const refused: string[] = [];
    // Only the first read: another one would show that the call can be read.
    world.deps.calls.get = async (callId) => {
      if (callId !== CALL || refused.length > 0) return get(callId);
      refused.push(callId);
      throw new Error('throttled');
    };
    await world.recover();
    expect([refused, world.counted.includes('CallNotRecovered')]).toEqual([[CALL], true]);
    expect(world.broken()).toEqual(world.item);
  });
});

describe('a dialed call whose slots or credit cannot be read', () => {
  it.each([
    ['slots', { slots: 'unreadable' }],
    ['credit', { held: 'unreadable' }],
  ])('does not keep the counters of other calls from being corrected: %s', async (_what, broken) => {
    const world = aStage(broken);
    world.putCall(aCall({ call_id: 'call_third', org_id: 'org_third', held: 0 }));
    world.put('slots', { scope: 'org#org_third', live: 2 });
    for (let run = 0; run < 2; run += 1) await world.recover();
    expect(world.live()).not.toHaveProperty('org#org_third');
    expect(world.counted).toContain('SlotsCorrected');
  });
});
