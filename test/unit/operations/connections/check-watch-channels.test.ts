import { isTokenOf } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aToken } from '../../../support/connections/access-token.ts';
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
} from '../../support/watched-connection.ts';
import { START } from '../../support/worlds/world.ts';

describe('checking watch channels', () => {
  it('confirms an active channel and stores the time of the check', async () => {
    const world = await anArmedConnection();
    const report = await check(world, 15 * MINUTE);
    expect(report).toMatchObject({ active: 1, armed: 0, caught_up: 0, failed: 0 });
    expect(world.row().channel_check).toEqual({ at: secondsAfter(START, 15 * MINUTE), status: 'active' });
  });

  it('stores the expiry that the CRM lists', async () => {
    const world = await anArmedConnection();
    Object.assign(world.channels()[0] ?? {}, { expires_at: secondsAfter(START, 7200) });
    await check(world);
    expect(world.row().channel?.expires_at).toBe(secondsAfter(START, 7200));
  });

  it('arms a missing channel, and catches up from the consent on', async () => {
    const world = aWatchedConnection();
    world.edit('early', MINUTE);
    expect(await check(world, MINUTE)).toMatchObject({ not_armed: 1, armed: 1, caught_up: 1 });
    expectInOrder(world);
  });

  it('replaces a channel of the former consent and revokes its token', async () => {
    const world = await anArmedConnection(MINUTE);
    const former = world.channels()[0]?.token;
    world.change({ grant: { ...GRANT, id: 'grant-2', granted_at: world.now } });
    world.answers.set('arm', { kind: 'refused', reason: 'LIMIT_REACHED' });
    expect(await arm(world)).toBe(false);
    world.answers.clear();
    expect(await check(world, 15 * MINUTE)).toMatchObject({ unfinished: 1, armed: 1 });
    expect(isTokenOf(world.row(), former, world.deps.now())).toBe(false);
    await expectRepaired(world);
  });

  it.each([
    ['lacks one of the events', { isComplete: false }],
    ['delivers to a former address', { notify_url: 'https://old.example/api/webhooks/crm-b/conn_1' }],
  ])('replaces a channel that %s', async (_, changes) => {
    const world = await anArmedConnection(MINUTE);
    Object.assign(world.channels()[0] ?? {}, changes);
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    await expectRepaired(world);
  });

  it('stops channels that no connection uses, and no others', async () => {
    const world = await anArmedConnection();
    const [own] = world.channels();
    const crm = { apiDomain: '', token: async () => aToken('') };
    const stray = { token: 't', expiresAt: new Date(secondsAfter(START, DAY)) };
    await world.deps.watch.arm(crm, { ...stray, id: '4', notifyUrl: own?.notify_url ?? '' });
    await world.deps.watch.arm(crm, { ...stray, id: '5', notifyUrl: 'https://svc.example/api/webhooks/crm-b/conn_2' });
    expect(await check(world)).toMatchObject({ active: 1, stopped: 1 });
    expect(world.channels().map(({ id }) => id)).toEqual([own?.id, '5']);
  });

  it('still confirms and replaces the own channel if the CRM does not list all channels', async () => {
    const world = await anArmedConnection();
    const { list } = world.deps.watch;
    world.deps.watch.list = async (access, id) =>
      id === undefined ? { kind: 'refused', reason: 'REQUIRED_PARAM_MISSING' } : list(access, id);
    expect(await check(world, MINUTE)).toMatchObject({ active: 1, stopped: 0 });
    world.loseChannels();
    expect(await check(world)).toMatchObject({ inactive: 1, armed: 1 });
    expectInOrder(world);
  });

  it('does not change a channel that was armed during the check', async () => {
    const world = await anArmedConnection(MINUTE);
    const { list } = world.deps.watch;
    world.deps.watch.list = async (...args) => {
      world.deps.watch.list = list;
      await arm(world);
      return list(...args);
    };
    expect(await check(world)).toMatchObject({ inactive: 0, armed: 0 });
    await expectRepaired(world);
  });

  it.each(['unavailable', 'unknown', 'refused'] as const)('stores that the check failed: %s', async (kind) => {
    const world = await anArmedConnection();
    const { channel } = world.row();
    world.answers.set('list', { kind, reason: 'x' });
    expect(await check(world)).toMatchObject({ unchecked: 1, armed: 0, failed: 0 });
    const channel_check = { status: 'unchecked', reason: 'the watch channel could not be checked: x' };
    expect(world.row()).toMatchObject({ channel, channel_check });
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

  it('shows a channel that cannot be replaced as inactive, but still catches up', async () => {
    const world = await anArmedConnection();
    world.loseChannels();
    world.edit('one', MINUTE);
    world.answers.set('arm', { kind: 'unavailable', reason: 'x' });
    expect(await check(world, 2 * MINUTE)).toMatchObject({ inactive: 1, armed: 0, caught_up: 1 });
    const channel_check = { status: 'inactive', reason: 'the CRM has no such watch channel' };
    expect(world.row()).toMatchObject({ channel_check });
    world.edit('two', 14 * MINUTE);
    world.answers.clear();
    expect(await check(world, MINUTE)).toMatchObject({ inactive: 1, armed: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['one', 'two']);
    expectInOrder(world);
  });

  it('catches up later if the CRM cannot list changed leads now', async () => {
    const world = await anArmedConnection();
    world.loseChannels();
    world.edit('one', MINUTE);
    world.answers.set('leadsChanged', { kind: 'unavailable', reason: 'x' });
    expect(await check(world, MINUTE)).toMatchObject({ inactive: 1, armed: 1, caught_up: 0 });
    world.answers.clear();
    expect(await check(world, 15 * MINUTE)).toMatchObject({ active: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['one']);
    expectInOrder(world);
  });

  it('catches up on a change whose notification was overtaken and then lost with the channel', async () => {
    const world = await anArmedConnection(3600);
    world.silence();
    world.edit('overtaken');
    world.silence(false);
    world.edit('delivered', MINUTE);
    world.loseChannels();
    expect(await check(world, 15 * MINUTE)).toMatchObject({ inactive: 1, armed: 1 });
    expect(world.caughtUp()).toContain('overtaken');
    expectInOrder(world);
  });

  it('catches up once on a gap of a channel that delivers', async () => {
    const world = await anArmedConnection(3600);
    world.change({ catch_up_from: secondsAfter(START, 3000) });
    world.edit('refused by the queue');
    expect(await check(world, MINUTE)).toMatchObject({ active: 1, caught_up: 1 });
    world.edit('delivered', MINUTE);
    expect(await check(world, 14 * MINUTE)).toMatchObject({ active: 1, caught_up: 0 });
    expectInOrder(world);
  });

  it('continues in the next run if one run reaches its maximum of leads', async () => {
    const world = await anArmedConnection();
    const { leadsChanged } = world.deps;
    world.deps.leadsChanged = (access, span) => leadsChanged(access, span, 2);
    world.loseChannels();
    const leads = [0, 1, 2, 3, 4].map((index) => `lead-${index}`);
    for (const lead of leads) world.edit(lead, MINUTE);
    for (let run = 0; run < 6; run += 1) await check(world);
    expect([...new Set(world.caughtUp())].sort()).toEqual(leads);
    expectInOrder(world);
  });
});

describe('a silent channel', () => {
  it('is one that has not notified of a change for a quarter of an hour', async () => {
    const world = await anArmedConnection();
    world.silence();
    expect(await check(world, DAY)).toMatchObject({ active: 1, silent: 0 });
    world.edit('young');
    expect(await check(world, 15 * MINUTE - 1)).toMatchObject({ active: 1, silent: 0 });
    expect(await check(world, 1)).toMatchObject({ silent: 1, armed: 1, caught_up: 1 });
  });

  it('is shown as silent until a delivery, and replaced', async () => {
    const world = await aSilentConnection();
    await check(world);
    expect(world.row().silent_since).toBe(secondsAfter(START, 5 * MINUTE));
    expectInOrder(world);
    world.edit('delivered', MINUTE);
    expect(world.row().silent_since).toBeUndefined();
  });

  it('is replaced once for the same missed changes, not at every run', async () => {
    const world = await aSilentConnection();
    await check(world);
    const { channel } = world.row();
    for (let run = 0; run < 5; run += 1)
      expect(await check(world, 15 * MINUTE)).toMatchObject({ active: 1, silent: 0, caught_up: 0 });
    expect(world.row()).toMatchObject({ channel, silent_since: expect.any(String) });
    expect(world.queued).toHaveLength(1);
  });

  it('is replaced again if leads change after that', async () => {
    const world = await aSilentConnection();
    await check(world);
    world.silence();
    world.edit('second', 5 * MINUTE);
    expect(await check(world, 16 * MINUTE)).toMatchObject({ silent: 1, armed: 1, caught_up: 1 });
    expect(world.caughtUp()).toEqual(['unreported', 'second']);
  });

  it('has new leads queued apart from edited ones, each with the times of its change and of its creation in the gap', async () => {
    const world = await anArmedConnection();
    world.silence();
    world.edit('new', 5 * MINUTE);
    world.edit('old', 0, '2026-01-01T00:00:00.000Z');
    await check(world, 16 * MINUTE);
    const messageOf = (lead_id: string, event: string, created_at?: string) => ({
      event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      connection_id: 'conn_1',
      source: 'catch-up',
      event,
      test: false,
      at: secondsAfter(START, 21 * MINUTE),
      original_at: secondsAfter(START, 5 * MINUTE - 7200),
      changed_at: secondsAfter(START, 5 * MINUTE),
      ...(created_at && { created_at }),
      lead: { lead_id, phones: [], do_not_call: false, fields: {} },
      payload_keys: [],
    });
    const queued = world.queued.map(({ message }) => message);
    const createdAt = secondsAfter(START, 5 * MINUTE);
    expect(queued).toEqual([messageOf('new', 'new_lead', createdAt), messageOf('old', 'lead_edited')]);
  });
});
