import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { aCall, aReservedCall } from '../../../support/call.ts';
import { NEWER } from '../../../support/sample-item.ts';
import { CALL, callWorld } from '../../../support/worlds/call-world.ts';
import { ORG } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';

const OTHER = 'call_other';
const LATER = secondsAfter(START, 1_200);

/** A call that cannot be read and another call, which waits, on one line. @param broken attributes of the first */
async function aStage(call: ReturnType<typeof aCall>, broken: object) {
  const world = callWorld([call, aCall({ call_id: OTHER, dial_after: secondsAfter(START, 1), dial_by: LATER })]);
  world.deps.stageSlots = 1;
  world.put('calls', { ...world.find('calls', { call_id: CALL }), ...broken });
  await world.handOver({ org_id: ORG, at: START });
  world.pass(1);
  return Object.assign(world, { broken: () => world.find('calls', { call_id: CALL }) });
}

const unreadable: [string, object][] = [
  ['an attribute of another type', { rate: 'unreadable' }],
  ['metadata that is no JSON', { request_metadata: '{' }],
  ['a status of a newer version', { status: NEWER }],
];

describe('a waiting call that cannot be read', () => {
  it.each(unreadable)('gives its line back at its dial, which fails, and others get it: %s', async (_what, broken) => {
    const world = await aStage(aReservedCall({ dial_by: LATER }), broken);
    await expect(world.dialCall()).rejects.toThrow();
    expect(world.broken()).toMatchObject({ unfinished: 'waiting', dial_after: secondsAfter(world.now, 600) });
    for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
    expect(world.stored(OTHER).unfinished).toBe('reserved');
    expect([world.live(), world.rung]).toEqual([{ stage: 1, [`org#${ORG}`]: 1 }, []]);
  });

  it.each(unreadable)('gives its line back to recover-calls, which reports it: %s', async (_what, broken) => {
    const world = await aStage(aReservedCall({ dial_by: LATER }), broken);
    world.pass(200);
    expect(await world.recover()).toMatchObject({ failed: 1, handed_over: 1 });
    expect([world.broken()?.unfinished, world.stored(OTHER).unfinished]).toEqual(['waiting', 'reserved']);
    expect(world.logged).toContainEqual(expect.objectContaining({ call_id: CALL, error: expect.any(Error) }));
    expect(world.counted).toContain('CallNotRecovered');
  });

  it('blocks others once at most, even if it can get no line, and returns once it can be read', async () => {
    const world = await aStage(aCall({ dial_by: LATER }), { status: NEWER });
    expect(await world.handOver({ org_id: ORG, at: world.now })).toBe(1);
    expect(world.stored(OTHER).unfinished).toBe('reserved');
    expect(world.logged).toContainEqual({ message: 'waiting calls cannot be read', call_ids: [CALL] });
    const { waiting_turn } = world.broken() ?? {};
    expect(waiting_turn).toBe(`1-rest#${secondsAfter(START, 600)}`);
    world.put('calls', { ...world.broken(), status: 'queued' });
    world.pass(600);
    world.deps.stageSlots = 2;
    await world.handOver({ org_id: ORG, at: world.now });
    expect(world.broken()?.unfinished).toBe('reserved');
  });

  it('leaves the list at the end of its time, and is reported until it can be read and expires', async () => {
    const world = await aStage(aReservedCall(), { rate: 'unreadable', dial_by: secondsAfter(START, 60) });
    await expect(world.dialCall()).rejects.toThrow();
    expect(world.broken()).not.toHaveProperty('waiting_turn');
    world.pass(60);
    expect(await world.recover()).toMatchObject({ failed: 1 });
    world.put('calls', { ...world.broken(), rate: 1_000 });
    expect(await world.recover()).toMatchObject({ failed: 0, expire: 1 });
  });

  it('blocks no others, even if its place cannot be read either', async () => {
    const world = await aStage(aCall({ dial_by: LATER }), { status: NEWER, dial_by: 0 });
    expect(await world.handOver({ org_id: ORG, at: world.now })).toBe(1);
    expect(world.stored(OTHER).unfinished).toBe('reserved');
  });

  it('is distinguished from a call that was erased while it was about to get a line', async () => {
    const world = callWorld([aCall(), aCall({ call_id: OTHER, dial_after: secondsAfter(START, 1) })]);
    world.deps.stageSlots = 1;
    world.pass(1);
    const tombstone = { call_id: CALL, erased_of: ORG, erased_at: START };
    world.hooks.before = (operation) => {
      if (operation !== 'TransactWrite') return;
      delete world.hooks.before;
      world.put('calls', tombstone);
    };
    expect(await world.handOver({ org_id: ORG, at: START })).toBe(1);
    expect([world.stored(OTHER).unfinished, world.find('calls', { call_id: CALL })]).toEqual(['reserved', tombstone]);
  });

  it('is distinguished from a call whose read the database refused', async () => {
    const world = await aStage(aReservedCall(), {});
    world.hooks.before = (operation) => {
      if (operation !== 'Get') return;
      delete world.hooks.before;
      throw new Error('throttled');
    };
    const before = world.broken();
    await expect(world.dialCall()).rejects.toThrow('throttled');
    expect(world.broken()).toEqual(before);
  });
});
