import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../../shared/domain/connections/connection-health.ts';
import {
  silentAfter,
  weekdaySecondsBetween,
} from '../../../../shared/domain/connections/deliveries/delivery-rhythm.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { connectionAttention } from '../../../../shared/domain/overview/attention.ts';
import { checkDeliveries } from '../../../../shared/operations/connections/check-deliveries.ts';
import { receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aConnection } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const WEEKS = 7 * 24;
const TOKEN = newWebhookToken();
const receives = { type: 'crm-a', token_hash: hashWebhookToken(TOKEN) } as const;

/** A connection of CRM-A on Monday, 2 March 2026, 11:30 in India, and the check of its deliveries. */
function aReceiver(over: Partial<Connection> = {}) {
  const world = aWorld({ connections: [aConnection({ ...receives, ...over })] });
  const leadQueue = world.queue();
  const deps = { ...world.common, leadQueue, random: () => 0, timeLeftMs: () => 60_000 };
  const connection = () => world.all('connections')[0] as Connection;
  const lead = { event: 'new_lead' as const, lead: { phones: [], do_not_call: false, fields: {} }, keys: [] };
  const deliver = (token = TOKEN) =>
    receiveCrmALead(deps, { connectionId: 'conn_1', token, testToken: undefined, read: () => [lead] });
  const isOfficeHour = () => {
    const india = new Date(world.ms + 5.5 * HOUR * 1_000);
    return india.getUTCHours() >= 10 && india.getUTCHours() < 18 && india.getUTCDay() % 6 !== 0;
  };
  return Object.assign(world, {
    deps,
    connection,
    deliver,
    status: () => connectionHealth(connection()).status,
    check: () => checkDeliveries(deps),
    /**
     * Passes hours with a check each, and with a lead if `isLead` says so.
     * @returns the hours until the connection is silent
     */
    async hours(most: number, isLead: (hour: number) => boolean): Promise<number | undefined> {
      for (let hour = 0; hour < most; hour += 1) {
        if (isLead(hour)) await deliver();
        await checkDeliveries(deps);
        if (connectionHealth(connection()).status === 'silent') return hour;
        world.pass(HOUR);
      }
      return undefined;
    },
    isOfficeHour,
  });
}

const never = () => false;

describe('the weekday time', () => {
  it.each([
    ['an hour of a Monday', '2026-03-02T06:00:00Z', '2026-03-02T07:00:00Z', 1],
    ['a weekend in India', '2026-03-06T18:30:00Z', '2026-03-08T18:30:00Z', 0],
    ['from Friday evening to Monday morning', '2026-03-06T12:30:00Z', '2026-03-09T04:30:00Z', 16],
    ['two weeks', '2026-03-02T06:00:00Z', '2026-03-16T06:00:00Z', 240],
  ])('of %s', (_what, from, to, hours) => {
    expect(weekdaySecondsBetween(from, to)).toBe(hours * HOUR);
  });

  it('adds up, and never exceeds the time that passes', () => {
    const instants = fc.integer({ min: 0, max: 60 * DAY });
    forAll([instants, instants, instants], (...picked) => {
      const [a = 0, b = 0, c = 0] = picked.toSorted((one, other) => one - other);
      const between = (from: number, to: number) => weekdaySecondsBetween(new Date(from * 1e3), new Date(to * 1e3));
      expect(between(a, b) + between(b, c)).toBe(between(a, c));
      expect(between(a, b)).toBeLessThanOrEqual(b - a);
      expect(between(a, b)).toBeGreaterThanOrEqual(0);
    });
  });
});

