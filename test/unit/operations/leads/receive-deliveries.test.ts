import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/webhook-token.ts';
import type { LeadPayload } from '../../../../shared/integrations/crm-a/lead-payload.ts';
import type { Notification } from '../../../../shared/integrations/crm-b/notification.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { type LeadDelivery, receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';
import { aConnection } from '../../support/items.ts';
import { aWorld, START } from '../../support/world.ts';

const [TOKEN, OTHER] = [newWebhookToken(), newWebhookToken()];
const hash = hashWebhookToken(TOKEN);
type Body = 'invalid' | 'too large' | undefined;

const payload = (id: string, event: LeadPayload['event'] = 'new_lead'): LeadPayload => ({
  event,
  lead: { lead_id: id, phones: ['98765 43210'], do_not_call: false, fields: { FirstName: 'Asha' } },
  keys: ['ProspectID', 'Phone'],
});
const notification = (more: Partial<Notification> = {}): Notification => ({
  ids: ['7'],
  event: 'new_lead',
  keys: ['token', 'ids'],
  ...more,
});

/** A connection that receives deliveries. Reads of a body are listed with the requests. */
function aReceiver(type: Connection['type'], over: Partial<Connection> | null) {
  const world = aWorld(over ? { connections: [aConnection({ type, token_hash: hash, ...over })] } : {});
  const leadQueue = world.queue<LeadEvent>();
  const deps = { ...world.common, leadQueue };
  const reading = <T>(body: Body, value: T): T | 'too large' | undefined => {
    world.requests.push('body');
    return body === undefined ? value : body === 'invalid' ? undefined : body;
  };
  return Object.assign(world, {
    deps,
    leadQueue,
    reading,
    events: () => leadQueue.sent.map(({ message }) => message),
    connection: () => world.all('connections')[0] as Connection,
  });
}

function crmA(over: Partial<Connection> | null = {}) {
  const world = aReceiver('crm-a', over);
  const deliver = (delivery: Partial<LeadDelivery> = {}, payloads = [payload('lead-1')], body?: Body) =>
    receiveCrmALead(world.deps, {
      ...{ connectionId: 'conn_1', token: TOKEN, testToken: undefined },
      read: () => world.reading(body, payloads),
      ...delivery,
    });
  return Object.assign(world, { deliver, as: (token?: string, body?: Body) => deliver({ token }, undefined, body) });
}

function crmB(over: Partial<Connection> | null = {}) {
  const world = aReceiver('crm-b', over);
  const deliver = (content = notification(), token: string | undefined = TOKEN, body?: Body) =>
    receiveCrmBNotification(world.deps, {
      connectionId: 'conn_1',
      open: () => ({ token, read: () => world.reading(body, content) }),
    });
  return Object.assign(world, { deliver, as: (token?: string, body?: Body) => deliver(undefined, token ?? '', body) });
}

