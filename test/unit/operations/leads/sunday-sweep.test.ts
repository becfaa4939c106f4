import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { LeadIds } from '../../../../shared/integrations/crm-b/coql.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';

/** 09:00 in India on a Sunday. */
const SUNDAY = '2026-03-01T03:30:00.000Z';
const DAY = '2026-03-01';

const connectionOf = (connection_id: string, change: Partial<Connection> = {}): Connection => ({
  connection_id,
  org_id: `org of ${connection_id}`,
  type: 'crm-b',
  created_at: '2026-01-01T00:00:00.000Z',
  auto_call: true,
  trigger_owner_user_id: '7',
  settings: { sunday_rnr_retry: 'true', disposition_crm_field: 'Call_Disposition', disposition_value: 'RNR' },
  grant: {
    id: 'grant_1',
    data_center: 'in',
    accounts_server: 'https://accounts',
    api_domain: `https://${connection_id}`,
    refresh_token: 'sealed',
    granted_at: '2026-01-01T00:00:00.000Z',
  },
  ...change,
});

type Crm = (after: string | undefined) => LeadIds | Promise<LeadIds>;

/** Connections, and what the CRM of each answers. */
function service(crms: Record<string, Crm>, changes: Record<string, Partial<Connection>> = {}) {
  const events: LeadEvent[] = [];
  const asked: object[] = [];
  const warnings: object[] = [];
  const state = { now: SUNDAY, timeLeft: 800_000, underWay: 0, most: 0 };
  const deps = {
    connections: {
      get: async (id: string) => connectionOf(id, changes[id]),
      async *idsOfType() {
        yield* Object.keys(crms);
      },
    },
    accessTo: ({ grant }: Connection) => ({ apiDomain: grant?.api_domain ?? '', token: async () => 'token' }),
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
    leadQueue: {
      sendMany: async (all: readonly LeadEvent[]) => {
        events.push(...all);
      },
    },
    timeLeftMs: () => state.timeLeft,
    random: () => 0,
    now: () => new Date(state.now),
    warn: (_message: string, facts: object) => {
      warnings.push(facts);
    },
  };
  return { sweep: () => sundaySweep(deps), events, asked, warnings, state };
}

const found =
  (...ids: string[]): Crm =>
  () => ({ kind: 'found', ids });

describe('the Sunday sweep', () => {
  it('queues the leads of the disposition as its own, and the queue can read them', async () => {
    const { sweep, events, asked } = service({ conn_1: found('7', '8') });
    expect(await sweep()).toEqual({
      looked_at: 1,
      needs_reconnect: 0,
      failed: 0,
      complete: true,
      day: DAY,
      swept: 1,
      queued: 2,
      reasons: {},
    });
    expect(asked).toEqual([{ field: 'Call_Disposition', value: 'RNR', ownerId: '7' }]);
    expect(events).toEqual(
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
    for (const event of events) expect(leadEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('goes on page by page', async () => {
    const crm: Crm = (after) => ({
      kind: 'found',
      ids: [after === undefined ? '1' : String(Number(after) + 1)],
      ...(after !== '3' && { next: after === undefined ? '1' : String(Number(after) + 1) }),
    });
    const { sweep, events } = service({ conn_1: crm });
    expect(await sweep()).toMatchObject({ queued: 4, swept: 1 });
    expect(events.map(({ lead }) => lead.lead_id)).toEqual(['1', '2', '3', '4']);
  });

  it('that runs twice on a day queues the same events; another day, connection or lead makes another', async () => {
    const { sweep, events, state } = service({ conn_1: found('7', '8'), conn_2: found('7') });
    await sweep();
    state.now = '2026-03-01T18:29:59.999Z';
    await sweep();
    const ids = events.map(({ connection_id, lead, event_id }) => `${connection_id} ${lead.lead_id} ${event_id}`);
    expect(new Set(ids).size).toBe(3);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(3);
    // Midnight in India.
    state.now = '2026-03-01T18:30:00.000Z';
    await sweep();
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(6);
  });

  it('runs on another day of the week too, where an operator wants it', async () => {
    const { sweep, state } = service({ conn_1: found('7') });
    state.now = '2026-03-04T12:00:00.000Z';
    expect(await sweep()).toMatchObject({ day: '2026-03-04', queued: 1 });
  });

  it('asks only for connections that have opted in, have their grant and auto-call on; of others what they lack is told', async () => {
    const crms = Object.fromEntries(['in', 'out', 'off', 'gone', 'lost', 'ownerless'].map((id) => [id, found('7')]));
    const { sweep, events, asked } = service(crms, {
      out: { settings: {} },
      off: { auto_call: false },
      gone: { grant: undefined },
      lost: { reconnect_needed: { at: SUNDAY, reason: 'the grant was revoked' } },
      ownerless: { trigger_owner_user_id: undefined },
    });
    expect(await sweep()).toMatchObject({
      swept: 1,
      queued: 1,
      failed: 0,
      reasons: { ownerless: 'the disposition or the trigger owner is not set' },
    });
    expect(asked).toHaveLength(1);
    expect(events.map(({ connection_id }) => connection_id)).toEqual(['in']);
  });

  it('sweeps some connections at a time', async () => {
    const crms = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`conn_${index}`, found(String(index + 1))]),
    );
    const { sweep, state } = service(crms);
    expect(await sweep()).toMatchObject({ swept: 40, queued: 40 });
    expect(state.most).toBeGreaterThan(1);
    expect(state.most).toBeLessThanOrEqual(6);
  });
});

describe('a connection that fails stops no other', () => {
  const passing: Crm = () => ({ kind: 'unavailable', reason: 'too many requests' });
  const breaking: Crm = () => {
    throw new Error('the queue refused 1 messages');
  };
  const half: Crm = (after) =>
    after === undefined ? { kind: 'found', ids: ['1'], next: '1' } : { kind: 'unavailable', reason: 'status 500' };

  it('and by what passes fails the run after all were tried, with the report: it is repeated', async () => {
    const { sweep, events, warnings } = service({ a: passing, b: found('7'), c: breaking, d: half, e: found('8') });
    const error = await sweep().catch((thrown: Error) => thrown);
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
    expect(events.map(({ lead }) => lead.lead_id).sort()).toEqual(['1', '7', '8']);
    expect(warnings).toContainEqual({ connection_id: 'a', reason: 'too many requests' });
  });

  it('and by what the CRM refuses for good is told, and fails no run: a repeat would be refused too', async () => {
    const { sweep, warnings } = service({ a: () => ({ kind: 'refused', reason: 'INVALID_QUERY' }), b: found('7') });
    expect(await sweep()).toMatchObject({ swept: 1, queued: 1, failed: 0, reasons: { a: 'INVALID_QUERY' } });
    expect(warnings).toEqual([{ connection_id: 'a', reason: 'INVALID_QUERY' }]);
  });

  it('and a run that has no time left fails instead of being cut off', async () => {
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
    expect(slow.events).toHaveLength(1);
  });
});
