import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/webhook-token.ts';
import type { LeadPayload } from '../../../../shared/integrations/crm-a/lead-payload.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { type LeadDelivery, receiveCrmALead } from '../../../../shared/operations/leads/receive-crm-a-lead.ts';

const TOKEN = newWebhookToken();
const START = '2026-03-02T06:00:00.000Z';

const connection: Connection = {
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'crm-a',
  created_at: '2026-01-01T00:00:00.000Z',
  auto_call: true,
  token_hash: hashWebhookToken(TOKEN),
};

const payload = (id: string, event: LeadPayload['event'] = 'new_lead'): LeadPayload => ({
  event,
  lead: { lead_id: id, phones: ['98765 43210'], do_not_call: false, fields: { FirstName: 'Asha' } },
  keys: ['ProspectID', 'Phone'],
});

/** Stores that remember the order of what was asked of them. */
function service({
  stored = connection as Connection | null,
  read = (): ReturnType<LeadDelivery['read']> => [payload('lead-1')],
  send = async (): Promise<void> => {},
} = {}) {
  const steps: string[] = [];
  const events: LeadEvent[] = [];
  const rejections: object[] = [];
  let kept = stored;
  const state = { now: START };
  const deps = {
    connections: {
      get: async (id: string) => {
        steps.push(`read ${id}`);
        return kept ?? undefined;
      },
      noteRejection: async (before: Connection, rejection: { at: string; reason: string }) => {
        steps.push('write rejection');
        rejections.push(rejection);
        kept = { ...before, rejection };
        return true;
      },
    },
    leadQueue: {
      send: async () => {
        throw new Error('one by one');
      },
      sendMany: async (all: readonly LeadEvent[]) => {
        steps.push('send');
        await send();
        events.push(...all);
      },
    },
    now: () => new Date(state.now),
  };
  const deliver = (over: Partial<LeadDelivery> = {}) =>
    receiveCrmALead(deps, {
      connectionId: 'conn_1',
      token: TOKEN,
      testToken: undefined,
      read: () => {
        steps.push('read body');
        return read();
      },
      ...over,
    });
  return { deliver, steps, events, rejections, state };
}

describe('a delivery of CRM-A', () => {
  it('is one read of the connection, then the body, then one send, and nothing else', async () => {
    const { deliver, steps } = service();
    expect(await deliver()).toBe('received');
    expect(steps).toEqual(['read conn_1', 'read body', 'send']);
  });

  it('becomes an event of the lead that the queue can read', async () => {
    const { deliver, events } = service();
    await deliver();
    expect(events).toEqual([
      {
        event_id: expect.stringMatching(/^evt_[0-9a-f]{28}$/),
        connection_id: 'conn_1',
        source: 'webhook',
        event: 'new_lead',
        test: false,
        at: START,
        lead: payload('lead-1').lead,
        payload_keys: ['ProspectID', 'Phone'],
      },
    ]);
    expect(leadEvent.parse(JSON.parse(JSON.stringify(events[0])))).toEqual(events[0]);
  });

  it('becomes one event per lead, in one send, each with an id of its own that sorts by time', async () => {
    const all = Array.from({ length: 120 }, (_, index) =>
      payload(`lead-${index}`, index % 2 ? 'owner_reassignment' : 'new_lead'),
    );
    const { deliver, steps, events, state } = service({ read: () => all });
    await deliver();
    expect(steps.filter((step) => step === 'send')).toHaveLength(1);
    expect(events.map(({ event, lead }) => ({ event, id: lead.lead_id }))).toEqual(
      all.map(({ event, lead }) => ({ event, id: lead.lead_id })),
    );
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(120);

    state.now = '2026-03-02T06:00:00.001Z';
    await deliver();
    const [first, second] = [events.slice(0, 120), events.slice(120)].map((some) =>
      some.map(({ event_id }) => event_id),
    );
    expect(([...(first ?? [])].sort().at(-1) as string) < ([...(second ?? [])].sort()[0] as string)).toBe(true);
  });

  it('sent twice is two events: the CRM gives no id by which they were one', async () => {
    const { deliver, events } = service();
    await deliver();
    await deliver();
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(2);
  });

  it('is a test where the token comes in the header of tests, and only there', async () => {
    const { deliver, events } = service();
    expect(await deliver({ token: undefined, testToken: TOKEN })).toBe('received');
    expect(await deliver({ token: 'wrong', testToken: TOKEN })).toBe('received');
    expect(await deliver({ token: TOKEN, testToken: 'wrong' })).toBe('received');
    expect(await deliver({ token: TOKEN, testToken: TOKEN })).toBe('received');
    expect(events.map(({ test }) => test)).toEqual([true, true, false, false]);
    expect(events.map(({ source }) => source)).toEqual(Array(4).fill('webhook'));
  });

  it('is taken while auto-call is off: the decision says so in Activity', async () => {
    const { deliver, events } = service({ stored: { ...connection, auto_call: false } });
    expect(await deliver()).toBe('received');
    expect(events).toHaveLength(1);
  });

  it('fails where the queue does not take it, so that the sender repeats it, and is no rejection', async () => {
    const { deliver, rejections } = service({
      send: async () => {
        throw new Error('the queue refused 1 messages');
      },
    });
    await expect(deliver()).rejects.toThrow('the queue refused 1 messages');
    expect(rejections).toEqual([]);
  });
});

