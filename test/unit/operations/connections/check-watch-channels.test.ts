import { describe, expect, it } from '@jest/globals';
import { isTokenOf } from '../../../../shared/domain/connections/webhook-token.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aToken } from '../../../support/access-token.ts';
import {
  anArmedConnection,
  arm,
  aWatchedConnection,
  check,
  DAY,
  expectInOrder,
  GRANT,
  MINUTE,
} from '../../support/watched-connection.ts';
import { START } from '../../support/world.ts';

describe('checking watch channels', () => {
  it('confirms an active channel and stores the time of the check', async () => {
    const world = await anArmedConnection();
    world.pass(15 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, armed: 0, caught_up: 0, failed: 0 });
    expect(world.row().channel_check).toEqual({ at: secondsAfter(START, 15 * MINUTE), status: 'active' });
  });

  it('stores the expiry that the CRM lists', async () => {
    const world = await anArmedConnection();
    const [channel] = world.channels();
    if (channel) channel.expires_at = secondsAfter(START, 7200);
    await check(world);
    expect(world.row().channel?.expires_at).toBe(secondsAfter(START, 7200));
  });

  it('arms a missing channel, and catches up from the consent on', async () => {
    const world = aWatchedConnection();
    world.pass(MINUTE);
    world.edit('early');
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ not_armed: 1, armed: 1, caught_up: 1 });
    expectInOrder(world);
  });

  it('replaces a channel of the former consent and revokes its token', async () => {
    const world = await anArmedConnection();
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
    ['lacks one of the events', { isComplete: false }],
    ['delivers to a former address', { notify_url: 'https://old.example/api/webhooks/crm-b/conn_1' }],
  ])('replaces a channel that %s', async (_, changes) => {
    const world = await anArmedConnection();
    Object.assign(world.channels()[0] ?? {}, changes);
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    await check(world);
    expectInOrder(world);
  });

  it('stops channels that no connection uses, and no others', async () => {
    const world = await anArmedConnection();
    const [own] = world.channels();
    const other = { ...own, id: '5', notify_url: 'https://svc.example/api/webhooks/crm-b/conn_2' };
    for (const stray of [{ ...own, id: '4' }, other])
      await world.deps.watch.arm(
        { apiDomain: '', token: async () => aToken('') },
        { id: stray.id, token: 't', notifyUrl: stray.notify_url ?? '', expiresAt: new Date(secondsAfter(START, DAY)) },
      );
    expect(await check(world)).toMatchObject({ active: 1, stopped: 1 });
    expect(world.channels().map(({ id }) => id)).toEqual([own?.id, '5']);
  });

  it('works if the CRM does not list all channels', async () => {
    const world = await anArmedConnection();
    const { list } = world.deps.watch;
    world.deps.watch.list = async (access, id) =>
      id === undefined ? { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' } : list(access, id);
    world.pass(MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, stopped: 0 });
    world.loseChannels();
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    expectInOrder(world);
  });

  it('does not change a channel that was armed during the check', async () => {
    const world = await anArmedConnection();
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

  it.each(['unavailable', 'unknown', 'refused'] as const)('stores that the check failed: %s', async (kind) => {
    const world = await anArmedConnection();
    const { channel } = world.row();
    world.answers.set('list', { kind, reason: 'x' });
    expect(await check(world)).toMatchObject({ unchecked: 1, armed: 0, failed: 0 });
    expect(world.row().channel_check).toMatchObject({ status: 'unchecked', reason: expect.stringContaining('x') });
    expect(world.row().channel).toEqual(channel);
  });

  it('reports that a revoked grant needs a new consent', async () => {
    const world = await anArmedConnection();
    world.answers.set('list', { kind: 'reconnect_needed', reason: 'revoked' });
    expect(await check(world)).toMatchObject({ needs_reconnect: 1, failed: 0 });
    expect(world.warnings()).toEqual(['a connection needs a new consent: revoked']);
  });

  it('reports that a grant was revoked between its two lists', async () => {
    const world = await anArmedConnection();
    const { list } = world.deps.watch;
    world.deps.watch.list = async (access, id) =>
      id === undefined ? { kind: 'reconnect_needed', reason: 'revoked' } : list(access, id);
    expect(await check(world)).toMatchObject({ needs_reconnect: 1, active: 0, failed: 0 });
  });

  it('shows a channel that cannot be replaced as inactive, and catches up meanwhile', async () => {
    const world = await anArmedConnection();
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

  it('catches up later if the CRM cannot list changed leads now', async () => {
    const world = await anArmedConnection();
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

  it('catches up on a change whose notification was overtaken and then lost with the channel', async () => {
    const world = await anArmedConnection();
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
    const world = await anArmedConnection();
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

  it('continues in the next run if one run reaches its maximum of leads', async () => {
    const world = await anArmedConnection();
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
  it('is one that has not notified of a change for a quarter of an hour', async () => {
    const world = await anArmedConnection();
    world.silence();
    world.pass(DAY);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
    world.edit('young');
    world.pass(15 * MINUTE - 1);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
    world.pass(1);
    expect(await check(world)).toMatchObject({ silent: 1, armed: 1, caught_up: 1 });
  });

  it('is shown as silent until a delivery, and replaced', async () => {
    const world = await anArmedConnection();
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

  it('is replaced once for the same missed changes, not at every run', async () => {
    const world = await anArmedConnection();
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

  it('is replaced again if leads change after that', async () => {
    const world = await anArmedConnection();
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

  it('is not a channel whose last delivery fell into the same minute as a recorded one', async () => {
    const world = await anArmedConnection();
    world.pass(5 * MINUTE);
    world.edit('one');
    const { last_delivery_at } = world.row();
    world.pass(30);
    world.edit('two');
    world.change({ last_delivery_at: last_delivery_at as string });
    world.pass(20 * MINUTE);
    expect(await check(world)).toMatchObject({ active: 1, silent: 0 });
  });

  it('has new leads queued apart from edited ones, each with the time of its change', async () => {
    const world = await anArmedConnection();
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