describe('missing deliveries', () => {
  it('of an office are noticed by the second day, but not on a weekend', async () => {
    const world = aReceiver();
    expect(await world.hours(3 * WEEKS, world.isOfficeHour)).toBeUndefined();
    expect(world.status()).toBe('healthy');
    const silentFor = (await world.hours(WEEKS, never)) ?? 0;
    // From Monday at noon.
    expect(silentFor).toBeGreaterThanOrEqual(24);
    expect(silentFor).toBeLessThanOrEqual(48);
    const [needsYou] = connectionAttention([world.connection()]);
    expect(needsYou).toMatchObject({ kind: 'broken_connection', status: 'silent' });
  });

  it('of a business that never closes are noticed after a day', async () => {
    const world = aReceiver();
    await world.hours(3 * WEEKS, () => true);
    expect(await world.hours(WEEKS, never)).toBe(24);
    const reason = `the last delivery arrived at ${world.connection().last_delivery_at}`;
    expect(world.logged).toMatchObject([{ message: 'no deliveries arrive', reason }]);
  });

  it('of a connection with two leads a week are noticed in the second week without one', async () => {
    const world = aReceiver();
    expect(await world.hours(8 * WEEKS, (hour) => [0, 72].includes(hour % WEEKS))).toBeUndefined();
    const silentFor = (await world.hours(8 * WEEKS, never)) ?? 0;
    expect(silentFor).toBeGreaterThan(WEEKS);
    expect(silentFor).toBeLessThan(3 * WEEKS);
  });

  it('after a few test deliveries are noticed after ten weekdays, not the next day', async () => {
    const world = aReceiver();
    for (let trial = 0; trial < 4; trial += 1) {
      await world.deliver();
      world.pass(120);
    }
    expect(await world.hours(4 * WEEKS, never)).toBe(2 * WEEKS);
  });

  it('raise an alarm once; the next delivery ends it, and the next silence is noticed as soon', async () => {
    const world = aReceiver();
    await world.hours(3 * WEEKS, () => true);
    await world.hours(WEEKS, never);
    for (let run = 0; run < 3; run += 1) expect(await world.check()).toMatchObject({ silent: 0 });
    expect(world.counted).toEqual(['ConnectionSilent']);
    // To the next Monday.
    world.pass(6 * DAY);
    await world.deliver();
    expect(world.status()).toBe('healthy');
    await world.hours(12, () => true);
    expect(await world.hours(WEEKS, never)).toBeLessThanOrEqual(30);
    expect(world.counted).toEqual(['ConnectionSilent', 'ConnectionSilent']);
  });

  it.each<[string, Partial<Connection>]>([
    ['before the first one', {}],
    ['while auto-call is off', { last_delivery_at: '2026-01-01T00:00:00.000Z', auto_call: false }],
    ['without a token', { last_delivery_at: '2026-01-01T00:00:00.000Z', token_hash: undefined }],
  ])('are not reported %s', async (_when, over) => {
    const world = aReceiver(over);
    expect(await world.check()).toEqual({ looked_at: 1, silent: 0, failed: 0, complete: true });
    expect([world.connection().silent_since, world.counted]).toEqual([undefined, []]);
  });

  it('are not a silence if a delivery arrives during the check', async () => {
    const world = aReceiver({ last_delivery_at: '2026-01-01T00:00:00.000Z' });
    world.beforeNextWrite(() => world.put('connections', { ...world.connection(), last_delivery_at: world.now }));
    expect(await world.check()).toMatchObject({ silent: 0 });
    expect([world.status(), world.counted]).toEqual(['healthy', []]);
  });

  it('are checked with one read each, even if another fails, until the time runs out', async () => {
    const world = aReceiver({ last_delivery_at: '2026-01-01T00:00:00.000Z' });
    for (let other = 2; other <= 45; other += 1)
      world.put('connections', aConnection({ ...receives, connection_id: `conn_${other}`, auto_call: false }));
    world.requests.length = 0;
    let gets = 0;
    world.hooks.before = (operation) => {
      if (operation === 'Get') gets += 1;
      if (operation === 'Get' && gets === 3) throw new Error('throttled');
    };
    expect(await world.check()).toEqual({ looked_at: 45, silent: 1, failed: 1, complete: true });
    expect(world.requests.filter((request) => request.startsWith('Get'))).toHaveLength(45);
    expect(await checkDeliveries({ ...world.deps, timeLeftMs: () => 0 })).toMatchObject({ complete: false });
  });
});

describe('the time until a connection is silent', () => {
  it('is at least a weekday, and three times its usual gap', () => {
    const known = 20 * DAY;
    expect(silentAfter({ usual_gap: 60, observed: known })).toBe(DAY);
    expect(silentAfter({ usual_gap: 2 * DAY, observed: known })).toBe(6 * DAY);
    expect(silentAfter({ usual_gap: 60, observed: DAY })).toBe(10 * DAY);
    expect(silentAfter(undefined)).toBe(10 * DAY);
  });
});