describe.each([
  ['CRM-A', crmA, ['crm-b', 'help-desk']],
  ['CRM-B', crmB, ['crm-a', 'help-desk']],
] as const)('a delivery of %s', (_name, receiver, otherTypes) => {
  it('reads the connection, then the body, and then writes to the queue', async () => {
    const world = receiver();
    expect(await world.as(TOKEN)).toBe('received');
    expect(world.requests).toEqual(['Get connections', 'body']);
    expect(world.events()).toHaveLength(1);
  });

  it('is accepted while auto-call is off, so that Activity shows the decision', async () => {
    const world = receiver({ auto_call: false });
    expect(await world.as(TOKEN)).toBe('received');
    expect(world.events()).toHaveLength(1);
  });

  it('fails if the queue refuses it, and does not count as rejected', async () => {
    const world = receiver();
    world.leadQueue.refusal = new Error('the queue refused 1 messages');
    await expect(world.as(TOKEN)).rejects.toThrow('the queue refused 1 messages');
    expect(world.connection()).not.toHaveProperty('rejection');
  });

  it('is refused for an unknown connection, or one of another type, before its body is read', async () => {
    for (const over of [null, ...otherTypes.map((type) => ({ type }))])
      for (const token of [TOKEN, OTHER, undefined]) {
        const world = receiver(over);
        expect(await world.as(token)).toBe('unknown connection');
        expect(world.requests).toEqual(['Get connections']);
      }
  });

  it.each<[string, string | undefined, Partial<Connection>]>([
    ['no token', undefined, {}],
    ['an empty token', '', {}],
    ['another token', OTHER, {}],
    ['the hash of the token', hash, {}],
    ['the token of a connection that is switched off', TOKEN, { token_hash: undefined }],
    ['a former token after its time', OTHER, { former_token: { hash: hashWebhookToken(OTHER), until: START } }],
  ])('is refused as unauthorized before its body is read: %s', async (_what, token, over) => {
    for (const body of [undefined, 'too large', 'invalid'] as const) {
      const world = receiver(over);
      expect(await world.as(token, body)).toBe('unauthorized');
      expect(world.requests).toEqual(['Get connections', 'Update connections']);
      expect(world.connection().rejection).toEqual({ at: START, reason: 'unauthorized' });
    }
  });

  it.each([
    ['invalid', 'invalid body'],
    ['too large', 'payload too large'],
  ] as const)('is refused for a body that is %s after its sender is known', async (body, reason) => {
    const world = receiver();
    expect(await world.as(TOKEN, body)).toBe(reason);
    expect(world.requests).toEqual(['Get connections', 'body', 'Update connections']);
    expect(world.connection().rejection).toEqual({ at: START, reason });
    expect(world.events()).toEqual([]);
  });

  it('records at most one rejection a minute, however many deliveries are refused', async () => {
    const deliveries = fc.array(
      fc.record({ seconds: fc.integer({ min: 0, max: 45 }), token: fc.constantFrom(OTHER, undefined, TOKEN) }),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(deliveries, async (all) => {
        const world = receiver();
        const written = new Set<string>();
        for (const { seconds, token } of all) {
          world.pass(seconds);
          expect(await world.as(token, 'invalid')).toBe(token === TOKEN ? 'invalid body' : 'unauthorized');
          written.add(world.connection().rejection?.at ?? '');
        }
        const instants = [...written].map((at) => Date.parse(at));
        for (const [index, instant] of instants.entries())
          if (index > 0) expect(instant - (instants[index - 1] ?? 0)).toBeGreaterThanOrEqual(60_000);
      }),
    );
  });
});

describe('the leads of a delivery of CRM-A', () => {
  it('become one event each, with unique ids that sort by time', async () => {
    const payloads = Array.from({ length: 120 }, (_, index) =>
      payload(`lead-${index}`, index % 2 ? 'owner_reassignment' : 'new_lead'),
    );
    const world = crmA();
    await world.deliver({}, payloads);
    const first = world.events();
    expect(first.map(({ event, lead }) => [event, lead.lead_id])).toEqual(
      payloads.map(({ event, lead }) => [event, lead.lead_id]),
    );
    expect(first[0]).toEqual({
      event_id: expect.stringMatching(/^evt_[0-9a-f]{28}$/),
      connection_id: 'conn_1',
      source: 'webhook',
      event: 'new_lead',
      test: false,
      at: START,
      lead: payload('lead-0').lead,
      payload_keys: ['ProspectID', 'Phone'],
    });
    expect(leadEvent.parse(JSON.parse(JSON.stringify(first[0])))).toEqual(first[0]);

    // A repeated delivery makes new events, because CRM-A sends no delivery id.
    world.pass(0.001);
    await world.deliver({}, payloads);
    const ids = world.events().map(({ event_id }) => event_id);
    expect(new Set(ids).size).toBe(240);
    const [earlier, later] = [ids.slice(0, 120).sort(), ids.slice(120).sort()];
    expect((earlier.at(-1) ?? '') < (later[0] ?? '')).toBe(true);
  });

  it('are test events if only the header of test deliveries contains the token', async () => {
    const world = crmA();
    expect(await world.deliver({ token: undefined, testToken: TOKEN })).toBe('received');
    expect(await world.deliver({ token: 'wrong', testToken: TOKEN })).toBe('received');
    expect(await world.deliver({ token: TOKEN, testToken: 'wrong' })).toBe('received');
    expect(await world.deliver({ token: TOKEN, testToken: TOKEN })).toBe('received');
    expect(world.events().map(({ test }) => test)).toEqual([true, true, false, false]);
    expect(await world.deliver({ token: undefined, testToken: TOKEN }, undefined, 'invalid')).toBe('invalid body');
    expect(await world.deliver({ token: undefined, testToken: OTHER })).toBe('unauthorized');
    const off = crmA({ token_hash: undefined });
    expect(await off.deliver({ token: undefined, testToken: TOKEN })).toBe('unauthorized');
  });
});

