import { isTokenOf } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { auditConnection } from '../../../../shared/operations/connections/steps/audit-connection.ts';
import {
  anArmedConnection,
  arm,
  aSilentConnection,
  aWatchedConnection,
  check,
  DAY,
  expectInOrder,
  expectRepaired,
  GRANT,
  MINUTE,
  renew,
  type WatchedConnection,
} from '../../support/watched-connection.ts';
import { PUBLIC_URL, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

describe('arming a watch channel', () => {
  it('creates a channel for six days, and stores only the hash of its token', async () => {
    const world = await anArmedConnection();
    expectInOrder(world);
    const [channel] = world.channels();
    expect(channel).toMatchObject({
      notify_url: `${PUBLIC_URL}/api/webhooks/crm-b/conn_1`,
      expires_at: secondsAfter(START, 6 * DAY),
    });
    expect(channel?.token).toHaveLength(43);
    expect(JSON.stringify(world.row())).not.toContain(channel?.token);
    expect(world.row().channel?.armed_at).toBe(START);
  });

  it("stores the expiry in the CRM's answer", async () => {
    const world = aWatchedConnection();
    const expires_at = secondsAfter(START, 3600);
    world.answers.set('arm', { kind: 'armed', expires_at });
    expect(await arm(world)).toBe(true);
    expect(world.row().channel?.expires_at).toBe(expires_at);
  });

  it('replaces the former channel and revokes its token at once', async () => {
    const world = await anArmedConnection(MINUTE);
    const former = world.channels()[0]?.token;
    expect(await arm(world)).toBe(true);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
    await expectRepaired(world);
  });

  it('loses no change that the former channel had not yet notified', async () => {
    const world = await anArmedConnection(3600);
    world.silence();
    world.edit('under way');
    world.pass(MINUTE);
    expect(await arm(world)).toBe(true);
    expect(await check(world, 15 * MINUTE)).toMatchObject({ active: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['under way']);
    expectInOrder(world);
  });

  it('accepts the token of a dead channel for another ten minutes', async () => {
    const world = await anArmedConnection();
    const former = world.channels()[0]?.token;
    expect(await arm(world, true)).toBe(true);
    await expectRepaired(world);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(true);
    world.pass(10 * MINUTE);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
  });

  it.each(['refused', 'unavailable'] as const)('does not change the channel if the CRM answers %s', async (kind) => {
    const world = await anArmedConnection();
    const before = structuredClone(world.row());
    world.answers.set('arm', { kind, reason: 'LIMIT_REACHED' });
    expect(await arm(world)).toBe(false);
    expect(world.row()).toEqual({ ...before, catch_up_from: expect.any(String) });
    expect(world.warnings()).toEqual(['the watch channel could not be armed: LIMIT_REACHED']);
  });

  it('accepts deliveries of a new channel even if the outcome of its arming is unknown', async () => {
    const world = await anArmedConnection();
    const before = structuredClone(world.row());
    world.answers.set('arm', { kind: 'unknown', reason: 'ETIMEDOUT' });
    expect(await arm(world)).toBe(false);
    expect(world.row()).toEqual({
      ...before,
      pending_token_hashes: [expect.any(String)],
      catch_up_from: expect.any(String),
    });
  });

  it('has no effect without a grant, or for another type of connection', async () => {
    const world = aWatchedConnection();
    world.change({}, 'grant');
    expect(await arm(world)).toBe(false);
    world.change({ type: 'help-desk', grant: GRANT });
    expect(await arm(world)).toBe(false);
    expect(world.channels()).toEqual([]);
  });

  it('stops without an error if the grant is revoked', async () => {
    const world = aWatchedConnection();
    world.answers.set('arm', { kind: 'reconnect_needed', reason: 'revoked' });
    expect(await arm(world)).toBe(false);
    expect(world.row().pending_token_hashes).toBeUndefined();
  });

  it('stops its own channel if a new consent arrived in between', async () => {
    const world = aWatchedConnection();
    const { arm: armAtCrm } = world.deps.watch;
    world.deps.watch.arm = async (...args) => {
      const outcome = await armAtCrm(...args);
      world.change({ grant: { ...GRANT, id: 'grant-2' } }, 'pending_token_hashes');
      return outcome;
    };
    expect(await arm(world)).toBe(false);
    const { channel, token_hash } = world.row();
    expect([channel, token_hash, world.channels()]).toEqual([undefined, undefined, []]);
  });

  it('succeeds if the SDK repeats its writes', async () => {
    const world = await anArmedConnection(MINUTE);
    world.repeatWrites();
    expect(await arm(world)).toBe(true);
    await expectRepaired(world);
    world.loseChannels();
    expect(await check(world, MINUTE)).toMatchObject({ inactive: 1, armed: 1 });
    expectInOrder(world);
  });

  it('fails if another arming is faster, and a write depends on it', async () => {
    const world = await anArmedConnection();
    const { arm: armAtCrm } = world.deps.watch;
    world.deps.watch.arm = async (...args) => {
      const outcome = await armAtCrm(...args);
      world.deps.watch.arm = armAtCrm;
      await arm(world, true);
      return outcome;
    };
    const write = auditConnection(
      { ...world.common, newToken: () => 'token' },
      { kind: 'operator', name: 'ravi' },
      world.row(),
      'connection.token_replaced',
    );
    const extraWrite = { transact: world.common.transact, write };
    expect(await armChannel(world.deps, 'conn_1', { extraWrite })).toBe(false);
    expect(world.auditEntries()).toEqual([]);
    expect(await armChannel(world.deps, 'conn_1', { extraWrite })).toBe(true);
    expect(world.auditEntries()).toHaveLength(1);
    await expectRepaired(world);
  });

  it('results in one channel with a valid token if it runs twice at once', async () => {
    const world = await anArmedConnection();
    expect(await Promise.all([arm(world), arm(world)])).toEqual([true, true]);
    await expectRepaired(world);
  });
});

const expired = () => anArmedConnection(6 * DAY + 1);
async function aLostChannel() {
  const world = await anArmedConnection();
  world.loseChannels();
  world.pass(15 * MINUTE);
  return world;
}

/** Every operation that arms a channel. */
const armings: [string, () => Promise<WatchedConnection>, (world: WatchedConnection) => Promise<unknown>][] = [
  ['the first arming', async () => aWatchedConnection(), (world) => arm(world)],
  ['a rotation', anArmedConnection, (world) => arm(world)],
  ['the check of an expired channel', expired, (world) => check(world)],
  ['the check of a lost channel', aLostChannel, (world) => check(world)],
  ['the check of a silent channel', aSilentConnection, (world) => check(world)],
  ['a renewal that comes too late', expired, (world) => renew(world)],
];

describe.each(armings)('%s, wherever its process dies', (_name, begin, work) => {
  it('is repaired by the next check: one channel, no delivery refused, every change caught up on', async () => {
    const beginMissing = async () => {
      const world = await begin();
      world.pass(MINUTE);
      // A lead that changes before the first channel need not be caught up on.
      const isMissed = world.row().channel !== undefined && world.channels().every(({ isSilent }) => isSilent);
      const missed = isMissed ? ['missed'] : [];
      for (const lead of missed) world.edit(lead);
      world.pass(MINUTE);
      return Object.assign(world, { missed });
    };
    for await (const [world, cut] of worldThatDies(beginMissing, work)) {
      const live = world.channels().filter(({ isSilent }) => !isSilent);
      const accepted = live.filter(({ token }) => isTokenOf(world.row(), token, world.deps.now()));
      expect([cut, accepted.length > 0]).toEqual([cut, live.length > 0]);

      await check(world, 15 * MINUTE);
      await expectRepaired(world);
      expect(world.caughtUp()).toEqual(expect.arrayContaining(world.missed));
      // One event per lead and gap, however often it was queued.
      const queued = world.queued.map(({ message }) => message);
      const events = new Set(queued.map(({ event_id, lead }) => `${event_id} ${lead.lead_id}`));
      expect([cut, events.size]).toEqual([cut, new Set(queued.map(({ lead }) => lead.lead_id)).size]);
    }
  });
});
