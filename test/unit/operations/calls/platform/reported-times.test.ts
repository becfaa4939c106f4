import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { aClaimedCall } from '../../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent } from '../../../support/worlds/call-world.ts';
import { CREDIT } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';

const YEAR_1 = '0001-01-01T00:00:00.000Z';
const YEAR_2036 = '2036-03-02T06:02:30.000Z';

describe('a report whose times cannot be true', () => {
  it('charges no connected time that is longer than its call', async () => {
    const world = callWorld([aClaimedCall()]);
    world.pass(180);
    await world.apply({ kind: 'progress', platform_id: 'p1', status: 'in_progress', at: secondsAfter(START, 60) });
    expect(await world.apply(aReport({ started_at: YEAR_1 }))).toBe('completed');
    expect(world.stored()).toMatchObject({ started_at: secondsAfter(START, 60), duration: 90, cost: 2_000 });
    expect(world.credit()).toEqual({ available: CREDIT - 2_000, held: 0 });
    expect(world.counted).not.toContain('UnitsBeyondHold');
    expectConsistent(world);
  });

  it('delays no work after the call: recover-calls still replaces a lost message', async () => {
    const world = callWorld([aClaimedCall()]);
    world.pass(180);
    await world.apply(aReport({ ended_at: YEAR_2036 }));
    expect(world.stored().ended_at).toBe(world.now);
    world.pass(240);
    await world.recover();
    expect(world.deps.finishQueue.due()).toEqual([{ call_id: CALL }]);
  });

  it('ends the call at once if recover-calls reads it, and not only at the deadline', async () => {
    const world = callWorld([aClaimedCall({ platform_id: 'p1' })]);
    world.record = { kind: 'known', message: aReport({ ended_at: YEAR_2036 }) };
    world.pass(300);
    await world.recover();
    expect(world.stored()).toMatchObject({ status: 'completed', ended_at: world.now });
    expect(world.live()).toEqual({});
  });
});

describe('a report of 90 connected seconds charges them', () => {
  const [started_at, reported_at] = [secondsAfter(START, 60), secondsAfter(START, 150)];

  it('if only its start is more than an hour before the dial, because the clock is behind', async () => {
    const world = callWorld([aClaimedCall()]);
    world.pass(180);
    const [start, end] = [started_at, reported_at].map((at) => secondsAfter(at, -62 * 60)) as [string, string];
    await world.apply(aReport({ started_at: start, ended_at: end }));
    expect(world.stored()).toMatchObject({ duration: 90, cost: 2_000 });
  });

  it.each([YEAR_1, YEAR_2036])('if it is applied hours later and ends at %s', async (ended_at) => {
    const report = aReport({ started_at, ended_at, reported_at });
    const [late, read] = [callWorld([aClaimedCall()]), callWorld([aClaimedCall({ platform_id: 'p1' })])];
    for (const world of [late, read]) world.pass(3 * 3_600);
    await late.apply(report);
    read.record = { kind: 'known', message: report };
    await read.recover();
    for (const world of [late, read]) expect(world.stored()).toMatchObject({ duration: 90, cost: 2_000 });
  });
});

it('a report without an end charges until the hang-up, whether the platform sends it or recover-calls reads it', async () => {
  const [sent, read] = [callWorld([aClaimedCall()]), callWorld([aClaimedCall()])];
  const report = aReport({ ended_at: secondsAfter(START, 190), is_end_estimated: true });
  for (const world of [sent, read]) {
    world.pass(175);
    await world.apply({ kind: 'hung_up', platform_id: 'p1', reason: report.reason, at: secondsAfter(START, 175) });
    world.pass(200);
  }
  await sent.apply(report);
  read.record = { kind: 'known', message: report };
  await read.recover();
  for (const world of [sent, read])
    expect(world.stored()).toMatchObject({ ended_at: secondsAfter(START, 175), duration: 115, cost: 2_000 });
});

it('a message whose time cannot be true stores no such time', async () => {
  const world = callWorld([aClaimedCall()]);
  world.pass(60);
  await world.apply({ kind: 'progress', platform_id: 'p1', status: 'ringing', at: YEAR_1 });
  await world.apply({ kind: 'hung_up', platform_id: 'p1', reason: 'customer-busy', at: YEAR_1 });
  expect(world.stored()).not.toHaveProperty('rang_at');
  expect(world.stored()).toMatchObject({ hung_up_at: world.now });
});
