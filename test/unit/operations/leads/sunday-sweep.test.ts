import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { LeadIds } from '../../../../shared/integrations/crm-b/coql.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { type SundaySweepReport, sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { crowd } from '../../support/crowd.ts';
import { aConnection, aGrant, ist } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const DAY = '2026-03-01';
const SUNDAY = ist(DAY, '09:00');

/** CRM-B's answer with the leads after an id. */
type Crm = (after: string | undefined) => LeadIds;

const queued = { up_to: '7000', grant_id: aGrant().id };

const found =
  (...ids: string[]): Crm =>
  () => ({ kind: 'found', ids });

/** Connections that opted in, with their changes and the answers of their CRMs. */
function aSweep(crms: Record<string, Crm>, changes: Record<string, Partial<Connection>> = {}) {
  const connections = Object.keys(crms).map((connection_id) =>
    aConnection({
      connection_id,
      trigger_owner_user_id: '7',
      settings: { sunday_rnr_retry: 'true', disposition_crm_field: 'Call_Disposition', disposition_value: 'RNR' },
      grant: aGrant({ api_domain: connection_id }),
      ...changes[connection_id],
    }),
  );
  const world = aWorld({ connections });
  world.now = SUNDAY;
  const leadQueue = world.queue<LeadEvent>();
  const queries: object[] = [];
  const state = { timeLeft: 800_000, underWay: 0, most: 0, start: 0 };
  const deps = {
    ...world.common,
    accessTo: ({ grant }: Connection) => ({ apiDomain: grant?.api_domain ?? '', token: async () => aToken('token') }),
    leadsWithDisposition: async (
      { apiDomain }: { apiDomain: string },
      query: { field: string; value: string; ownerId: string; after?: string },
    ) => {
      queries.push(query);
      state.underWay += 1;
      state.most = Math.max(state.most, state.underWay);
      await new Promise(setImmediate);
      state.underWay -= 1;
      return (crms[apiDomain] as Crm)(query.after);
    },
    leadQueue,
    timeLeftMs: () => state.timeLeft,
    random: () => state.start,
  };
  return Object.assign(world, {
    deps,
    sweep: () => sundaySweep(deps),
    events: () => leadQueue.sent.map(({ message }) => message),
    leadIds: () => leadQueue.sent.map(({ message }) => message.lead.lead_id).sort(),
    queries,
    warnings: () => world.logged.flatMap(({ message: _, ...facts }) => ('reason' in facts ? [facts] : [])),
    swept: () =>
      world.logged.flatMap(({ connection_id, leads }) => (leads === undefined ? [] : [[connection_id, leads]])),
    state,
  });
}

/** @returns the report of a run that visited this many connections */
const reportOf = (looked_at: number, more: Partial<SundaySweepReport>): SundaySweepReport => ({
  looked_at,
  needs_reconnect: 0,
  failed: 0,
  complete: true,
  day: DAY,
  swept: looked_at,
  queued: 0,
  left: 0,
  reasons: {},
  ...more,
});

