import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { LeadIds } from '../../../../shared/integrations/crm-b/coql.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';
import { aToken } from '../../../support/access-token.ts';
import { aConnection, aGrant } from '../../support/items.ts';
import { aWorld } from '../../support/world.ts';

/** 09:00 in India on a Sunday. */
const SUNDAY = '2026-03-01T03:30:00.000Z';
const DAY = '2026-03-01';

const connectionOf = (connection_id: string, change: Partial<Connection> = {}): Connection =>
  aConnection({
    connection_id,
    trigger_owner_user_id: '7',
    settings: { sunday_rnr_retry: 'true', disposition_crm_field: 'Call_Disposition', disposition_value: 'RNR' },
    grant: aGrant({ api_domain: `https://${connection_id}` }),
    ...change,
  });

type Crm = (after: string | undefined) => LeadIds | Promise<LeadIds>;

/** Connections and the answers of their CRMs. */
function service(crms: Record<string, Crm>, changes: Record<string, Partial<Connection>> = {}) {
  const world = aWorld({ connections: Object.keys(crms).map((id) => connectionOf(id, changes[id])) });
  world.now = SUNDAY;
  const leadQueue = world.queue<LeadEvent>();
  const asked: object[] = [];
  const state = { timeLeft: 800_000, underWay: 0, most: 0 };
  const deps = {
    ...world.common,
    accessTo: ({ grant }: Connection) => ({ apiDomain: grant?.api_domain ?? '', token: async () => aToken('token') }),
    leadsWithDisposition: async (
      { apiDomain }: { apiDomain: string },
      wanted: { field: string; value: string; ownerId: string; after?: string },
    ) => {
      asked.push(wanted);
      state.underWay += 1;
      state.most = Math.max(state.most, state.underWay);
      await new Promise(setImmediate);
      state.underWay -= 1;
      return (crms[apiDomain.slice('https://'.length)] as Crm)(wanted.after);
    },
    leadQueue,
    timeLeftMs: () => state.timeLeft,
  };
  return Object.assign(world, {
    sweep: () => sundaySweep(deps),
    events: () => leadQueue.sent.map(({ message }) => message),
    asked,
    warnings: () => world.logged.map(({ message: _, ...facts }) => facts),
    state,
  });
}

const found =
  (...ids: string[]): Crm =>
  () => ({ kind: 'found', ids });

