import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { hashWebhookToken, newWebhookToken } from '../../../../shared/domain/connections/webhook-token.ts';
import type { Notification } from '../../../../shared/integrations/crm-b/notification.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';

const TOKEN = newWebhookToken();
const START = '2026-03-02T06:00:00.000Z';

const connection: Connection = {
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'crm-b',
  created_at: '2026-01-01T00:00:00.000Z',
  auto_call: true,
  token_hash: hashWebhookToken(TOKEN),
};

const notification = (more: Partial<Notification> = {}): Notification => ({
  ids: ['7'],
  event: 'new_lead',
  keys: ['token', 'ids'],
  ...more,
});

/** Stores that remember the order of what was asked of them. */
function service({
  stored = connection as Connection | null,
  send = async (): Promise<void> => {},
  gapError = undefined as Error | undefined,
} = {}) {
  const steps: string[] = [];
  const events: LeadEvent[] = [];
  const rejections: object[] = [];
  const gaps: object[] = [];
  const deps = {
    connections: {
      get: async (id: string) => {
        steps.push(`read ${id}`);
        return stored ?? undefined;
      },
      noteRejection: async (_before: Connection, rejection: { at: string; reason: string }) => {
        steps.push('write rejection');
        rejections.push(rejection);
        return true;
      },
    },
    channels: {
      openGap: async (connectionId: string, from: string) => {
        if (gapError) throw gapError;
        gaps.push({ connectionId, from });
        return true;
      },
    },
    leadQueue: {
      sendMany: async (all: readonly LeadEvent[]) => {
        steps.push('send');
        await send();
        events.push(...all);
      },
    },
    now: () => new Date(START),
  };
  const deliver = (body: Notification | 'too large' | 'invalid' = notification(), token = TOKEN) =>
    receiveCrmBNotification(deps, {
      connectionId: 'conn_1',
      open() {
        steps.push('open body');
        return {
          token: token === 'none' ? undefined : token,
          read() {
            steps.push('read body');
            return body === 'invalid' ? undefined : body;
          },
        };
      },
    });
  return { deliver, steps, events, rejections, gaps };
}

describe('a notification of CRM-B', () => {
  it('is one read of the connection, then one send, and nothing else', async () => {
    const { deliver, steps } = service();
    expect(await deliver(notification({ ids: Array.from({ length: 500 }, (_, id) => String(id)) }))).toBe('received');
    expect(steps).toEqual(['read conn_1', 'open body', 'read body', 'send']);
  });

  it('becomes one event per lead that the queue can read: its id, and nothing that must be fetched', async () => {
    const { deliver, events } = service();
    await deliver(notification({ ids: ['7', '8'], event: 'lead_edited' }));
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

  it('without a lead is one event without one, so that Activity shows it', async () => {
    const { deliver, events } = service();
    await deliver(notification({ ids: [] }));
    expect(events).toHaveLength(1);
    expect(events[0]?.lead).toEqual({ phones: [], do_not_call: false, fields: {} });
    expect(events[0]).not.toHaveProperty('ignored');
  });

  it.each([
    [[], undefined],
    [['7'], '7'],
    [['7', '8'], undefined],
  ])('that is ignored is one event with the reason (%j)', async (ids, lead_id) => {
    const { deliver, events } = service();
    await deliver(notification({ ids, event: 'lead_deleted', ignored: 'The CRM deleted the lead.' }));
    expect(events).toMatchObject([{ event: 'lead_deleted', ignored: 'The CRM deleted the lead.' }]);
    expect(events[0]?.lead.lead_id).toBe(lead_id);
  });

  it('is taken while auto-call is off: the decision says so in Activity', async () => {
    const { deliver, events } = service({ stored: { ...connection, auto_call: false } });
    expect(await deliver()).toBe('received');
    expect(events).toHaveLength(1);
  });

  it('that the queue does not take leaves a gap to catch up on, from before its leads can have changed', async () => {
    const refusing = async () => {
      throw new Error('the queue refused');
    };
    const { deliver, gaps } = service({ send: refusing });
    await expect(deliver()).rejects.toThrow('the queue refused');
    expect(gaps).toEqual([{ connectionId: 'conn_1', from: '2026-03-02T05:45:00.000Z' }]);
    const taken = service();
    await taken.deliver();
    expect(taken.gaps).toEqual([]);
  });

  it('tells of both failures where the gap cannot be noted either', async () => {
    const [refused, lost] = [new Error('the queue refused'), new Error('no table')];
    const { deliver } = service({ send: () => Promise.reject(refused), gapError: lost });
    await expect(deliver()).rejects.toMatchObject({ errors: [refused, lost] });
  });

  it('fails where the queue does not take it, and is no rejection', async () => {
    const { deliver, rejections } = service({
      send: async () => {
        throw new Error('the queue refused 1 messages');
      },
    });
    await expect(deliver()).rejects.toThrow('the queue refused 1 messages');
    expect(rejections).toEqual([]);
  });
});

describe('the token of a notification', () => {
  const other = newWebhookToken();
  const soon = '2026-03-02T06:00:00.001Z';

  it.each<[string, Partial<Connection>, string]>([
    ['the current one', {}, TOKEN],
    ['one that a channel is being armed with', { pending_token_hashes: [hashWebhookToken(other)] }, other],
    ['the current one meanwhile', { pending_token_hashes: [hashWebhookToken(other)] }, TOKEN],
    ['the one before, for its time', { former_token: { hash: hashWebhookToken(other), until: soon } }, other],
  ])('is taken: %s', async (_what, change, token) => {
    const { deliver } = service({ stored: { ...connection, ...change } });
    expect(await deliver(notification(), token)).toBe('received');
  });

  it.each<[string, Partial<Connection>, string]>([
    ['another one', {}, other],
    ['an empty one', {}, ''],
    ['none', {}, 'none'],
    ['the hash', {}, connection.token_hash ?? ''],
    ['any, of a connection that is off', { token_hash: undefined }, TOKEN],
    ['the one before, after its time', { former_token: { hash: hashWebhookToken(other), until: START } }, other],
  ])('is refused, before the rest of the body is looked at: %s', async (_what, change, token) => {
    for (const body of [notification(), 'too large', 'invalid'] as const) {
      const { deliver, steps, rejections } = service({ stored: { ...connection, ...change } });
      expect(await deliver(body, token)).toBe('unauthorized');
      expect(steps).toEqual(['read conn_1', 'open body', 'write rejection']);
      expect(rejections).toEqual([{ at: START, reason: 'unauthorized' }]);
    }
  });
});

describe('a notification is refused', () => {
  it.each<[string, Connection | null]>([
    ['no connection', null],
    ['a connection of another type', { ...connection, type: 'crm-a' }],
    ['a help desk', { ...connection, type: 'help-desk' }],
  ])('as unknown, without a write or a look at its body: %s', async (_what, stored) => {
    const { deliver, steps } = service({ stored });
    expect(await deliver()).toBe('unknown connection');
    expect(steps).toEqual(['read conn_1']);
  });

  it.each([
    ['invalid', 'invalid body'],
    ['too large', 'payload too large'],
  ] as const)('as %s once its sender is known, and nothing is queued', async (body, reason) => {
    const { deliver, steps, rejections } = service();
    expect(await deliver(body)).toBe(reason);
    expect(steps).toEqual(['read conn_1', 'open body', 'read body', 'write rejection']);
    expect(rejections).toEqual([{ at: START, reason }]);
  });
});
