import { describe, expect, it } from '@jest/globals';
import { ReconnectNeeded } from '../../../../shared/domain/connections/crm-access.ts';
import { hashWebhookToken, isTokenOf } from '../../../../shared/domain/connections/webhook-token.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { checkWatchChannels } from '../../../../shared/operations/connections/check-watch-channels.ts';
import { renewWatchChannels } from '../../../../shared/operations/connections/renew-watch-channels.ts';
import { aWatchedConnection, GRANT, type WatchedConnection } from '../../support/watched-connection.ts';
import { PUBLIC_URL, START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const DAY = 86_400;
const MINUTE = 60;

const arm = ({ deps }: WatchedConnection, keepsFormer = false) => armChannel(deps, 'conn_1', { keepsFormer });
const check = ({ deps }: WatchedConnection) => checkWatchChannels(deps);
const renew = ({ deps }: WatchedConnection) => renewWatchChannels(deps);

/** A connection whose channel was armed as after a consent. */
async function armed(): Promise<WatchedConnection> {
  const world = aWatchedConnection();
  expect(await arm(world)).toBe(true);
  return world;
}

/** One channel at the CRM, the connection's own, whose token counts, and nothing left of any arming. */
function expectInOrder(world: WatchedConnection) {
  const [row, channels] = [world.row(), world.channels()];
  expect(channels).toHaveLength(1);
  expect(channels[0]).toMatchObject({ id: row.channel?.id, expires_at: row.channel?.expires_at });
  expect(row.token_hash).toBe(hashWebhookToken(channels[0]?.token ?? ''));
  expect(row.pending_token_hashes).toBeUndefined();
  expect(row.channel_check?.status).toBe('active');
  expect(row.catch_up_from).toBeUndefined();
  expect(isTokenOf(row, channels[0]?.token, world.deps.now())).toBe(true);
}

describe('arming a watch channel', () => {
  it('makes one for six days, with a token that only the CRM and its hash know', async () => {
    const world = await armed();
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

  it('keeps the expiry that the CRM answered', async () => {
    const world = aWatchedConnection();
    const expires_at = secondsAfter(START, 3600);
    world.answers.set('arm', { kind: 'armed', expires_at });
    expect(await arm(world)).toBe(true);
    expect(world.row().channel?.expires_at).toBe(expires_at);
  });

  it('takes the place of the channel before: its token ends at once', async () => {
    const world = await armed();
    const former = world.channels()[0]?.token;
    world.pass(MINUTE);
    expect(await arm(world)).toBe(true);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
    await check(world);
    expectInOrder(world);
  });

  it('loses no change that the channel before had not told yet', async () => {
    const world = await armed();
    world.pass(3600);
    world.silence();
    world.edit('under way');
    world.pass(MINUTE);
    expect(await arm(world)).toBe(true);
    world.pass(15 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['under way']);
    expectInOrder(world);
  });

  it('bears deliveries of a dead channel for ten minutes more', async () => {
    const world = await armed();
    const former = world.channels()[0]?.token;
    expect(await arm(world, true)).toBe(true);
    await check(world);
    expectInOrder(world);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(true);
    world.pass(10 * MINUTE);
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
  });

  it.each(['refused', 'unavailable'] as const)('that is %s leaves the channel as it was', async (kind) => {
    const world = await armed();
    const before = structuredClone(world.row());
    world.answers.set('arm', { kind, reason: 'LIMIT_REACHED' });
    expect(await arm(world)).toBe(false);
    expect(world.row()).toEqual({ ...before, catch_up_from: expect.any(String) });
    expect(world.warnings()).toEqual(['the watch channel could not be armed: LIMIT_REACHED']);
  });

  it('that may have worked goes on taking what the new channel delivers', async () => {
    const world = await armed();
    const before = structuredClone(world.row());
    world.answers.set('arm', { kind: 'unknown', reason: 'ETIMEDOUT' });
    expect(await arm(world)).toBe(false);
    expect(world.row()).toEqual({
      ...before,
      pending_token_hashes: [expect.any(String)],
      catch_up_from: expect.any(String),
    });
  });

  it('is not tried without a grant, nor for another kind of connection', async () => {
    const world = aWatchedConnection();
    world.change({}, 'grant');
    expect(await arm(world)).toBe(false);
    world.change({ type: 'help-desk', grant: GRANT });
    expect(await arm(world)).toBe(false);
    expect(world.channels()).toEqual([]);
  });

  it('is given up quietly where the grant is gone', async () => {
    const world = aWatchedConnection();
    world.answers.set('arm', new ReconnectNeeded('revoked'));
    expect(await arm(world)).toBe(false);
    expect(world.row().pending_token_hashes).toBeUndefined();
  });

  it('writes nothing about a channel over a new consent, and stops it', async () => {
    const world = aWatchedConnection();
    const { arm: armAtCrm } = world.deps.watch;
    world.deps.watch.arm = async (...args) => {
      const outcome = await armAtCrm(...args);
      world.change({ grant: { ...GRANT, id: 'grant-2' } }, 'pending_token_hashes');
      return outcome;
    };
    expect(await arm(world)).toBe(false);
    expect(world.row().channel).toBeUndefined();
    expect(world.row().token_hash).toBeUndefined();
    expect(world.channels()).toEqual([]);
  });

  it('is not taken for failed where the database hears of each write twice', async () => {
    const world = await armed();
    world.repeatWrites();
    world.pass(MINUTE);
    expect(await arm(world)).toBe(true);
    await check(world);
    expectInOrder(world);
    world.loseChannels();
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    expectInOrder(world);
  });

  it('twice at once ends with one channel, whose token counts', async () => {
    const world = await armed();
    expect(await Promise.all([arm(world), arm(world)])).toEqual([true, true]);
    await check(world);
    expectInOrder(world);
  });
});

/** Ways to an arming. */
const armings: Record<
  string,
  { begin: () => Promise<WatchedConnection>; work: (world: WatchedConnection) => Promise<unknown> }
> = {
  'the first arming': { begin: async () => aWatchedConnection(), work: (world) => arm(world) },
  'a rotation': { begin: armed, work: (world) => arm(world) },
  'the check of an expired channel': {
    begin: async () => {
      const world = await armed();
      world.pass(6 * DAY + 1);
      return world;
    },
    work: check,
  },
  'the check of a lost channel': {
    begin: async () => {
      const world = await armed();
      world.loseChannels();
      world.pass(15 * MINUTE);
      return world;
    },
    work: check,
  },
  'the check of a silent channel': {
    begin: async () => {
      const world = await armed();
      world.silence();
      world.pass(2 * MINUTE);
      world.edit('silent');
      world.pass(20 * MINUTE);
      return world;
    },
    work: check,
  },
  'a renewal that comes too late': {
    begin: async () => {
      const world = await armed();
      world.pass(6 * DAY + 1);
      return world;
    },
    work: renew,
  },
};

describe.each(Object.entries(armings))('%s, dying anywhere', (_, { begin, work }) => {
  it('is healed by the next check: one channel, no delivery refused, every change known', async () => {
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

      world.pass(15 * MINUTE);
      await check(world);
      await check(world);
      expectInOrder(world);
      expect(world.caughtUp()).toEqual(expect.arrayContaining(world.missed));
      // One event per lead and gap, however often it was queued.
      const queued = world.queued.map(({ message }) => message);
      const events = new Set(queued.map(({ event_id, lead }) => `${event_id} ${lead.lead_id}`));
      expect([cut, events.size]).toEqual([cut, new Set(queued.map(({ lead }) => lead.lead_id)).size]);
    }
  });
});

describe('renewing watch channels', () => {
  it('leaves one with three days alone, and gives six more to one with less', async () => {
    const world = await armed();
    world.pass(3 * DAY);
    expect(await renew(world)).toMatchObject({ looked_at: 1, renewed: 0 });
    world.pass(1);
    expect(await renew(world)).toMatchObject({ looked_at: 1, renewed: 1, armed: 0, refused: 0 });
    expect(world.row().channel).toMatchObject({ armed_at: START, expires_at: secondsAfter(START, 9 * DAY + 1) });
    expectInOrder(world);
  });

  it('arms anew what the CRM knows no more', async () => {
    const world = await armed();
    world.pass(4 * DAY);
    world.loseChannels();
    expect(await renew(world)).toMatchObject({ renewed: 0, armed: 1 });
    await check(world);
    expectInOrder(world);
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)(
    'tries again at the next run where it was %s',
    async (kind) => {
      const world = await armed();
      world.pass(4 * DAY);
      world.answers.set('renew', { kind, reason: 'x' });
      expect(await renew(world)).toMatchObject({ renewed: 0, refused: 1 });
      world.answers.clear();
      world.pass(6 * 3600);
      expect(await renew(world)).toMatchObject({ renewed: 1 });
      expectInOrder(world);
    },
  );

  it('does not ask for a connection without grant, nor for one that needs a person', async () => {
    const world = await armed();
    world.pass(4 * DAY);
    world.change({ reconnect_needed: { at: START, reason: 'revoked' } });
    expect(await renew(world)).toMatchObject({ looked_at: 0 });
    expect(await check(world)).toMatchObject({ looked_at: 0 });
    world.change({}, 'grant');
    expect(await check(world)).toMatchObject({ looked_at: 0 });
  });

  it('stops in time, and one failure stops no other', async () => {
    const world = await armed();
    world.pass(4 * DAY);
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

describe('a run without time for every connection', () => {
  it('begins with another one than the run before, so that none is left out for good', async () => {
    const world = await armed();
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
      expect(await renewWatchChannels(deps)).toMatchObject({ complete: false });
    }
    expect([...reached].sort()).toEqual(ids);
  });
});

describe('checking watch channels', () => {
  it('finds an active one active, and writes down when it looked', async () => {
    const world = await armed();
    world.pass(15 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, armed: 0, caught_up: 0, failed: 0 });
    expect(world.row().channel_check).toEqual({ at: secondsAfter(START, 15 * MINUTE), status: 'active' });
  });

  it('takes over the expiry that the CRM tells', async () => {
    const world = await armed();
    const [channel] = world.channels();
    if (channel) channel.expires_at = secondsAfter(START, 7200);
    await check(world);
    expect(world.row().channel?.expires_at).toBe(secondsAfter(START, 7200));
  });

  it('arms what is not armed, and catches up from the consent on', async () => {
    const world = aWatchedConnection();
    world.pass(MINUTE);
    world.edit('early');
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ not_armed: 1, armed: 1, caught_up: 1 });
    expectInOrder(world);
  });

  it('arms anew where a new consent kept the channel of the one before: its token ends, as on every reconnect', async () => {
    const world = await armed();
    const former = world.channels()[0]?.token;
    world.pass(MINUTE);
    world.change({ grant: { ...GRANT, id: 'grant-2', granted_at: secondsAfter(START, MINUTE) } });
    world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
    expect(await arm(world)).toBe(false);
    world.answers.clear();
    world.pass(15 * MINUTE);
    expect(await check(world)).toMatchObject({ unfinished: 1, armed: 1 });
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
    await check(world);
    expectInOrder(world);
  });

  it.each([
    ['misses one of the events', { isComplete: false }],
    ['delivers to an address of before', { notify_url: 'https://old.example/api/webhooks/crm-b/conn_1' }],
  ])('replaces a channel that %s', async (_, changes) => {
    const world = await armed();
    Object.assign(world.channels()[0] ?? {}, changes);
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    await check(world);
    expectInOrder(world);
  });

  it('stops channels that no connection knows, and no other one', async () => {
    const world = await armed();
    const [own] = world.channels();
    const other = { ...own, id: '5', notify_url: 'https://svc.example/api/webhooks/crm-b/conn_2' };
    for (const stray of [{ ...own, id: '4' }, other])
      await world.deps.watch.arm(
        { apiDomain: '', token: async () => '' },
        { id: stray.id, token: 't', notifyUrl: stray.notify_url ?? '', expiresAt: new Date(secondsAfter(START, DAY)) },
      );
    expect(await check(world)).toMatchObject({ active: 1, stopped: 1 });
    expect(world.channels().map(({ id }) => id)).toEqual([own?.id, '5']);
  });

  it('needs no list of all channels', async () => {
    const world = await armed();
    const { list } = world.deps.watch;
    world.deps.watch.list = async (access, id) =>
      id === undefined ? { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' } : list(access, id);
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, stopped: 0 });
    world.loseChannels();
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    expectInOrder(world);
  });

  it('leaves alone what was armed anew while it asked', async () => {
    const world = await armed();
    const { list } = world.deps.watch;
    world.deps.watch.list = async (...args) => {
      world.deps.watch.list = list;
      await arm(world);
      return list(...args);
    };
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ inactive: 0, armed: 0 });
    await check(world);
    expectInOrder(world);
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)('writes down that it could not ask: %s', async (kind) => {
    const world = await armed();
    const { channel } = world.row();
    world.answers.set('list', { kind, reason: 'x' });
    expect(await check(world)).toMatchObject({ unchecked: 1, armed: 0, failed: 0 });
    expect(world.row().channel_check).toMatchObject({ status: 'unchecked', reason: expect.stringContaining('x') });
    expect(world.row().channel).toEqual(channel);
  });

  it('leaves a grant that is gone to whoever found it gone', async () => {
    const world = await armed();
    world.answers.set('list', new ReconnectNeeded('revoked'));
    expect(await check(world)).toMatchObject({ needs_reconnect: 1, failed: 0 });
    expect(world.warnings()).toEqual(['a connection needs a new consent: revoked']);
  });

  it('shows a channel that cannot be armed anew as inactive, and catches up by asking meanwhile', async () => {
    const world = await armed();
    world.loseChannels();
    world.pass(MINUTE);
    world.edit('one');
    world.pass(MINUTE);
    world.answers.set('arm', { kind: 'unavailable', reason: 'x' });
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 0, caught_up: 1 });
    expect(world.row().channel_check?.status).toBe('inactive');
    world.pass(14 * MINUTE);
    world.edit('two');
    world.pass(MINUTE);
    world.answers.clear();
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['one', 'two']);
    expectInOrder(world);
  });

  it('catches up later where the CRM cannot tell the leads now', async () => {
    const world = await armed();
    world.loseChannels();
    world.pass(MINUTE);
    world.edit('one');
    world.pass(MINUTE);
    world.answers.set('leadsChanged', { kind: 'unavailable', reason: 'x' });
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1, caught_up: 0 });
    world.pass(15 * MINUTE);
    world.answers.clear();
    expect(await check(world)).toMatchObject({ active: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['one']);
    expectInOrder(world);
  });

  it('catches up on a change whose notification was overtaken by another one, and then lost with the channel', async () => {
    const world = await armed();
    world.pass(3600);
    world.silence();
    world.edit('overtaken');
    world.silence(false);
    world.pass(MINUTE);
    world.edit('delivered');
    world.loseChannels();
    world.pass(15 * MINUTE);
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    expect(world.caughtUp()).toContain('overtaken');
    expectInOrder(world);
  });

  it('catches up once on a gap of a channel that delivers', async () => {
    const world = await armed();
    world.pass(3600);
    world.change({ catch_up_from: secondsAfter(START, 3000) });
    world.edit('refused by the queue');
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, caught_up: 1 });
    world.pass(MINUTE);
    world.edit('delivered');
    world.pass(14 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, caught_up: 0 });
    expectInOrder(world);
  });

  it('goes on after as many leads as a run queues', async () => {
    const world = await armed();
    const { leadsChanged } = world.deps;
    world.deps.leadsChanged = (access, span) => leadsChanged(access, span, 2);
    world.loseChannels();
    for (let lead = 0; lead < 5; lead += 1) {
      world.pass(MINUTE);
      world.edit(`lead-${lead}`);
    }
    for (let run = 0; run < 6; run += 1) await check(world);
    expect([...new Set(world.caughtUp())].sort()).toEqual([0, 1, 2, 3, 4].map((lead) => `lead-${lead}`));
    expectInOrder(world);
  });
});