describe('the Sunday sweep', () => {
  it('queues the leads of the disposition as events of the sweep', async () => {
    const world = service({ conn_1: found('7', '8') });
    expect(await world.sweep()).toEqual({
      looked_at: 1,
      needs_reconnect: 0,
      failed: 0,
      complete: true,
      day: DAY,
      swept: 1,
      queued: 2,
      reasons: {},
    });
    expect(world.asked).toEqual([{ field: 'Call_Disposition', value: 'RNR', ownerId: '7' }]);
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
    const crm: Crm = (after) => ({
      kind: 'found',
      ids: [after === undefined ? '1' : String(Number(after) + 1)],
      ...(after !== '3' && { next: after === undefined ? '1' : String(Number(after) + 1) }),
    });
    const world = service({ conn_1: crm });
    expect(await world.sweep()).toMatchObject({ queued: 4, swept: 1 });
    expect(world.events().map(({ lead }) => lead.lead_id)).toEqual(['1', '2', '3', '4']);
  });

  it('queues the same events if it runs twice on a day, and others on another day', async () => {
    const world = service({ conn_1: found('7', '8'), conn_2: found('7') });
    await world.sweep();
    world.now = '2026-03-01T18:29:59.999Z';
    await world.sweep();
    const ids = world
      .events()
      .map(({ connection_id, lead, event_id }) => `${connection_id} ${lead.lead_id} ${event_id}`);
    expect(new Set(ids).size).toBe(3);
    expect(new Set(world.events().map(({ event_id }) => event_id)).size).toBe(3);
    // Midnight in India.
    world.now = '2026-03-01T18:30:00.000Z';
    await world.sweep();
    expect(new Set(world.events().map(({ event_id }) => event_id)).size).toBe(6);
  });

  it('runs on any day on which an operator starts it', async () => {
    const world = service({ conn_1: found('7') });
    world.now = '2026-03-04T12:00:00.000Z';
    expect(await world.sweep()).toMatchObject({ day: '2026-03-04', queued: 1 });
  });

  it('sweeps only connections that opted in, are connected and call automatically, and reports missing settings', async () => {
    const crms = Object.fromEntries(['in', 'out', 'off', 'gone', 'lost', 'ownerless'].map((id) => [id, found('7')]));
    const world = service(crms, {
      out: { settings: {} },
      off: { auto_call: false },
      gone: { grant: undefined },
      lost: { reconnect_needed: { at: SUNDAY, reason: 'the grant was revoked' } },
      ownerless: { trigger_owner_user_id: undefined },
    });
    expect(await world.sweep()).toMatchObject({
      swept: 1,
      queued: 1,
      failed: 0,
      reasons: { ownerless: 'the disposition or the trigger owner is not set' },
    });
    expect(world.asked).toHaveLength(1);
    expect(world.events().map(({ connection_id }) => connection_id)).toEqual(['in']);
  });

  it('sweeps at most six connections at a time', async () => {
    const crms = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`conn_${index}`, found(String(index + 1))]),
    );
    const world = service(crms);
    expect(await world.sweep()).toMatchObject({ swept: 40, queued: 40 });
    expect(world.state.most).toBeGreaterThan(1);
    expect(world.state.most).toBeLessThanOrEqual(6);
  });
});

describe('a connection that fails does not stop the others', () => {
  const passing: Crm = () => ({ kind: 'unavailable', reason: 'too many requests' });
  const breaking: Crm = () => {
    throw new Error('the queue refused 1 messages');
  };
  const half: Crm = (after) =>
    after === undefined ? { kind: 'found', ids: ['1'], next: '1' } : { kind: 'unavailable', reason: 'status 500' };

  it('and fails the run at its end with a report if a repeat may succeed', async () => {
    const world = service({ a: passing, b: found('7'), c: breaking, d: half, e: found('8') });
    const error = await world.sweep().catch((thrown: Error) => thrown);
    if (!(error instanceof Error)) throw new Error('the run did not fail');
    expect(JSON.parse(error.message.slice(error.message.indexOf('{')))).toEqual({
      looked_at: 5,
      needs_reconnect: 0,
      failed: 3,
      complete: true,
      day: DAY,
      swept: 2,
      queued: 3,
      reasons: { a: 'too many requests', c: 'the queue refused 1 messages', d: 'status 500' },
    });
    expect(
      world
        .events()
        .map(({ lead }) => lead.lead_id)
        .sort(),
    ).toEqual(['1', '7', '8']);
    expect(world.warnings()).toContainEqual({ connection_id: 'a', reason: 'too many requests' });
  });

  it('and is only reported if a repeat would also be refused', async () => {
    const world = service({ a: () => ({ kind: 'refused', reason: 'INVALID_QUERY' }), b: found('7') });
    expect(await world.sweep()).toMatchObject({ swept: 1, queued: 1, failed: 0, reasons: { a: 'INVALID_QUERY' } });
    expect(world.warnings()).toEqual([{ connection_id: 'a', reason: 'INVALID_QUERY' }]);
  });

  it('nor does the time limit: the run fails in time before the function times out', async () => {
    const late = service({ a: found('7') });
    late.state.timeLeft = 100_000;
    await expect(late.sweep()).rejects.toThrow('"complete":false');
    const slow = service({
      a: (after) => {
        slow.state.timeLeft = 50_000;
        return { kind: 'found', ids: [after ?? '1'], next: '2' };
      },
    });
    await expect(slow.sweep()).rejects.toThrow('the run has no time left');
    expect(slow.events()).toHaveLength(1);
  });
});