describe('the leads of a notification of CRM-B', () => {
  it('become one event each, which contains only the id of its lead', async () => {
    const world = crmB();
    await world.deliver(notification({ ids: ['7', '8'], event: 'lead_edited' }));
    const events = world.events();
    expect(events).toEqual(
      ['7', '8'].map((lead_id) => ({
        event_id: expect.stringMatching(/^evt_[0-9a-f]{28}$/),
        connection_id: 'conn_1',
        source: 'webhook',
        event: 'lead_edited',
        test: false,
        at: START,
        lead: { lead_id, phones: [], do_not_call: false, fields: {} },
        payload_keys: ['token', 'ids'],
      })),
    );
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(2);
    for (const event of events) expect(leadEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it('become one event without a lead if it names none, so that Activity shows it', async () => {
    const world = crmB();
    await world.deliver(notification({ ids: [] }));
    expect(world.events().map(({ lead }) => lead)).toEqual([{ phones: [], do_not_call: false, fields: {} }]);
    expect(world.events()[0]).not.toHaveProperty('ignored');
  });

  it.each([
    [[], undefined],
    [['7'], '7'],
    [['7', '8'], undefined],
  ])('become one event with the reason if it is ignored (%j)', async (ids, lead_id) => {
    const world = crmB();
    const ignored = 'The CRM deleted the lead.';
    await world.deliver(notification({ ids, event: 'lead_deleted', ignored }));
    expect(world.events()).toMatchObject([{ event: 'lead_deleted', ignored }]);
    expect(world.events()[0]?.lead.lead_id).toBe(lead_id);
  });

  it('are accepted with the token of a channel that is being armed, or of the former one until it expires', async () => {
    for (const over of [
      { pending_token_hashes: ['0', hashWebhookToken(OTHER)] },
      { former_token: { hash: hashWebhookToken(OTHER), until: '2026-03-02T06:00:01.000Z' } },
    ])
      for (const token of [OTHER, TOKEN]) expect(await crmB(over).as(token)).toBe('received');
  });

  it('are caught up on if the queue refuses them, from a time before their change', async () => {
    const world = crmB();
    await world.deliver();
    expect(world.connection()).not.toHaveProperty('catch_up_from');
    world.leadQueue.refusal = new Error('the queue refused');
    await expect(world.deliver()).rejects.toThrow('the queue refused');
    expect(world.connection().catch_up_from).toBe('2026-03-02T05:45:00.000Z');
  });

  it('fail with both errors if the gap cannot be stored either', async () => {
    const world = crmB();
    const [refused, lost] = [new Error('the queue refused'), new Error('no table')];
    world.leadQueue.refusal = refused;
    world.hooks.before = (operation) => {
      if (operation === 'Update') throw lost;
    };
    await expect(world.deliver()).rejects.toMatchObject({ errors: [refused, lost] });
  });
});
