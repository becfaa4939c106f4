import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/deliveries/webhook-token.ts';
import type { LeadPayload } from '../../../../shared/integrations/crm-a/lead-payload.ts';
import type { Notification } from '../../../../shared/integrations/crm-b/notification.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { type LeadDelivery, receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';
import { aConnection } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

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

const anEvent = {
  event_id: expect.stringMatching(/^evt_[0-9a-f]{28}$/),
  connection_id: 'conn_1',
  source: 'webhook',
  test: false,
  at: START,
};
const expectReadable = (events: LeadEvent[]) =>
  expect(events.map((event) => leadEvent.parse(JSON.parse(JSON.stringify(event))))).toEqual(events);

/** A connection that receives deliveries. Reads of a body and sends to the queue are listed with the requests. */
function aReceiver(type: Connection['type'], over: Partial<Connection> | null) {
  const world = aWorld(over ? { connections: [aConnection({ type, token_hash: hash, ...over })] } : {});
  const leadQueue = world.queue<LeadEvent>();
  const sendMany = (messages: readonly LeadEvent[]) => {
    world.requests.push(`queue: ${messages.length}`);
    return leadQueue.sendMany(messages);
  };
  const deps = { ...world.common, leadQueue: { sendMany } };
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
  it('reads the connection, then the body, and then writes to the queue, even while auto-call is off', async () => {
    const world = receiver({ auto_call: false });
    expect(await world.as(TOKEN)).toBe('received');
    expect(world.requests).toEqual(['Get connections', 'body', 'queue: 1', 'Update connections']);
    expect(world.events()).toHaveLength(1);
  });

  it.each([
    ['the first one', undefined, START],
    ['one a minute after the previous one', '2026-03-02T05:59:00.000Z', START],
    ['one within the minute', '2026-03-02T05:59:30.000Z', '2026-03-02T05:59:30.000Z'],
  ])('is recorded on its connection, once a minute: %s', async (_what, last_delivery_at, recorded) => {
    const world = receiver({ last_delivery_at });
    await world.as(TOKEN);
    expect(world.connection().last_delivery_at).toBe(recorded);
    expect(world.requests.includes('Update connections')).toBe(recorded === START);
  });

  it('ends a silence at once, and is accepted even if it cannot be recorded', async () => {
    const silent = { last_delivery_at: '2026-03-02T05:59:30.000Z', silent_since: '2026-03-02T05:00:00.000Z' };
    const world = receiver(silent);
    world.hooks.before = (operation) => {
      if (operation === 'Update') throw new Error('throttled');
    };
    expect(await world.as(TOKEN)).toBe('received');
    expect(world.connection()).toMatchObject(silent);
    expect(world.logged).toMatchObject([{ message: 'a delivery could not be recorded', reason: 'throttled' }]);
    delete world.hooks.before;
    expect(await world.as(TOKEN)).toBe('received');
    expect(world.connection()).toMatchObject({ last_delivery_at: START });
    expect(world.connection().silent_since).toBeUndefined();
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

  it('records at most one rejection a minute, but a wrong body at once after wrong tokens', async () => {
    const world = receiver({ last_delivery_at: START });
    for (const [token, reason, noted] of [
      [OTHER, 'unauthorized', 0],
      [TOKEN, 'invalid body', 20],
      [undefined, 'unauthorized', 20],
      [TOKEN, 'invalid body', 20],
      [OTHER, 'unauthorized', 80],
    ] as const) {
      expect(await world.as(token, 'invalid')).toBe(reason);
      expect(world.connection().rejection?.at).toBe(new Date(Date.parse(START) + noted * 1000).toISOString());
      world.pass(20);
    }
    expect(world.requests.filter((request) => request === 'Update connections')).toHaveLength(3);
  });

  it('is still shown as refused for its body when a stranger sends a wrong token', async () => {
    const world = receiver();
    await world.as(TOKEN, 'invalid');
    world.pass(3_600);
    await world.as(OTHER);
    expect(world.connection()).toMatchObject({ rejection: { at: START, reason: 'invalid body' }, rejected_minutes: 1 });
  });
});

describe('the leads of a delivery of CRM-A', () => {
  it('become one event each, in the order of the list, in one write to the queue, and new events if the delivery is repeated', async () => {
    const payloads = Array.from({ length: 60 }, (_, index) => [
      payload(`new-${index}`),
      payload(`old-${index}`, 'owner_reassignment'),
    ]).flat();
    const world = crmA();
    await world.deliver({}, payloads);
    expect(world.requests).toEqual(['Get connections', 'body', 'queue: 120', 'Update connections']);
    const expected = payloads.map(({ event, lead, keys }, index) => {
      const at = new Date(Date.parse(START) - (119 - index)).toISOString();
      return { ...anEvent, event, lead, payload_keys: keys, at };
    });
    expect(world.events()).toEqual(expected);
    expectReadable(world.events());
    // CRM-A sends no delivery id.
    await world.deliver({}, payloads);
    expect(new Set(world.events().map(({ event_id }) => event_id)).size).toBe(240);
  });

  it.each<[string, string | undefined, string, Body, string, boolean[]]>([
    ['only the header of tests', undefined, TOKEN, undefined, 'received', [true]],
    ['only the header of tests, and a wrong token in the other', 'wrong', TOKEN, undefined, 'received', [true]],
    ['only the usual header, and a wrong token in the other', TOKEN, 'wrong', undefined, 'received', [false]],
    ['both headers', TOKEN, TOKEN, undefined, 'received', [false]],
    ['only the header of tests, and the body is invalid', undefined, TOKEN, 'invalid', 'invalid body', []],
    ['neither header', undefined, OTHER, undefined, 'unauthorized', []],
  ])('are test events if only the header of tests has the token: %s', async (...row) => {
    const [, token, testToken, body, receipt, tests] = row;
    const world = crmA();
    expect(await world.deliver({ token, testToken }, undefined, body)).toBe(receipt);
    expect(world.events().map(({ test }) => test)).toEqual(tests);
    const off = crmA({ token_hash: undefined });
    expect(await off.deliver({ token, testToken }, undefined, body)).toBe('unauthorized');
  });
});

describe('the leads of a notification of CRM-B', () => {
  it('become one event each, in one write to the queue, which contains only the id of its lead', async () => {
    const world = crmB();
    await world.deliver(notification({ ids: ['7', '8'], event: 'lead_edited' }));
    expect(world.requests).toEqual(['Get connections', 'body', 'queue: 2', 'Update connections']);
    const lead = { phones: [], do_not_call: false, fields: {} };
    const event = { ...anEvent, event: 'lead_edited', payload_keys: ['token', 'ids'] };
    expect(world.events()).toEqual(['7', '8'].map((lead_id) => ({ ...event, lead: { ...lead, lead_id } })));
    expect(new Set(world.events().map(({ event_id }) => event_id)).size).toBe(2);
    expectReadable(world.events());
  });

  it.each([
    [[], undefined, undefined],
    [[], 'The CRM deleted the lead.', undefined],
    [['7'], 'The CRM deleted the lead.', '7'],
    [['7', '8'], 'The CRM deleted the lead.', undefined],
  ])('become one event, so that Activity shows it, if none of %j is callable: %s', async (ids, ignored, lead_id) => {
    const world = crmB();
    await world.deliver(notification({ ids, event: 'lead_deleted', ...(ignored && { ignored }) }));
    const lead = { phones: [], do_not_call: false, fields: {}, ...(lead_id && { lead_id }) };
    expect(world.events().map((event) => [event.event, event.ignored, event.lead])).toEqual([
      ['lead_deleted', ignored, lead],
    ]);
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
    await expect(world.deliver(notification({ sentAt: '2026-03-02T05:00:00.000Z' }))).rejects.toThrow();
    expect(world.connection().catch_up_from).toBe('2026-03-02T04:45:00.000Z');
    const quiet = crmB({ last_delivery_at: '2026-03-02T03:00:00.000Z' });
    quiet.leadQueue.refusal = world.leadQueue.refusal;
    await expect(quiet.deliver()).rejects.toThrow();
    // The channel may have been silent since then.
    expect(quiet.connection().catch_up_from).toBe('2026-03-02T02:45:00.000Z');
  });

  it.each([
    ['2026-03-02T05:30:00.000Z', '2026-03-02T05:30:00.000Z'],
    ['2026-03-01T06:00:00.000Z', '2026-03-01T06:00:00.000Z'],
    ['2026-03-01T05:59:59.999Z', undefined],
    ['2026-03-02T06:00:00.001Z', undefined],
    [undefined, undefined],
  ])('have the time at which CRM-B sent the notification if it is credible: %s', async (sentAt, changed_at) => {
    const world = crmB();
    await world.deliver(notification(sentAt === undefined ? {} : { sentAt }));
    expect(world.events().map((event) => event.changed_at)).toEqual([changed_at]);
    expectReadable(world.events());
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