describe('the Sunday sweep', () => {
  it('queues the leads of the disposition as events of the sweep', async () => {
    const world = aSweep({ conn_1: found('7', '8') });
    expect(await world.sweep()).toEqual(reportOf(1, { queued: 2 }));
    expect(world.queries).toEqual([{ field: 'Call_Disposition', value: 'RNR', ownerId: '7' }]);
    expect(world.events()).toEqual(
      ['7', '8'].map((lead_id) => ({
        event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        connection_id: 'conn_1',
        source: 'sunday-sweep',
        event: 'sunday_retry',
        test: false,
        at: SUNDAY,
        lead: { lead_id, phones: [], do_not_call: false, fields: {} },
        sunday_rnr_retry: true,
        payload_keys: [],
      })),
    );
    for (const event of world.events()) expect(leadEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('reads every page', async () => {
    const pages: Record<string, LeadIds> = {
      first: { kind: 'found', ids: ['1', '2'], next: '2' },
      2: { kind: 'found', ids: ['3'], next: '3' },
      3: { kind: 'found', ids: ['4'] },
    };
    const world = aSweep({ conn_1: (after = 'first') => pages[after] as LeadIds });
    expect(await world.sweep()).toMatchObject({ queued: 4, swept: 1 });
    expect(world.leadIds()).toEqual(['1', '2', '3', '4']);
  });

  it('queues the same events if it runs twice on a day, and other events on every other day', async () => {
    const world = aSweep({ conn_1: found('7', '8'), conn_2: found('7') });
    const eventIdsAt = async (now: string) => {
      world.now = now;
      await world.sweep();
      const swept = world.events().slice(-3);
      return Object.fromEntries(swept.map((event) => [`${event.connection_id} ${event.lead.lead_id}`, event.event_id]));
    };
    const onSunday = await eventIdsAt(SUNDAY);
    expect(await eventIdsAt(ist(DAY, '23:59:59.999'))).toEqual(onSunday);
    const onMonday = await eventIdsAt(ist('2026-03-02', '00:00'));
    expect(new Set([onSunday, onMonday].flatMap((ids) => Object.values(ids))).size).toBe(6);
  });

  it('selects only connections that opted in, are connected and call automatically, and reports missing settings', async () => {
    const crms = Object.fromEntries(['in', 'out', 'off', 'gone', 'lost', 'ownerless'].map((id) => [id, found(id)]));
    const world = aSweep(crms, {
      out: { settings: {} },
      off: { auto_call: false },
      gone: { grant: undefined },
      lost: { reconnect_needed: { at: SUNDAY, reason: 'the grant was revoked' } },
      ownerless: { trigger_owner_user_id: undefined },
    });
    const reasons = { ownerless: 'the disposition or the trigger owner is not set' };
    expect(await world.sweep()).toMatchObject({ swept: 1, queued: 1, failed: 0, reasons });
    expect(world.queries).toHaveLength(1);
    expect(world.leadIds()).toEqual(['in']);
  });

  it('queries at most six connections at a time', async () => {
    const world = aSweep(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`conn_${index}`, found('1')])));
    expect(await world.sweep()).toMatchObject({ swept: 40, queued: 40 });
    expect(world.state.most).toBeGreaterThan(1);
    expect(world.state.most).toBeLessThanOrEqual(6);
  });
});

describe('the record of a missed sweep', () => {
  const missedOn = (day: string) => ({ a: { missed_sweep: { at: ist(day, '09:00') } } });
  const recordsOf = (world: { all: (table: 'connections') => unknown[] }) =>
    (world.all('connections') as Connection[]).map(({ missed_sweep }) => missed_sweep?.at);

  it.each([
    ['that day', DAY],
    ['an earlier day', '2026-02-28'],
  ])('of %s ends when a sweep queues its leads, so that no catch-up queues them again', async (_which, missedDay) => {
    const world = aSweep({ a: found('7') }, missedOn(missedDay));
    expect(await world.sweep()).toMatchObject({ swept: 1, queued: 1 });
    expect(recordsOf(world)).toEqual([undefined]);
  });

  it('of a later day stays, because the events of an earlier day may already be decided', async () => {
    const world = aSweep({ a: found('7') }, missedOn('2026-03-08'));
    await world.sweep();
    expect(recordsOf(world)).toEqual([ist('2026-03-08', '09:00')]);
  });

  it('names the point up to which leads are queued, from which the catch-up continues', async () => {
    const world = aSweep({
      a: (after) =>
        after ? { kind: 'unavailable', reason: 'status 503' } : { kind: 'found', ids: ['7000', '7654'], next: '7654' },
    });
    expect(await world.sweep()).toMatchObject({ queued: 2, swept: 0 });
    expect(world.all('connections')).toMatchObject([{ missed_sweep: { at: SUNDAY, queued } }]);
  });

  it('is replaced by a newer one if CRM-B does not answer again', async () => {
    const world = aSweep({ a: () => ({ kind: 'unavailable', reason: 'status 503' }) }, missedOn('2026-02-28'));
    await world.sweep();
    expect(recordsOf(world)).toEqual([SUNDAY]);
  });
});