describe('a silent channel', () => {
  it('is none while nothing changes, or what changed may still come', async () => {
    const world = await armed();
    world.silence();
    world.pass(DAY);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
    world.edit('young');
    world.pass(15 * MINUTE - 1);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
    world.pass(1);
    expect(await check(world)).toMatchObject({ silent: 1, armed: 1, caught_up: 1 });
  });

  it('is told as such until something is delivered, and armed anew', async () => {
    const world = await armed();
    world.silence();
    world.pass(5 * MINUTE);
    world.edit('missed');
    world.pass(16 * MINUTE);
    await check(world);
    expect(world.row().silent_since).toBe(secondsAfter(START, 5 * MINUTE));
    expectInOrder(world);
    world.pass(MINUTE);
    world.edit('delivered');
    expect(world.row().silent_since).toBeUndefined();
  });

  it('is armed anew once for what it missed, not at every run', async () => {
    const world = await armed();
    world.silence();
    world.pass(5 * MINUTE);
    world.edit('missed');
    world.pass(16 * MINUTE);
    await check(world);
    const { channel } = world.row();
    for (let run = 0; run < 5; run += 1) {
      world.pass(15 * MINUTE);
      expect(await check(world)).toMatchObject({ active: 1, silent: 0, caught_up: 0 });
    }
    expect(world.row().channel).toEqual(channel);
    expect(world.row().silent_since).toBeDefined();
    expect(world.queued).toHaveLength(1);
  });

  it('is armed anew again where leads change after that', async () => {
    const world = await armed();
    world.silence();
    world.pass(5 * MINUTE);
    world.edit('first');
    world.pass(16 * MINUTE);
    await check(world);
    world.silence();
    world.pass(5 * MINUTE);
    world.edit('second');
    world.pass(16 * MINUTE);
    expect(await check(world)).toMatchObject({ silent: 1, armed: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['first', 'second']);
  });

  it('is none where the change itself was delivered, and written down with another one of that minute', async () => {
    const world = await armed();
    world.pass(5 * MINUTE);
    world.edit('one');
    const { last_delivery_at } = world.row();
    world.pass(30);
    world.edit('two');
    world.change({ last_delivery_at: last_delivery_at as string });
    world.pass(20 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
  });

  it('tells new leads from edited ones, and keeps the day of their change for the count of calls', async () => {
    const world = await armed();
    world.silence();
    world.pass(5 * MINUTE);
    world.edit('new');
    world.edit('old', '2026-01-01T00:00:00.000Z');
    world.pass(16 * MINUTE);
    await check(world);
    expect(world.queued.map(({ message }) => message)).toEqual(
      [
        ['new', 'new_lead'],
        ['old', 'lead_edited'],
      ].map(([lead_id, event]) => ({
        event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        connection_id: 'conn_1',
        source: 'catch-up',
        event,
        test: false,
        at: secondsAfter(START, 21 * MINUTE),
        original_at: secondsAfter(START, 5 * MINUTE - 7200),
        lead: { lead_id, phones: [], do_not_call: false, fields: {} },
        payload_keys: [],
      })),
    );
  });
});
