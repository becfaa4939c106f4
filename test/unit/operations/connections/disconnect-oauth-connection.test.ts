import { describe, expect, it } from '@jest/globals';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { disconnectOauthConnection } from '../../../../shared/operations/connections/disconnect-oauth-connection.ts';
import { aConnection } from '../../support/items.ts';
import { aWatchedConnection, GRANT } from '../../support/watched-connection.ts';
import { START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

/** A connection with its channel, and the accounts server of its grant. */
async function connected() {
  const world = aWatchedConnection({
    access: { version: 1, token: 'sealed', expires_at: START },
    silent_since: START,
    catch_up_from: START,
    settings: { exclude_sunday: true },
    last_delivery_at: START,
  });
  await armChannel(world.deps, 'conn_1');
  const revoked: string[] = [];
  const remote = { revokes: true };
  const deps = {
    ...world.deps,
    channels: world.stores.channels,
    accounts: world.outside({
      revoke: async (_server: string, token: string) => {
        revoked.push(token);
        return remote.revokes;
      },
    }),
    tokens: world.common.tokens,
  };
  return { world, revoked, remote, disconnect: () => disconnectOauthConnection(deps, world.row()) };
}

const WHAT_STAYS = aConnection({ settings: { exclude_sunday: true }, last_delivery_at: START });

describe('disconnecting', () => {
  it('ends channel and grant at the provider, but not settings and history', async () => {
    const { world, revoked, disconnect } = await connected();
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
    expect(revoked).toEqual(['refresh-1']);
    expect(world.row()).toEqual(WHAT_STAYS);
  });

  it('has no effect the second time, and reports that', async () => {
    const { disconnect } = await connected();
    await disconnect();
    expect(await disconnect()).toEqual({ channel: 'none', grant: 'none' });
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)(
    'removes our stored data even if the provider fails: %s',
    async (kind) => {
      const { world, remote, disconnect } = await connected();
      remote.revokes = false;
      world.answers.set('list', { kind, reason: 'x' });
      world.answers.set('stop', { kind, reason: 'x' });
      expect(await disconnect()).toEqual({ channel: 'not_stopped', grant: 'not_revoked' });
      expect(world.row()).toEqual(WHAT_STAYS);
    },
  );

  it('stops its own channel if the provider does not list all channels', async () => {
    const { world, disconnect } = await connected();
    world.answers.set('list', { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' });
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
  });

  it('works if the grant is already revoked', async () => {
    const { world, disconnect } = await connected();
    for (const asked of ['list', 'stop']) world.answers.set(asked, { kind: 'reconnect_needed', reason: 'revoked' });
    expect(await disconnect()).toEqual({ channel: 'not_stopped', grant: 'revoked' });
    expect(world.row()).toEqual(WHAT_STAYS);
  });

  it('reports success if the SDK repeats its write', async () => {
    const { world, disconnect } = await connected();
    world.repeatWrites();
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
  });

  it('does not remove a new consent that arrived meanwhile', async () => {
    const { world, disconnect } = await connected();
    const disconnecting = disconnect();
    world.change({ grant: { ...GRANT, id: 'grant-2' } });
    expect(await disconnecting).toBeUndefined();
    expect(world.row().grant?.id).toBe('grant-2');
  });

  it('can be repeated, wherever its process dies', async () => {
    const begin = async () => {
      const { world, disconnect } = await connected();
      return Object.assign(world, { disconnect });
    };
    for await (const [world, cut] of worldThatDies(begin, (each) => each.disconnect())) {
      await world.disconnect();
      expect({ cut, row: world.row(), channels: world.channels() }).toEqual({ cut, row: WHAT_STAYS, channels: [] });
    }
  });
});
