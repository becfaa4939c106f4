import type { ConnectionChannelStore } from '../../../../shared/stores/connections/connection-channels.ts';
import { anArmedConnection, GRANT } from '../../support/watched-connection.ts';
import { START } from '../../support/worlds/world.ts';

const granted = { connectionId: 'conn_1', grantId: GRANT.id };
const channel = { id: 'former', armed_at: START, expires_at: START };
const hashes = { stored: ['0'], read: ['1'] };

/** Every write about a channel, based on a read from before another worker changed the connection. */
const writes: [string, (channels: ConnectionChannelStore) => Promise<boolean>][] = [
  ['pending tokens', (channels) => channels.setPending(granted, hashes.read, ['2'])],
  ['an armed channel', (channels) => channels.promote(granted, '1', channel, undefined)],
  ['an expiry', (channels) => channels.noteExpiry(granted, channel, START)],
  ['a silence', (channels) => channels.noteSilence(granted, '2026-03-02T06:30:00.000Z')],
  [
    'a gap that was caught up on',
    (channels) => channels.closeGap(granted, '2026-03-02T05:00:00.000Z', '2026-03-02T05:00:00.000Z'),
  ],
];
const check: (typeof writes)[number] = [
  'a check',
  (channels) => channels.noteCheck(granted, { at: START, status: 'active' }),
];

async function aChangedConnection() {
  const world = await anArmedConnection();
  world.change({ pending_token_hashes: hashes.stored, silent_since: START, catch_up_from: START });
  return world;
}

it('a gap stays if a lead was left to it at the exact instant up to which it was caught up on', async () => {
  const world = await anArmedConnection();
  const [from, instant] = ['2026-03-02T05:00:00.000Z', '2026-03-02T05:30:00.000Z'];
  world.change({ catch_up_from: from, catch_up_to: instant });
  expect(await world.stores.channels.closeGap(granted, from, instant)).toBe(false);
  expect(await world.stores.channels.closeGap(granted, from, '2026-03-02T05:30:00.001Z')).toBe(true);
});

describe('a worker that was overtaken', () => {
  it.each(writes)('does not store %s over the changes of another worker', async (_name, write) => {
    const world = await aChangedConnection();
    const before = world.row();
    expect(await write(world.stores.channels)).toBe(false);
    expect(world.row()).toEqual(before);
  });

  it.each([...writes, check])('does not store %s under a new grant', async (_name, write) => {
    const world = await anArmedConnection();
    // Only the grant has changed since the worker read the connection.
    world.change(
      {
        grant: { ...GRANT, id: 'grant-2' },
        pending_token_hashes: hashes.read,
        channel,
        catch_up_from: '2026-03-02T05:00:00.000Z',
      },
      'silent_since',
    );
    const before = world.row();
    expect(await write(world.stores.channels)).toBe(false);
    expect(world.row()).toEqual(before);
  });
});