describe('a run that has no time for every connection', () => {
  const RUN_SECONDS = 840;
  const down: Crm = () => ({ kind: 'unavailable', reason: 'no answer in time' });
  const recordsOf = (world: ReturnType<typeof aSweep>) =>
    Object.fromEntries((world.all('connections') as Connection[]).map((row) => [row.connection_id, row.missed_sweep]));

  it('records the sweep as missed on all others, for each of its three tries during an outage', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `conn_${index}`);
    const world = aSweep(Object.fromEntries(ids.map((id) => [id, down])));
    const queries = crowd<never>({
      get ms() {
        return world.ms;
      },
      ...{ pass: world.pass, waiting: () => [], due: () => [], deliver: async () => undefined },
    });
    world.deps.leadsWithDisposition = () => queries.hang({ kind: 'unavailable', reason: 'no answer in time' }, 10);
    for (const start of [0.1, 0.2, 0.5]) {
      world.state.start = start;
      const started = world.ms;
      world.deps.timeLeftMs = () => RUN_SECONDS * 1000 - (world.ms - started);
      const run = world.sweep().catch(({ message }: Error) => [message, (world.ms - started) / 1000] as const);
      await queries.work(0, RUN_SECONDS);
      const [message, seconds] = (await run) as [string, number];
      const report: SundaySweepReport = JSON.parse(message.replace(/^[^{]*/, ''));
      expect(report).toMatchObject({ complete: false, failed: 0, swept: 0, left: 1_000 - report.looked_at });
      expect(report.looked_at).toBeLessThan(500);
      expect(seconds).toBeLessThan(RUN_SECONDS - 60);
      expect(Object.values(recordsOf(world)).filter((record) => record === undefined)).toEqual([]);
    }
  });

  it('records it on no connection that did not opt in, lacks a setting, needs a consent or is gone', async () => {
    const world = aSweep(
      { in: found('1'), out: found('2'), ownerless: found('3'), lost: found('4'), gone: found('5') },
      {
        out: { settings: {} },
        ownerless: { trigger_owner_user_id: undefined },
        lost: { reconnect_needed: { at: SUNDAY, reason: 'the grant was revoked' } },
        gone: { grant: undefined },
      },
    );
    world.state.timeLeft = 100_000;
    const { message } = await world.sweep().then(
      () => new Error('the run did not fail'),
      (error: Error) => error,
    );
    const report = reportOf(0, { complete: false, left: 1 });
    expect(JSON.parse(message.replace(/^[^{]*/, ''))).toEqual(report);
    expect(recordsOf(world)).toEqual({ in: { at: SUNDAY } });
  });

  it.each([
    ['keeps the record of an earlier try of that day, which may name a point', { at: SUNDAY, queued }, true],
    ['keeps the record of a later day', { at: ist('2026-03-08', '09:00') }, true],
    ['replaces the record of an earlier day', { at: ist('2026-02-22', '09:00') }, false],
    ['replaces the record of a sweep that was given up', { at: SUNDAY, given_up_at: ist(DAY, '21:00') }, false],
  ])('%s', async (_what, missed_sweep, isKept) => {
    const world = aSweep({ a: found('7') }, { a: { missed_sweep } });
    world.pass(5 * 60);
    world.state.timeLeft = 100_000;
    await expect(world.sweep()).rejects.toThrow('"complete":false');
    expect(recordsOf(world)).toEqual({ a: isKept ? missed_sweep : { at: ist(DAY, '09:05') } });
  });

  it('keeps the record of a later day if CRM-B does not answer a sweep of an earlier day', async () => {
    const missed_sweep = { at: ist('2026-03-08', '09:00') };
    const world = aSweep({ a: () => ({ kind: 'unavailable', reason: 'status 500' }) }, { a: { missed_sweep } });
    expect(await world.sweep()).toMatchObject({ reasons: { a: 'status 500' } });
    expect(recordsOf(world)).toEqual({ a: missed_sweep });
  });

  it('stops before its function times out if even the records take too long', async () => {
    const world = aSweep({ a: found('7') });
    world.state.timeLeft = 10_000;
    await expect(world.sweep()).rejects.toThrow('"complete":false');
    expect(recordsOf(world)).toEqual({ a: undefined });
  });
});

