import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { WatchedChannel } from '../../../../shared/integrations/crm-b/watch.ts';
import { checkWatchChannels } from '../../../../shared/operations/connections/check-watch-channels.ts';
import { crowd } from '../../support/crowd.ts';
import { aWatchedConnection, GRANT, MINUTE } from '../../support/watched-connection.ts';
import { aConnection } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const OPTED_IN = {
  trigger_owner_user_id: '7',
  settings: { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'No Answer' },
};
const PERIOD = 15 * MINUTE;
/** The function's time-out (lib/functions.ts). */
const RUN_SECONDS = 840;

/** Connections with an armed channel. @param answerSeconds how long CRM-B takes for a request of a connection */
function manyConnections(count: number, answerSeconds: (index: number) => number, change: Partial<Connection> = {}) {
  const world = aWatchedConnection({ type: 'crm-a' });
  const expires_at = '2026-03-08T06:00:00.000Z';
  const idOf = (index: number) => `conn_${String(index).padStart(5, '0')}`;
  for (let index = 0; index < count; index += 1) {
    const channel = { id: String(index), armed_at: START, expires_at };
    world.put('connections', aConnection({ connection_id: idOf(index), grant: GRANT, channel, ...change }));
  }
  const clock = crowd<never>({
    get ms() {
      return world.ms;
    },
    ...{ pass: world.pass, waiting: () => [], due: () => [], deliver: async () => undefined },
  });
  const visits: { index: number; at: string }[] = [];
  const list = async (_access: unknown, id?: string) => {
    const index = Number(id ?? -1);
    if (id !== undefined) visits.push({ index, at: world.now });
    const notify_url = `https://svc.example/api/webhooks/crm-b/${idOf(index)}`;
    const channels: WatchedChannel[] = [{ id: String(id), notify_url, expires_at, isComplete: true }];
    return clock.hang({ kind: 'listed' as const, channels }, id === undefined ? 0.5 : answerSeconds(index));
  };
  let endsAt = 0;
  const deps = {
    ...world.deps,
    watch: { ...world.deps.watch, list },
    timeLeftMs: () => endsAt - world.ms,
  };
  return Object.assign(world, {
    visits,
    deps,
    hang: clock.hang,
    /** One run of the schedule, and the time to the next one. */
    period: async () => {
      endsAt = world.ms + RUN_SECONDS * 1000;
      const run = checkWatchChannels(deps);
      await clock.work(0, PERIOD);
      return run;
    },
  });
}

describe('the check of many watch channels', () => {
  it('visits each of 1,000 connections within one period, even if one in twenty is slow', async () => {
    const world = manyConnections(1_000, (index) => (index % 20 === 0 ? 60 : 2));
    const report = await world.period();
    expect(report).toMatchObject({ looked_at: 1_000, complete: true });
    expect(new Set(world.visits.map(({ index }) => index)).size).toBe(1_000);
    expect(world.counted).toEqual([]);
  });

  it('visits each of 1,000 connections within one period while no CRM answers, even if all missed a sweep', async () => {
    const world = manyConnections(1_000, () => 10, { missed_sweep: { at: START }, ...OPTED_IN });
    const queried: object[] = [];
    Object.assign(world.deps, {
      watch: { ...world.deps.watch, list: () => world.hang({ kind: 'unavailable', reason: 'no answer in time' }, 10) },
      leadsWithDisposition: (access: object) => {
        queried.push(access);
        return world.hang({ kind: 'unavailable', reason: 'no answer in time' }, 10);
      },
    });
    const report = await world.period();
    expect(report).toMatchObject({ looked_at: 1_000, unchecked: 1_000, failed: 0, complete: true });
    expect(world.counted).toEqual([]);
    // As many as the time allows, because the sweeps may be answered.
    expect(queried.length).toBeGreaterThan(300);
  });

  it('continues even if a connection cannot be read', async () => {
    const world = manyConnections(20, () => 2);
    world.put('connections', { ...aConnection({ connection_id: 'conn_bad', grant: GRANT }), auto_call: 'unreadable' });
    expect(await world.period()).toMatchObject({ looked_at: 20, failed: 1, complete: true });
    expect(new Set(world.visits.map(({ index }) => index)).size).toBe(20);
  });

  it('visits the connections with the oldest visit first, and reports the number of unvisited ones', async () => {
    const world = manyConnections(200, () => 100);
    const first = await world.period();
    expect(first.complete).toBe(false);
    const reached = new Set(world.visits.splice(0).map(({ index }) => index));
    expect(reached.size).toBeLessThan(200);
    expect(world.counted).toEqual(['ChannelCheckLate']);
    expect(world.warnings()).toEqual([expect.stringContaining(`for it and ${200 - reached.size - 1} others`)]);

    await world.period();
    const next = world.visits.slice(0, 200 - reached.size).map(({ index }) => index);
    expect(next.filter((index) => reached.has(index))).toEqual([]);
  });
});
