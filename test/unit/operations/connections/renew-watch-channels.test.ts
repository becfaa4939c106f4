import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import {
  anArmedConnection,
  check,
  DAY,
  expectInOrder,
  expectRepaired,
  renew,
} from '../../support/watched-connection.ts';
import { START } from '../../support/worlds/world.ts';

describe('renewing watch channels', () => {
  it('extends a channel to six days if less than three are left', async () => {
    const world = await anArmedConnection(3 * DAY);
    expect(await renew(world)).toMatchObject({ looked_at: 1, renewed: 0 });
    expect(await renew(world, 1)).toMatchObject({ looked_at: 1, renewed: 1, armed: 0, refused: 0 });
    expect(world.row().channel).toMatchObject({ armed_at: START, expires_at: secondsAfter(START, 9 * DAY + 1) });
    expectInOrder(world);
  });

  it('arms a new channel if the CRM no longer has the old one', async () => {
    const world = await anArmedConnection(4 * DAY);
    world.loseChannels();
    expect(await renew(world)).toMatchObject({ renewed: 0, armed: 1 });
    await expectRepaired(world);
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)(
    'retries at the next run if the CRM answers %s',
    async (kind) => {
      const world = await anArmedConnection(4 * DAY);
      world.answers.set('renew', { kind, reason: 'x' });
      expect(await renew(world)).toMatchObject({ renewed: 0, refused: 1 });
      world.answers.clear();
      expect(await renew(world, 6 * 3600)).toMatchObject({ renewed: 1 });
      expectInOrder(world);
    },
  );

  it('reports that a revoked grant needs a new consent', async () => {
    const world = await anArmedConnection();
    world.pass(4 * DAY);
    world.answers.set('renew', { kind: 'reconnect_needed', reason: 'revoked' });
    expect(await renew(world)).toMatchObject({ renewed: 0, refused: 0, needs_reconnect: 1 });
  });

  it('skips a connection without a grant or with a needed consent', async () => {
    const world = await anArmedConnection(4 * DAY);
    world.change({ reconnect_needed: { at: START, reason: 'revoked' } });
    expect(await renew(world)).toMatchObject({ looked_at: 0 });
    expect(await check(world)).toMatchObject({ looked_at: 0 });
    world.change({}, 'grant');
    expect(await check(world)).toMatchObject({ looked_at: 0 });
  });

  it('stops before its time ends, and continues if one connection fails', async () => {
    const world = await anArmedConnection(4 * DAY);
    world.deps.connections.idsOfType = async function* () {
      yield* ['conn_0', 'conn_1'];
    };
    const { get } = world.deps.connections;
    world.deps.connections.get = async (id) => {
      if (id === 'conn_0') throw new Error('throttled');
      return get(id);
    };
    expect(await renew(world)).toMatchObject({ looked_at: 1, renewed: 1, failed: 1, complete: true });
    world.deps.timeLeftMs = () => 100_000;
    expect(await renew(world)).toMatchObject({ looked_at: 0, complete: false });
  });
});

describe('a run without time for all connections', () => {
  it('starts with a random connection, so that every connection is reached eventually', async () => {
    const world = await anArmedConnection();
    const { deps } = world;
    const ids = ['conn_0', 'conn_1', 'conn_2', 'conn_3'];
    deps.connections.idsOfType = async function* () {
      yield* ids;
    };
    const reached = new Set<string>();
    for (const random of [0, 0.25, 0.5, 0.999]) {
      let turns = 0;
      deps.random = () => random;
      deps.timeLeftMs = () => (turns++ === 0 ? 300_000 : 0);
      deps.connections.get = async (id) => {
        reached.add(id);
        return undefined;
      };
      expect(await renew(world)).toMatchObject({ complete: false });
    }
    expect([...reached].sort()).toEqual(ids);
  });
});