describe('a connection that fails', () => {
  it('does not stop the others, but fails the run at its end with a report if a repeat may succeed', async () => {
    const world = aSweep({
      a: () => ({ kind: 'unavailable', reason: 'too many requests' }),
      b: found('7'),
      c: () => {
        throw new Error('the queue refused 1 messages');
      },
      d: (after) => (after ? { kind: 'unavailable', reason: 'status 500' } : { kind: 'found', ids: ['1'], next: '1' }),
      e: found('8'),
    });
    const error: Error = await world.sweep().then(
      () => new Error('the run did not fail'),
      (thrown) => thrown,
    );
    const reasons = { a: 'too many requests', c: 'the queue refused 1 messages', d: 'status 500' };
    const report = reportOf(5, { failed: 1, swept: 2, queued: 3, reasons });
    expect(JSON.parse(error.message.replace(/^[^{]*/, ''))).toEqual(report);
    expect(world.leadIds()).toEqual(['1', '7', '8']);
    expect(world.warnings()).toContainEqual({ connection_id: 'a', reason: 'too many requests' });
    const missed = (world.all('connections') as Connection[]).filter(({ missed_sweep }) => missed_sweep?.at === SUNDAY);
    expect(missed.map(({ connection_id }) => connection_id)).toEqual(['a', 'd']);
  });

  it('does not stop the others, and is only reported if a repeat would also be refused', async () => {
    const world = aSweep({ a: () => ({ kind: 'refused', reason: 'INVALID_QUERY' }), b: found('7') });
    expect(await world.sweep()).toMatchObject({ swept: 1, queued: 1, failed: 0, reasons: { a: 'INVALID_QUERY' } });
    expect(world.warnings()).toEqual([{ connection_id: 'a', reason: 'INVALID_QUERY' }]);
    expect(world.swept()).toEqual([['b', 1]]);
  });

  it('does not stop the others, and is reported without a record if its grant turns out to be gone', async () => {
    const world = aSweep({ a: () => ({ kind: 'refused', reason: 'invalid_code', needsConsent: true }), b: found('7') });
    const reasons = { a: 'invalid_code' };
    expect(await world.sweep()).toMatchObject({ swept: 1, failed: 0, needs_reconnect: 1, reasons });
    expect(world.logged).toContainEqual({
      message: 'a connection needs a new consent',
      connection_id: 'a',
      reason: 'invalid_code',
    });
    expect((world.all('connections') as Connection[]).flatMap(({ missed_sweep = [] }) => missed_sweep)).toEqual([]);
  });

  it('because no time is left fails the run before the function times out', async () => {
    const late = aSweep({ a: found('7') });
    late.state.timeLeft = 100_000;
    await expect(late.sweep()).rejects.toThrow('"complete":false');
    const slow = aSweep({
      a: () => {
        slow.state.timeLeft = 50_000;
        return { kind: 'found', ids: ['7654'], next: '7654' };
      },
    });
    await expect(slow.sweep()).rejects.toThrow('the run has no time left');
    expect(slow.events()).toHaveLength(1);
    // check-watch-channels queues the rest, from this point, even if no other try does.
    expect(slow.all('connections')).toMatchObject([{ missed_sweep: { at: SUNDAY, queued } }]);
  });
});