describe('a delivery is refused', () => {
  const other = newWebhookToken();

  it.each<[string, Connection | null]>([
    ['no connection', null],
    ['a connection of another type', { ...connection, type: 'crm-b' as 'crm-a' }],
  ])('as unknown, without a write or a look at its body: %s', async (_what, stored) => {
    for (const token of [TOKEN, other, undefined]) {
      const { deliver, steps } = service({ stored });
      expect(await deliver({ token })).toBe('unknown connection');
      expect(steps).toEqual(['read conn_1']);
    }
  });

  it.each<[string, Partial<LeadDelivery>, Partial<Connection>]>([
    ['no token', { token: undefined }, {}],
    ['an empty token', { token: '' }, {}],
    ['another token', { token: other }, {}],
    ['another test token', { token: undefined, testToken: other }, {}],
    ['the hash', { token: connection.token_hash }, {}],
    ['a token of a connection that is off', {}, { token_hash: undefined }],
    ['a test token of a connection that is off', { token: undefined, testToken: TOKEN }, { token_hash: undefined }],
  ])('as unauthorized, without a look at its body: %s', async (_what, over, change) => {
    const { deliver, steps, rejections } = service({ stored: { ...connection, ...change } });
    expect(await deliver(over)).toBe('unauthorized');
    expect(steps).toEqual(['read conn_1', 'write rejection']);
    expect(rejections).toEqual([{ at: START, reason: 'unauthorized' }]);
  });

  it.each([
    ['invalid body', undefined],
    ['payload too large', 'too large'],
  ] as const)('as %s once its sender is known, and nothing is queued', async (receipt, body) => {
    const { deliver, steps, rejections } = service({ read: () => body });
    expect(await deliver()).toBe(receipt);
    expect(steps).toEqual(['read conn_1', 'read body', 'write rejection']);
    expect(rejections).toEqual([{ at: START, reason: receipt }]);
    expect(await deliver({ token: undefined, testToken: TOKEN })).toBe(receipt);
  });

  it('for its sender before its body', async () => {
    for (const body of [undefined, 'too large'] as const)
      expect(await service({ read: () => body }).deliver({ token: other })).toBe('unauthorized');
  });

  it('and that is written at most once a minute, however many come, for whatever reason', async () => {
    const gaps = fc.array(
      fc.record({ seconds: fc.integer({ min: 0, max: 45 }), token: fc.constantFrom(other, undefined, TOKEN) }),
      { minLength: 1, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(gaps, async (deliveries) => {
        const { deliver, rejections, state } = service({ read: () => undefined });
        let clock = Date.parse(START);
        for (const { seconds, token } of deliveries) {
          clock += seconds * 1000;
          state.now = new Date(clock).toISOString();
          expect(await deliver({ token })).toBe(token === TOKEN ? 'invalid body' : 'unauthorized');
        }
        const moments = (rejections as { at: string }[]).map(({ at }) => Date.parse(at));
        expect(moments.length).toBeGreaterThan(0);
        for (const [index, moment] of moments.entries())
          if (index > 0) expect(moment - (moments[index - 1] ?? 0)).toBeGreaterThanOrEqual(60_000);
      }),
    );
  });
});
