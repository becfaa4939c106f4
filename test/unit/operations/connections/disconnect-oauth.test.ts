import { describe, expect, it } from '@jest/globals';
import { ReconnectNeeded } from '../../../../shared/domain/connections/access-errors.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { disconnectOauthConnection } from '../../../../shared/operations/connections/disconnect-oauth-connection.ts';
import { connectionChannelStore } from '../../../../shared/stores/connections/connection-channels.ts';
import { aWatchedConnection, GRANT, START } from '../../support/watched-connection.ts';

/** A connection with its channel, and the accounts server that its grant is from. */
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
    channels: { disconnect: connectionChannelStore(world.db, 'connections').disconnect },
    accounts: {
      revoke: async (_server: string, token: string) => {
        revoked.push(token);
        return remote.revokes;
      },
    },
    tokens: { open: async (id: string, sealed: string) => `${sealed} of ${id}` },
  };
  return { world, revoked, remote, disconnect: () => disconnectOauthConnection(deps, world.row) };
}

const WHAT_STAYS = {
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'crm-b',
  created_at: START,
  auto_call: true,
  settings: { exclude_sunday: true },
  last_delivery_at: START,
};

describe('disconnecting', () => {
  it('ends channel and grant at the provider, and leaves settings and history alone', async () => {
    const { world, revoked, disconnect } = await connected();
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels).toEqual([]);
    expect(revoked).toEqual(['sealed of conn_1']);
    expect(world.row).toEqual(WHAT_STAYS);
  });

  it('again does nothing, and says so', async () => {
    const { disconnect } = await connected();
    await disconnect();
    expect(await disconnect()).toEqual({ channel: 'none', grant: 'none' });
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)(
    'takes all away here where the provider does nothing: %s',
    async (kind) => {
      const { world, remote, disconnect } = await connected();
      remote.revokes = false;
      world.answers.set('list', { kind, reason: 'x' });
      world.answers.set('stop', { kind, reason: 'x' });
      expect(await disconnect()).toEqual({ channel: 'not_stopped', grant: 'not_revoked' });
      expect(world.row).toEqual(WHAT_STAYS);
    },
  );

  it('stops its channel where the provider lists none without an id', async () => {
    const { world, disconnect } = await connected();
    world.answers.set('list', { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' });
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
    expect(world.channels).toEqual([]);
  });

  it('works where the grant is gone already', async () => {
    const { world, disconnect } = await connected();
    for (const asked of ['list', 'stop']) world.answers.set(asked, new ReconnectNeeded('revoked'));
    expect(await disconnect()).toEqual({ channel: 'not_stopped', grant: 'revoked' });
    expect(world.row).toEqual(WHAT_STAYS);
  });

  it('is not taken for overtaken where the database hears of the write twice', async () => {
    const { world, disconnect } = await connected();
    world.repeatWrites();
    expect(await disconnect()).toEqual({ channel: 'stopped', grant: 'revoked' });
  });

  it('leaves a new consent alone that came between', async () => {
    const { world, disconnect } = await connected();
    const disconnecting = disconnect();
    world.row = { ...world.row, grant: { ...GRANT, id: 'grant-2' } };
    expect(await disconnecting).toBeUndefined();
    expect(world.row.grant?.id).toBe('grant-2');
  });

  it.each([1, 2])('that dies at its step %d is done again', async (step) => {
    const { world, disconnect } = await connected();
    await world.dyingAt(step, true, disconnect);
    await disconnect();
    expect(world.row).toEqual(WHAT_STAYS);
    expect(world.channels).toEqual([]);
  });
});
