import { describe, expect, it } from '@jest/globals';
import { phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { type ActivityEntry, activityExpiry } from '../../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { aCrmAConnection, aCrmAEvent, CALL, crmALeads, leadKey, phoneKey } from '../../support/crm-a-leads.ts';
import type { Contents } from '../../support/database.ts';
import { anAssistant, anOrg, MONDAY, ORG } from '../../support/items.ts';
import { CONNECTION, HOLD, PHONE, takenClaim } from '../../support/lead-world.ts';
import { START } from '../../support/world.ts';

const NOW = START;
const TODAY = MONDAY;
const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

describe('a lead that matches', () => {
  it('becomes a call with its hold, its claims of the IST day, its ledger entry and its Activity entry', async () => {
    const { process, all, entries, credit } = crmALeads();
    expect(await process()).toBe('call queued');
    expect(all('calls')).toEqual([
      {
        call_id: CALL,
        org_id: ORG,
        request_id: 'evt_1',
        status: 'queued',
        phone_number: PHONE,
        assistant_id: 'asst_1',
        assistant_name: 'Asha',
        request_metadata: JSON.stringify({ source: 'crm-a', connection_id: CONNECTION, lead_id: 'lead-1' }),
        connection_id: CONNECTION,
        lead: {
          crm: 'crm-a',
          connection_id: CONNECTION,
          lead_id: 'lead-1',
          event_id: 'evt_1',
          event: 'owner_reassignment',
          test: false,
          owner_id: 'owner-1',
          fields: { FirstName: 'Asha' },
        },
        claims_day: TODAY,
        created_at: NOW,
        progress_at: NOW,
        unfinished: 'waiting',
        rate: 1000,
        max_duration_seconds: 600,
        held: HOLD,
        dial_by: '2026-03-02T08:00:00.000Z',
        dial_after: NOW,
        attempts: 0,
      },
    ]);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
    expect(all('credit-ledger')).toMatchObject([{ org_id: ORG, kind: 'hold', amount: 0, held: HOLD, call_id: CALL }]);
    expect(all('claims')).toEqual([takenClaim(leadKey(), 'evt_1', START), takenClaim(phoneKey(), 'evt_1', START)]);
    expect(entries()).toEqual([
      {
        connection_id: CONNECTION,
        event_id: 'evt_1',
        org_id: ORG,
        at: NOW,
        source: 'webhook',
        event: 'owner_reassignment',
        test: false,
        lead_id: 'lead-1',
        phone_masked: '+91*******210',
        owner_id: 'owner-1',
        outcome: 'call queued',
        reason: 'The lead matches; its call is queued.',
        call_id: CALL,
        payload_keys: ['ProspectID', 'Phone'],
        expires_at: activityExpiry(NOW),
      },
    ]);
  });

  it('is marked as a test if its event is a test event', async () => {
    const { process, all, entries } = crmALeads();
    await process(aCrmAEvent({ source: 'test', event: 'test', test: true }));
    expect(all('calls')).toMatchObject([{ lead: { test: true, event: 'test' } }]);
    expect(entries()).toMatchObject([{ source: 'test', event: 'test', test: true }]);
  });

  it('writes call, credit, ledger and claims in one transaction, after each item was read once', async () => {
    const { process, requests } = crmALeads();
    await process();
    expect(requests).toEqual([
      'Get connections',
      'Get calls',
      'Get activity',
      'Get organizations',
      'Get assistants',
      'Get do-not-call',
      'BatchGet',
      'TransactWrite',
      'Put activity',
    ]);
  });
});

describe('a lead that does not match', () => {
  const refusals: [string, Contents, LeadEvent][] = [
    ['auto_call_disabled', { connections: [aCrmAConnection({ auto_call: false })] }, aCrmAEvent()],
    ['no_lead_id_in_payload', {}, aCrmAEvent({}, { lead_id: undefined })],
    ['owner_mismatch', {}, aCrmAEvent({}, { owner_id: 'owner-2' })],
    ['no_dialable_phone', {}, aCrmAEvent({}, { phones: ['n/a'] })],
    ['own_platform_number', { organizations: [anOrg({ platform_numbers: [PHONE] })] }, aCrmAEvent()],
    ['do_not_call', { 'do-not-call': [{ org_id: ORG, phone: PHONE, added_at: NOW }] }, aCrmAEvent()],
    ['do_not_call', {}, aCrmAEvent({}, { do_not_call: true })],
    ['assistant_missing', { assistants: [] }, aCrmAEvent()],
    ['assistant_missing', { connections: [aCrmAConnection({ assistant_id: undefined })] }, aCrmAEvent()],
    ['assistant_missing', { assistants: [anAssistant({ org_id: 'org2' })] }, aCrmAEvent()],
    ['already_called', { claims: [takenClaim(leadKey())] }, aCrmAEvent()],
    ['phone_already_called', { claims: [takenClaim(phoneKey())] }, aCrmAEvent()],
    ['insufficient_credits', { organizations: [anOrg({ available: HOLD - 1 })] }, aCrmAEvent()],
  ];

  it.each(refusals)('only gets its reason in Activity: %s', async (outcome, over, event) => {
    const { process, entries, snapshot, requests } = crmALeads(over);
    const before = snapshot();
    expect(await process(event)).toBe(outcome);
    const after = snapshot();
    expect(entries()).toHaveLength(1);
    expect({ ...entries()[0] }).toMatchObject({
      event_id: 'evt_1',
      outcome,
      reason: expect.stringMatching(/\.$/),
      payload_keys: ['ProspectID', 'Phone'],
      expires_at: activityExpiry(NOW),
    });
    expect(entries()[0]).not.toHaveProperty('call_id');
    before.delete('activity');
    after.delete('activity');
    expect(after).toEqual(before);
    expect(requests).not.toContain('TransactWrite');
  });

  it('can be retried only if the credit was not enough', async () => {
    for (const [outcome, over, event] of refusals) {
      const { process, entries } = crmALeads(over);
      await process(event);
      const { retryable } = entries()[0] as ActivityEntry;
      expect(retryable === undefined ? undefined : JSON.parse(retryable)).toEqual(
        outcome === 'insufficient_credits' ? event : undefined,
      );
    }
  });

  it('shows its phone masked, and no field that it does not have', async () => {
    const { process, entries } = crmALeads();
    await process(aCrmAEvent({ event_id: 'evt_2' }, { owner_id: 'other' }));
    await process(aCrmAEvent({ event_id: 'evt_3' }, { lead_id: undefined, phones: [], owner_id: undefined }));
    expect(JSON.stringify(entries())).not.toMatch(/9876543210|98765 43210/);
    expect(entries()[0]?.phone_masked).toBe('+91*******210');
    for (const name of ['lead_id', 'phone_masked', 'owner_id', 'call_id', 'retryable'])
      expect(entries()[1]).not.toHaveProperty(name);
  });

  it.each(['43210', '1', '9876543210987654321098', 'ask Asha 98765', 'Zoë+91'])(
    'shows no digit and no letter of a phone that cannot be dialed: %j',
    async (phone) => {
      const { process, entries } = crmALeads();
      expect(await process(aCrmAEvent({}, { phones: [phone] }))).toBe('no_dialable_phone');
      expect(entries()[0]?.phone_masked).toMatch(/^[*\s()+.-]{1,20}$/);
    },
  );
});

describe('a lead that may have been called before', () => {
  const outcomeWith = async (claims: object[], event = aCrmAEvent(), now = NOW) => {
    const world = crmALeads({ claims });
    world.now = now;
    return world.process(event);
  };
  // 18:30 UTC is midnight IST
  const late = '2026-03-02T18:29:59.999Z';
  const after = '2026-03-02T18:30:00.000Z';
  const NEXT = '2026-03-03';

  it('is decided by the claims of the IST day of the decision', async () => {
    expect(await outcomeWith([takenClaim(leadKey(TODAY))], aCrmAEvent({ at: late }), late)).toBe('already_called');
    expect(await outcomeWith([takenClaim(leadKey(TODAY))], aCrmAEvent({ at: after }), after)).toBe('call queued');
    expect(await outcomeWith([takenClaim(phoneKey(TODAY))], aCrmAEvent({ at: late }), late)).toBe(
      'phone_already_called',
    );
    expect(await outcomeWith([takenClaim(phoneKey(TODAY))], aCrmAEvent({ at: after }), after)).toBe('call queued');
  });

  it('that waited past midnight counts as called by a lead claim of either day, or a phone claim of the new day', async () => {
    expect(await outcomeWith([takenClaim(leadKey(TODAY))], aCrmAEvent({ at: late }), after)).toBe('already_called');
    expect(await outcomeWith([takenClaim(leadKey(NEXT))], aCrmAEvent({ at: late }), after)).toBe('already_called');
    expect(await outcomeWith([takenClaim(phoneKey(TODAY))], aCrmAEvent({ at: late }), after)).toBe('call queued');
    expect(await outcomeWith([takenClaim(phoneKey(NEXT))], aCrmAEvent({ at: late }), after)).toBe(
      'phone_already_called',
    );
  });

  it('is decided for a retry by the claims of every day since the original event', async () => {
    const retry = aCrmAEvent({
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: late,
      source: 'retry',
      at: '2026-03-04T06:00:00.000Z',
    });
    expect(await outcomeWith([takenClaim(leadKey(TODAY))], retry, retry.at)).toBe('already_called');
    expect(await outcomeWith([takenClaim(leadKey(NEXT))], retry, retry.at)).toBe('already_called');
    expect(await outcomeWith([takenClaim(leadKey('2026-03-01'))], retry, retry.at)).toBe('call queued');
    expect(await outcomeWith([takenClaim(leadKey('2026-03-04'))], retry, retry.at)).toBe('already_called');
  });

  it('claims the day of the decision', async () => {
    const world = crmALeads();
    world.now = after;
    await world.process(aCrmAEvent({ at: late }));
    expect(world.all('claims').map(({ claim }) => claim)).toEqual([leadKey(NEXT), phoneKey(NEXT)]);
    expect(world.all('calls')).toMatchObject([{ claims_day: istDay(new Date(after)) }]);
  });

  it('is not stopped by claims of other connections, leads, orgs and phones, except for its phone in its org', async () => {
    expect(
      await outcomeWith([
        takenClaim(leadKey(TODAY, 'lead-2')),
        takenClaim(leadKey(TODAY, 'lead-1', 'conn_2')),
        takenClaim(phoneKey(TODAY, 'org2')),
        takenClaim(phoneClaimKey(ORG, '+919812345678', TODAY)),
      ]),
    ).toBe('call queued');
    const { process } = crmALeads({ connections: [aCrmAConnection(), aCrmAConnection({ connection_id: 'conn_2' })] });
    expect(await process()).toBe('call queued');
    expect(await process(aCrmAEvent({ event_id: 'evt_2', connection_id: 'conn_2' }))).toBe('phone_already_called');
  });

  it('is not stopped by its own claims', async () => {
    const mine = [takenClaim(leadKey(), 'evt_1'), takenClaim(phoneKey(), 'evt_1')];
    expect(await outcomeWith(mine)).toBe('call queued');
    const retry = aCrmAEvent({
      event_id: 'evt_1.retry.2',
      original_event_id: 'evt_1',
      original_at: NOW,
      source: 'retry',
    });
    expect(await outcomeWith(mine, retry)).toBe('call queued');
  });
});

describe('an event that is delivered again', () => {
  it('has no further effect, whatever its outcome was', async () => {
    const worlds: Contents[] = [{}, { assistants: [] }, { organizations: [anOrg({ available: 0 })] }];
    for (const over of worlds) {
      const { process, snapshot, requests } = crmALeads(over);
      await process();
      const before = snapshot();
      requests.length = 0;
      expect(await process()).toBe('decided_before');
      expect(snapshot()).toEqual(before);
      expect(requests).toEqual(['Get connections', 'Get calls', 'Get activity']);
    }
  });

  it('is not decided again, even if the facts have changed since', async () => {
    const { process, put, entries, all } = crmALeads({ organizations: [anOrg({ available: 0 })] });
    expect(await process()).toBe('insufficient_credits');
    put('organizations', anOrg());
    expect(await process()).toBe('decided_before');
    expect(entries()).toMatchObject([{ outcome: 'insufficient_credits' }]);
    expect(all('calls')).toEqual([]);
  });

  it('after its transaction, but before its entry, is recorded once as the call that was placed', async () => {
    const { process, hooks, put, all, entries, credit } = crmALeads();
    hooks.before = (operation, { TableName }) => {
      if (operation === 'Put' && TableName === 'activity') throw timeOut();
    };
    await expect(process()).rejects.toThrow('timed out');
    expect(entries()).toEqual([]);
    const calls = structuredClone(all('calls'));
    hooks.before = undefined;
    put('connections', aCrmAConnection({ auto_call: false, token_hash: undefined }));
    put('do-not-call', { org_id: ORG, phone: PHONE, added_at: NOW });
    put('organizations', anOrg({ available: 0, held: HOLD }));

    expect(await process()).toBe('call queued');
    expect(await process()).toBe('decided_before');
    expect(entries()).toMatchObject([{ event_id: 'evt_1', outcome: 'call queued', call_id: CALL }]);
    expect(all('calls')).toEqual(calls);
    expect(all('credit-ledger')).toHaveLength(1);
    expect(credit()).toEqual({ available: 0, held: HOLD });
  });

  it('after a transaction whose answer was lost places the same call, with one hold', async () => {
    const { process, hooks, all, entries, credit } = crmALeads();
    hooks.after = (operation) => {
      if (operation === 'TransactWrite') throw timeOut();
    };
    await expect(process()).rejects.toThrow('timed out');
    hooks.after = undefined;
    expect(await process()).toBe('call queued');
    expect(all('calls')).toHaveLength(1);
    expect(entries()).toHaveLength(1);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
  });

  it('three times at once results in one call and one entry', async () => {
    const { process, all, entries, credit, requests } = crmALeads();
    const outcomes = await Promise.all([process(), process(), process()]);
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(3);
    expect(outcomes).toEqual(['call queued', 'call queued', 'call queued']);
    expect(all('calls')).toHaveLength(1);
    expect(entries()).toMatchObject([{ outcome: 'call queued', call_id: CALL }]);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
  });

  it('as a retry places the call of the original event', async () => {
    const retry = aCrmAEvent({
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: NOW,
      source: 'retry',
    });
    const first = crmALeads();
    await first.process();
    expect(await first.process(retry)).toBe('call queued');
    expect(first.all('calls')).toHaveLength(1);
    expect(first.entries()).toMatchObject([
      { event_id: 'evt_1', call_id: CALL },
      { event_id: 'evt_1.retry.1', source: 'retry', call_id: CALL },
    ]);

    const later = crmALeads();
    expect(await later.process(retry)).toBe('call queued');
    expect(later.all('calls')).toMatchObject([
      { call_id: CALL, request_id: 'evt_1.retry.1', lead: { event_id: 'evt_1' } },
    ]);
    expect(await later.process(aCrmAEvent())).toBe('call queued');
    expect(later.all('calls')).toHaveLength(1);
  });

  it('as a retry that lacks credit again can be retried with its original event', async () => {
    const { process, entries } = crmALeads({ organizations: [anOrg({ available: 0 })] });
    const retry = aCrmAEvent({
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: NOW,
      source: 'retry',
    });
    expect(await process(retry)).toBe('insufficient_credits');
    expect(JSON.parse(entries()[0]?.retryable ?? '')).toEqual(retry);
  });
});

describe('an event without a connection or an org', () => {
  it('is dropped without a write', async () => {
    const worlds: [string, Contents][] = [
      ['no_such_connection', { connections: [] }],
      ['no_such_org', { organizations: [] }],
    ];
    for (const [word, over] of worlds) {
      const { process, snapshot } = crmALeads(over);
      const before = snapshot();
      expect(await process()).toBe(word);
      expect(snapshot()).toEqual(before);
    }
  });
});

describe("the connection's last delivery", () => {
  const lastOf = async (over: Partial<Connection>, event: Partial<LeadEvent> = {}) => {
    const { process, all } = crmALeads({ connections: [aCrmAConnection({ ...over })] });
    await process(aCrmAEvent(event));
    return (all('connections')[0] as Connection).last_delivery_at;
  };
  const earlier = '2026-03-02T05:59:00.000Z';

  it('is recorded by the first processed event, once a minute', async () => {
    expect(await lastOf({ last_delivery_at: undefined })).toBe(NOW);
    expect(await lastOf({ last_delivery_at: earlier })).toBe(NOW);
    expect(await lastOf({ last_delivery_at: '2026-03-02T05:59:30.000Z' })).toBe('2026-03-02T05:59:30.000Z');
  });

  it('is recorded at once if deliveries were refused since', async () => {
    const rejection = { at: '2026-03-02T05:59:40.000Z', reason: 'unauthorized' };
    expect(await lastOf({ last_delivery_at: '2026-03-02T05:59:30.000Z', rejection })).toBe(NOW);
  });

  it('is not recorded for test events and retries, and never moves back', async () => {
    for (const source of ['test', 'retry'] as const)
      expect(await lastOf({ last_delivery_at: undefined }, { source })).toBeUndefined();
    expect(await lastOf({ last_delivery_at: '2026-03-02T07:00:00.000Z' })).toBe('2026-03-02T07:00:00.000Z');
  });
});
