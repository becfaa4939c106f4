import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { endConsent } from '../../../../shared/operations/connections/steps/end-consent.ts';
import { aWatchedConnection, GRANT } from '../../support/watched-connection.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** A connection with its channel, and the accounts server of its grant. */
async function connected() {
  const world = aWatchedConnection({
    access: { version: 1, token: 'sealed', expires_at: START },
    silent_since: START,
    catch_up_from: START,
    missed_sweep: { at: START },
    settings: { exclude_sunday: true },
    last_delivery_at: START,
  });
  await armChannel(world.deps, 'conn_1');
  const revoked: string[] = [];
  const remote = { revokes: true };
  const deps = {
    ...world.deps,
    channels: world.stores.channels,
    transact: world.common.transact,
    accounts: world.outside({
      revoke: async (_server: string, token: string) => {
        revoked.push(token);
        return remote.revokes;
      },
    }),
    tokens: world.common.tokens,
    sleep: () => new Promise<never>(() => undefined),
  };
  return Object.assign(world, { revoked, remote, disconnect: () => endConsent(deps, world.row()) });
}

const REMAINING = aConnection({ settings: { exclude_sunday: true }, last_delivery_at: START });

describe('disconnecting', () => {
  it('ends channel and grant at the provider, but keeps settings and history', async () => {
    const world = await connected();
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
    expect(world.revoked).toEqual(['refresh-1']);
    expect(world.row()).toEqual(REMAINING);
  });

  it('ends a pending consent, too', async () => {
    const world = await connected();
    const pending_consent = {
      id: 'pending-1',
      grant: aGrant({ id: 'grant-2', refresh_token: 'conn_1:refresh-2' }),
      access: { version: 1, token: 'conn_1:access-2', expires_at: START },
      begun_by: { kind: 'operator' as const, name: 'asha' },
      at: START,
      expires_at: START,
    };
    world.put('connections', { ...world.row(), pending_consent });
    await world.disconnect();
    expect(world.revoked.sort()).toEqual(['refresh-1', 'refresh-2']);
    expect(world.row()).toEqual(REMAINING);
  });

  it('has no effect the second time, and reports that', async () => {
    const world = await connected();
    await world.disconnect();
    expect(await world.disconnect()).toEqual({ channel: 'none', grant: 'none' });
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)(
    'removes our stored data even if the provider fails: %s',
    async (kind) => {
      const world = await connected();
      world.remote.revokes = false;
      world.answers.set('list', { kind, reason: 'x' });
      world.answers.set('stop', { kind, reason: 'x' });
      expect(await world.disconnect()).toEqual({ channel: 'not_stopped', grant: 'not_revoked' });
      expect(world.row()).toEqual(REMAINING);
    },
  );

  it('stops its own channel if the provider does not list all channels', async () => {
    const world = await connected();
    world.answers.set('list', { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' });
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
  });

  it('stops its own channel even if the list of the provider omits it', async () => {
    const world = await connected();
    world.answers.set('list', { kind: 'listed', channels: [] });
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
  });

  it('also stops channels that crashed armings left behind', async () => {
    const world = await connected();
    const [{ notify_url: notifyUrl = '' } = {}] = world.channels();
    const access = world.deps.accessTo(world.row());
    await world.deps.watch.arm(access, { id: '7', token: 't', notifyUrl, expiresAt: new Date(world.ms + 60_000) });
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels()).toEqual([]);
  });

  it('counts a channel that has expired at the provider as ended', async () => {
    const world = await connected();
    world.loseChannels();
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
  });

  it('finds no channel of a connection without one', async () => {
    const world = await connected();
    world.change({}, 'channel');
    world.loseChannels();
    expect(await world.disconnect()).toEqual({ channel: 'none', grant: 'revoked' });
  });

  it('works if the grant is already revoked', async () => {
    const world = await connected();
    for (const request of ['list', 'stop']) world.answers.set(request, { kind: 'reconnect_needed', reason: 'revoked' });
    expect(await world.disconnect()).toEqual({ channel: 'not_stopped', grant: 'revoked' });
    expect(world.row()).toEqual(REMAINING);
  });

  it('reports success if the SDK repeats its write', async () => {
    const world = await connected();
    world.repeatWrites();
    expect(await world.disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
  });

  it('does not remove a new consent that arrived in between', async () => {
    const world = await connected();
    const disconnecting = world.disconnect();
    world.change({ grant: { ...GRANT, id: 'grant-2' } });
    expect(await disconnecting).toBeUndefined();
    expect(world.row().grant?.id).toBe('grant-2');
  });

  it('can be repeated, wherever its process dies', async () => {
    for await (const [world, cut] of worldThatDies(connected, (each) => each.disconnect())) {
      await world.disconnect();
      expect({ cut, row: world.row(), channels: world.channels() }).toEqual({ cut, row: REMAINING, channels: [] });
    }
  });
});
