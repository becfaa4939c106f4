import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimFor } from '../../../../shared/domain/calls/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { type ActivityEntry, activityExpiry } from '../../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { callIdFor, callIdForLead } from '../../../../shared/domain/ids.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { type ProcessLeadDeps, processLead } from '../../../../shared/operations/leads/process-lead.ts';
import { callStore } from '../../../../shared/stores/calls/calls.ts';
import { claimStore } from '../../../../shared/stores/calls/claims.ts';
import { activityStore } from '../../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../../shared/stores/connections/connections.ts';
import { transactions } from '../../../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../../../shared/stores/organizations/assistants.ts';
import { creditLedger } from '../../../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../../../shared/stores/organizations/do-not-call.ts';
import { organizationStore } from '../../../../shared/stores/organizations/organizations.ts';
import { aCall } from '../../support/call.ts';
import { clientOf, database, type Item } from '../../support/database.ts';

const ORG = 'org0123456789abcdef';
const CONNECTION = 'conn_1';
const PHONE = '+919876543210';
const HOLD = 10_000; // 600 seconds at a rate of 1,000
const NOW = '2026-03-02T06:00:00.000Z';
const TODAY = '2026-03-02';

const connection: Connection = {
  connection_id: CONNECTION,
  org_id: ORG,
  type: 'crm-a',
  created_at: '2026-01-01T00:00:00.000Z',
  auto_call: true,
  assistant_id: 'asst_1',
  trigger_owner_user_id: 'owner-1',
  token_hash: 'hash',
  last_delivery_at: NOW,
};
const org = {
  org_id: ORG,
  name: 'Demo',
  created_at: '2026-01-01T00:00:00.000Z',
  available: 100_000,
  held: 0,
  rate: 1000,
  default_region: 'IN',
  platform_numbers: ['+15550100000'],
  callback_secrets: [],
};
const assistant = {
  assistant_id: 'asst_1',
  org_id: ORG,
  name: 'Asha',
  prompt: 'p',
  first_message: 'f',
  max_duration_seconds: 600,
  knowledge_base: [],
  created_at: org.created_at,
};
const contents = { connections: [connection], organizations: [org], assistants: [assistant] };

const anEvent = (over: Partial<LeadEvent> = {}, lead: Partial<LeadEvent['lead']> = {}): LeadEvent => ({
  event_id: 'evt_1',
  connection_id: CONNECTION,
  source: 'webhook',
  event: 'owner_reassignment',
  test: false,
  at: NOW,
  lead: {
    lead_id: 'lead-1',
    phones: ['n/a', '98765 43210'],
    owner_id: 'owner-1',
    do_not_call: false,
    fields: { FirstName: 'Asha' },
    ...lead,
  },
  payload_keys: ['ProspectID', 'Phone'],
  ...over,
});
const CALL = callIdForLead(CONNECTION, 'evt_1');

type Send = (command: never) => Promise<unknown>;

function service(over: Record<string, object[]> = {}, wrap: (send: Send) => Send = (send) => send) {
  const database_ = database({ ...contents, ...over });
  const db = clientOf(wrap(database_.send));
  const state = { now: NOW };
  const told: object[] = [];
  const deps: ProcessLeadDeps = {
    connections: connectionStore(db, 'connections'),
    organizations: organizationStore(db, 'organizations'),
    assistants: assistantStore(db, 'assistants'),
    calls: callStore(db, 'calls'),
    claims: claimStore(db, 'claims'),
    doNotCall: doNotCallStore(db, 'do-not-call'),
    ledger: creditLedger(db, 'credit-ledger'),
    activity: activityStore(db, 'activity'),
    fetchLead: async () => {
      throw new Error('CRM-A tells all of a lead in its delivery');
    },
    leadQueue: { send: async () => undefined, sendMany: async () => undefined },
    transact: transactions(db, { random: () => 0, sleep: async () => {} }),
    correlate: (ids) => told.push(ids),
    warn: (_message, facts) => told.push(facts),
    now: () => new Date(state.now),
  };
  const process = (event = anEvent()) => processLead(deps, event);
  const entries = () => database_.all('activity') as ActivityEntry[];
  const credit = () => {
    const { available, held } = database_.all('organizations')[0] as typeof org;
    return { available, held };
  };
  return { ...database_, process, state, entries, credit };
}

/** A claim of another event. */
const claimOf = (key: string, eventId = 'evt_other') =>
  claimFor(key, { ownerId: eventId, callId: callIdForLead(CONNECTION, eventId), now: new Date(NOW) });
const leadKey = (day = TODAY, leadId = 'lead-1', connectionId = CONNECTION) => leadClaimKey(connectionId, leadId, day);
const phoneKey = (day = TODAY, orgId = ORG) => phoneClaimKey(orgId, PHONE, day);
const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

describe('a lead that matches', () => {
  it('becomes a call with its credit held, its claims of the IST day, and a line in ledger and Activity', async () => {
    const { process, all, entries, credit } = service();
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
    expect(all('claims')).toEqual([
      { ...claimOf(leadKey(), 'evt_1'), call_id: CALL },
      { ...claimOf(phoneKey(), 'evt_1'), call_id: CALL },
    ]);
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

  it('is marked as a test where its event is one', async () => {
    const { process, all, entries } = service();
    await process(anEvent({ source: 'test', event: 'test', test: true }));
    expect(all('calls')).toMatchObject([{ lead: { test: true, event: 'test' } }]);
    expect(entries()).toMatchObject([{ source: 'test', event: 'test', test: true }]);
  });

  it('takes all writes to call, credit, ledger and claims in one transaction, and the reads in two rounds beside the org', async () => {
    const { process, requests } = service();
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

describe('a lead that does not', () => {
  const refusals: [string, Record<string, object[]>, LeadEvent][] = [
    ['auto_call_disabled', { connections: [{ ...connection, auto_call: false }] }, anEvent()],
    ['no_lead_id_in_payload', {}, anEvent({}, { lead_id: undefined })],
    ['owner_mismatch', {}, anEvent({}, { owner_id: 'owner-2' })],
    ['no_dialable_phone', {}, anEvent({}, { phones: ['n/a'] })],
    ['own_platform_number', { organizations: [{ ...org, platform_numbers: [PHONE] }] }, anEvent()],
    ['do_not_call', { 'do-not-call': [{ org_id: ORG, phone: PHONE, added_at: NOW }] }, anEvent()],
    ['do_not_call', {}, anEvent({}, { do_not_call: true })],
    ['assistant_missing', { assistants: [] }, anEvent()],
    ['assistant_missing', { connections: [{ ...connection, assistant_id: undefined }] }, anEvent()],
    ['assistant_missing', { assistants: [{ ...assistant, org_id: 'org2' }] }, anEvent()],
    ['already_called', { claims: [claimOf(leadKey())] }, anEvent()],
    ['phone_already_called', { claims: [claimOf(phoneKey())] }, anEvent()],
    ['insufficient_credits', { organizations: [{ ...org, available: HOLD - 1 }] }, anEvent()],
  ];

  it.each(refusals)('has its reason in Activity, and nothing else is written: %s', async (outcome, over, event) => {
    const { process, entries, snapshot, requests } = service(over);
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

  it('is kept to be queued again where it was the credit, and only there', async () => {
    for (const [outcome, over, event] of refusals) {
      const { process, entries } = service(over);
      await process(event);
      const { retryable } = entries()[0] as ActivityEntry;
      expect(retryable === undefined ? undefined : JSON.parse(retryable)).toEqual(
        outcome === 'insufficient_credits' ? event : undefined,
      );
    }
  });

  it('tells of a phone only masked, and of what it does not have nothing', async () => {
    const { process, entries } = service();
    await process(anEvent({ event_id: 'evt_2' }, { owner_id: 'other' }));
    await process(anEvent({ event_id: 'evt_3' }, { lead_id: undefined, phones: [], owner_id: undefined }));
    expect(JSON.stringify(entries())).not.toMatch(/9876543210|98765 43210/);
    expect(entries()[0]?.phone_masked).toBe('+91*******210');
    for (const name of ['lead_id', 'phone_masked', 'owner_id', 'call_id', 'retryable'])
      expect(entries()[1]).not.toHaveProperty(name);
  });

  it.each(['43210', '1', '9876543210987654321098', 'ask Asha 98765', 'Zoë+91'])(
    'shows no digit and no letter of a phone that cannot be dialed: %j',
    async (phone) => {
      const { process, entries } = service();
      expect(await process(anEvent({}, { phones: [phone] }))).toBe('no_dialable_phone');
      expect(entries()[0]?.phone_masked).toMatch(/^[*\s()+.-]{1,20}$/);
    },
  );
});

describe('whether it was called before', () => {
  const outcomeWith = async (claims: object[], event = anEvent(), now = NOW) => {
    const { process, state } = service({ claims });
    state.now = now;
    return process(event);
  };
  // 18:30 UTC is midnight IST
  const late = '2026-03-02T18:29:59.999Z';
  const after = '2026-03-02T18:30:00.000Z';
  const NEXT = '2026-03-03';

  it('goes by the IST day on which it is decided', async () => {
    expect(await outcomeWith([claimOf(leadKey(TODAY))], anEvent({ at: late }), late)).toBe('already_called');
    expect(await outcomeWith([claimOf(leadKey(TODAY))], anEvent({ at: after }), after)).toBe('call queued');
    expect(await outcomeWith([claimOf(phoneKey(TODAY))], anEvent({ at: late }), late)).toBe('phone_already_called');
    expect(await outcomeWith([claimOf(phoneKey(TODAY))], anEvent({ at: after }), after)).toBe('call queued');
  });

  it("goes for the lead by the event's own day, too, where it waited beyond midnight; for the phone by the new day only", async () => {
    expect(await outcomeWith([claimOf(leadKey(TODAY))], anEvent({ at: late }), after)).toBe('already_called');
    expect(await outcomeWith([claimOf(leadKey(NEXT))], anEvent({ at: late }), after)).toBe('already_called');
    expect(await outcomeWith([claimOf(phoneKey(TODAY))], anEvent({ at: late }), after)).toBe('call queued');
    expect(await outcomeWith([claimOf(phoneKey(NEXT))], anEvent({ at: late }), after)).toBe('phone_already_called');
  });

  it('goes for a retry by every day since the original event', async () => {
    const retry = anEvent({
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: late,
      source: 'retry',
      at: '2026-03-04T06:00:00.000Z',
    });
    expect(await outcomeWith([claimOf(leadKey(TODAY))], retry, retry.at)).toBe('already_called');
    expect(await outcomeWith([claimOf(leadKey(NEXT))], retry, retry.at)).toBe('already_called');
    expect(await outcomeWith([claimOf(leadKey('2026-03-01'))], retry, retry.at)).toBe('call queued');
    expect(await outcomeWith([claimOf(leadKey('2026-03-04'))], retry, retry.at)).toBe('already_called');
  });

  it('claims the day on which it is decided', async () => {
    const { process, state, all } = service();
    state.now = after;
    await process(anEvent({ at: late }));
    expect(all('claims').map(({ claim }) => claim)).toEqual([leadKey(NEXT), phoneKey(NEXT)]);
    expect(all('calls')).toMatchObject([{ claims_day: istDay(new Date(after)) }]);
  });

  it('is no matter of other connections, leads, orgs and phones; of the phone it is one in the whole org', async () => {
    expect(
      await outcomeWith([
        claimOf(leadKey(TODAY, 'lead-2')),
        claimOf(leadKey(TODAY, 'lead-1', 'conn_2')),
        claimOf(phoneKey(TODAY, 'org2')),
        claimOf(phoneClaimKey(ORG, '+919812345678', TODAY)),
      ]),
    ).toBe('call queued');
    const otherConnection = { ...connection, connection_id: 'conn_2' };
    const { process } = service({ connections: [connection, otherConnection] });
    expect(await process()).toBe('call queued');
    expect(await process(anEvent({ event_id: 'evt_2', connection_id: 'conn_2' }))).toBe('phone_already_called');
  });

  it('is not answered by its own claims', async () => {
    const mine = [claimOf(leadKey(), 'evt_1'), claimOf(phoneKey(), 'evt_1')];
    expect(await outcomeWith(mine)).toBe('call queued');
    const retry = anEvent({ event_id: 'evt_1.retry.2', original_event_id: 'evt_1', original_at: NOW, source: 'retry' });
    expect(await outcomeWith(mine, retry)).toBe('call queued');
  });
});

describe('an event that is delivered again', () => {
  it('does nothing more, whatever it came to', async () => {
    const worlds: Record<string, object[]>[] = [{}, { assistants: [] }, { organizations: [{ ...org, available: 0 }] }];
    for (const over of worlds) {
      const { process, snapshot, requests } = service(over);
      await process();
      const before = snapshot();
      requests.length = 0;
      expect(await process()).toBe('decided_before');
      expect(snapshot()).toEqual(before);
      expect(requests).toEqual(['Get connections', 'Get calls', 'Get activity']);
    }
  });

  it('is not decided anew where its world has changed since', async () => {
    const { process, put, entries, all } = service({ organizations: [{ ...org, available: 0 }] });
    expect(await process()).toBe('insufficient_credits');
    put('organizations', org);
    expect(await process()).toBe('decided_before');
    expect(entries()).toMatchObject([{ outcome: 'insufficient_credits' }]);
    expect(all('calls')).toEqual([]);
  });

  it('after its transaction, but before its entry, is recorded once as the call it is, whatever holds by now', async () => {
    const { process, hooks, put, all, entries, credit } = service();
    hooks.before = (operation, { TableName }) => {
      if (operation === 'Put' && TableName === 'activity') throw timeOut();
    };
    await expect(process()).rejects.toThrow('timed out');
    expect(entries()).toEqual([]);
    const calls = structuredClone(all('calls'));
    hooks.before = undefined;
    put('connections', { ...connection, auto_call: false, token_hash: undefined });
    put('do-not-call', { org_id: ORG, phone: PHONE, added_at: NOW });
    put('organizations', { ...org, available: 0, held: HOLD });

    expect(await process()).toBe('call queued');
    expect(await process()).toBe('decided_before');
    expect(entries()).toMatchObject([{ event_id: 'evt_1', outcome: 'call queued', call_id: CALL }]);
    expect(all('calls')).toEqual(calls);
    expect(all('credit-ledger')).toHaveLength(1);
    expect(credit()).toEqual({ available: 0, held: HOLD });
  });

  it('after a transaction whose answer was lost is the same call, held once', async () => {
    const { process, hooks, all, entries, credit } = service();
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

  it('at the same moment is one call and one entry: its own claim is its own success', async () => {
    const { process, all, entries, credit, requests } = service();
    const outcomes = await Promise.all([process(), process(), process()]);
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(3);
    expect(outcomes).toEqual(['call queued', 'call queued', 'call queued']);
    expect(all('calls')).toHaveLength(1);
    expect(entries()).toMatchObject([{ outcome: 'call queued', call_id: CALL }]);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
  });

  it('as a retry is the call of the original', async () => {
    const retry = anEvent({ event_id: 'evt_1.retry.1', original_event_id: 'evt_1', original_at: NOW, source: 'retry' });
    const first = service();
    await first.process();
    expect(await first.process(retry)).toBe('call queued');
    expect(first.all('calls')).toHaveLength(1);
    expect(first.entries()).toMatchObject([
      { event_id: 'evt_1', call_id: CALL },
      { event_id: 'evt_1.retry.1', source: 'retry', call_id: CALL },
    ]);

    const later = service();
    expect(await later.process(retry)).toBe('call queued');
    expect(later.all('calls')).toMatchObject([
      { call_id: CALL, request_id: 'evt_1.retry.1', lead: { event_id: 'evt_1' } },
    ]);
    expect(await later.process(anEvent())).toBe('call queued');
    expect(later.all('calls')).toHaveLength(1);
  });

  it('as a retry that the credit refuses again is kept with its origin', async () => {
    const { process, entries } = service({ organizations: [{ ...org, available: 0 }] });
    const retry = anEvent({ event_id: 'evt_1.retry.1', original_event_id: 'evt_1', original_at: NOW, source: 'retry' });
    expect(await process(retry)).toBe('insufficient_credits');
    expect(JSON.parse(entries()[0]?.retryable ?? '')).toEqual(retry);
  });
});

describe('a race that is lost in the transaction', () => {
  /** What others do between our reads and our transaction, in the order in which it decides. */
  const others = {
    call: { calls: { ...aCall({ call_id: CALL, org_id: ORG }), request_metadata: '{}' } },
    'own lead claim': { claims: claimOf(leadKey(), 'evt_1') },
    lead: { claims: claimOf(leadKey()) },
    phone: { claims: claimOf(phoneKey()) },
    credit: { organizations: { ...org, available: 2_500 } },
  } as const;
  const outcomeOf = {
    call: 'call queued',
    'own lead claim': 'call queued',
    lead: 'already_called_race',
    phone: 'phone_already_called',
    credit: 'insufficient_credits',
  } as const;
  type Other = keyof typeof others;

  async function losingTo(names: readonly Other[]) {
    const run = service();
    let before = run.snapshot();
    run.hooks.before = (operation) => {
      if (operation !== 'TransactWrite') return;
      for (const name of names) for (const [table, item] of Object.entries(others[name])) run.put(table, item);
      before = run.snapshot();
    };
    const outcome = await run.process();
    const after = run.snapshot();
    before.delete('activity');
    after.delete('activity');
    return { outcome, before, after, entry: run.entries()[0] as ActivityEntry, count: run.entries().length };
  }

  it.each(Object.entries(outcomeOf))(
    'to this alone is so decided, and nothing is written: %s',
    async (name, outcome) => {
      const race = await losingTo([name as Other]);
      expect(race.outcome).toBe(outcome);
      expect(race.after).toEqual(race.before);
      expect(race.count).toBe(1);
      expect(race.entry.outcome).toBe(outcome);
      expect(race.entry.call_id).toBe(outcome === 'call queued' ? CALL : undefined);
    },
  );

  it('to several at once is decided by the first of call, lead, phone, credit', async () => {
    const names = ['call', 'lead', 'phone', 'credit'] as const;
    await fc.assert(
      fc.asyncProperty(fc.subarray([...names], { minLength: 1 }), async (some) => {
        const race = await losingTo(some);
        expect(race.outcome).toBe(outcomeOf[some[0] as Other]);
        expect(race.after).toEqual(race.before);
      }),
    );
    expect((await losingTo(names)).outcome).toBe('call queued');
    expect((await losingTo(['lead', 'phone', 'credit'])).outcome).toBe('already_called_race');
    expect((await losingTo(['phone', 'credit'])).outcome).toBe('phone_already_called');
  });

  it('to the credit tells both amounts as they stand, and is kept to be queued again', async () => {
    const { entry } = await losingTo(['credit']);
    expect(entry.reason).toBe('The call may cost 10 credits, and 2.5 are available.');
    expect(JSON.parse(entry.retryable ?? '')).toEqual(anEvent());
  });

  it('to a claim is not kept to be queued again', async () => {
    for (const name of ['lead', 'phone'] as const)
      expect((await losingTo([name])).entry).not.toHaveProperty('retryable');
  });
});

describe('a transaction that meets conflicts', () => {
  const conflict = (...codes: string[]) =>
    new TransactionCanceledException({
      $metadata: {},
      message: 'canceled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    });

  it('is thrown on where they last, without an entry, and the next delivery makes the call', async () => {
    const { process, hooks, entries, all } = service();
    hooks.before = (operation) => {
      if (operation === 'TransactWrite') throw conflict('None', 'None', 'None', 'TransactionConflict', 'None');
    };
    await expect(process()).rejects.toBeInstanceOf(TransactionContention);
    expect(entries()).toEqual([]);
    expect(all('calls')).toEqual([]);
    hooks.before = undefined;
    expect(await process()).toBe('call queued');
  });

  it('is tried again until it is committed', async () => {
    const { process, hooks, requests, credit } = service();
    let conflicts = 3;
    hooks.before = (operation) => {
      if (operation === 'TransactWrite' && conflicts-- > 0)
        throw conflict('None', 'None', 'None', 'TransactionConflict');
    };
    expect(await process()).toBe('call queued');
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(4);
    expect(credit()).toEqual({ available: 90_000, held: HOLD });
  });

  it.each([
    ['call queued', ['ConditionalCheckFailed', 'None', 'None', 'TransactionConflict']],
    ['already_called_race', ['None', 'ConditionalCheckFailed', 'None', 'TransactionConflict']],
    ['phone_already_called', ['None', 'None', 'ConditionalCheckFailed', 'TransactionConflict']],
  ])('on the credit is decided at once by what has been called: %s', async (outcome, codes) => {
    const { process, hooks, requests } = service();
    hooks.before = (operation) => {
      if (operation === 'TransactWrite') throw conflict(...codes);
    };
    expect(await process()).toBe(outcome);
    expect(requests.filter((request) => request === 'TransactWrite')).toHaveLength(1);
  });

  it('is not decided by the credit while others write: that may be of the moment', async () => {
    const { process, hooks } = service();
    let tries = 0;
    hooks.before = (operation) => {
      if (operation === 'TransactWrite' && ++tries === 1)
        throw conflict('None', 'TransactionConflict', 'None', 'ConditionalCheckFailed');
    };
    expect(await process()).toBe('call queued');
  });

  it('and any other failure of a read or write is thrown on, without an entry', async () => {
    for (const failing of ['Get', 'BatchGet', 'TransactWrite', 'Put']) {
      const { process, hooks, entries } = service();
      hooks.before = (operation) => {
        if (operation === failing) throw timeOut();
      };
      await expect(process()).rejects.toThrow('timed out');
      expect(entries()).toEqual([]);
    }
  });
});

describe('an event of nobody', () => {
  it('is done without a trace where its connection or its org is gone', async () => {
    const worlds: [string, Record<string, object[]>][] = [
      ['no_such_connection', { connections: [] }],
      ['no_such_org', { organizations: [] }],
    ];
    for (const [word, over] of worlds) {
      const { process, snapshot } = service(over);
      const before = snapshot();
      expect(await process()).toBe(word);
      expect(snapshot()).toEqual(before);
    }
  });
});

describe("the connection's last delivery", () => {
  const lastOf = async (over: Partial<Connection>, event: Partial<LeadEvent> = {}) => {
    const { process, all } = service({ connections: [{ ...connection, ...over }] });
    await process(anEvent(event));
    return (all('connections')[0] as Connection).last_delivery_at;
  };
  const earlier = '2026-03-02T05:59:00.000Z';

  it('is written down by the first event of it that is worked on, once a minute', async () => {
    expect(await lastOf({ last_delivery_at: undefined })).toBe(NOW);
    expect(await lastOf({ last_delivery_at: earlier })).toBe(NOW);
    expect(await lastOf({ last_delivery_at: '2026-03-02T05:59:30.000Z' })).toBe('2026-03-02T05:59:30.000Z');
  });

  it('is written down at once where deliveries were refused since', async () => {
    const rejection = { at: '2026-03-02T05:59:40.000Z', reason: 'unauthorized' };
    expect(await lastOf({ last_delivery_at: '2026-03-02T05:59:30.000Z', rejection })).toBe(NOW);
  });

  it('is none of tests and retries of ours, and never moves back', async () => {
    for (const source of ['test', 'retry'] as const)
      expect(await lastOf({ last_delivery_at: undefined }, { source })).toBeUndefined();
    expect(await lastOf({ last_delivery_at: '2026-03-02T07:00:00.000Z' })).toBe('2026-03-02T07:00:00.000Z');
  });
});

describe('many events at once', () => {
  const phones = ['98765 43210', '09812345678'];
  const events = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5'),
      lead: fc.constantFrom('lead-1', 'lead-2', 'lead-3'),
      phone: fc.constantFrom(...phones),
      times: fc.integer({ min: 1, max: 2 }),
    }),
    { selector: ({ id }) => id, minLength: 2, maxLength: 5 },
  );

  it('call each lead and each phone once, spend no credit twice, and leave one entry each, in whatever order the database answers', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.integer({ min: 0, max: 6 }), fc.scheduler(), async (all, affordable, scheduler) => {
        const available = affordable * HOLD;
        const run = service({ organizations: [{ ...org, available }] }, (send) =>
          scheduler.scheduleFunction(send as (command: never) => Promise<unknown>),
        );
        const deliveries = all.flatMap(({ id, lead, phone, times }) =>
          Array.from({ length: times }, () => anEvent({ event_id: id }, { lead_id: lead, phones: [phone] })),
        );
        await scheduler.waitFor(Promise.all(deliveries.map((event) => run.process(event))));

        const calls = run.all('calls') as { call_id: string; phone_number: string; lead: { lead_id: string } }[];
        expect(new Set(calls.map(({ lead }) => lead.lead_id)).size).toBe(calls.length);
        expect(new Set(calls.map(({ phone_number }) => phone_number)).size).toBe(calls.length);
        expect(calls.length).toBeLessThanOrEqual(affordable);
        if (affordable > 0) expect(calls.length).toBeGreaterThan(0);
        expect(run.credit()).toEqual({ available: available - calls.length * HOLD, held: calls.length * HOLD });
        expect(run.all('credit-ledger')).toHaveLength(calls.length);
        expect(run.all('claims')).toHaveLength(2 * calls.length);

        const entries = run.entries();
        expect(entries.map(({ event_id }) => event_id).sort()).toEqual(all.map(({ id }) => id).sort());
        const queued = entries.filter(({ outcome }) => outcome === 'call queued');
        const [told, made] = [queued, calls].map((some) => some.map(({ call_id }) => call_id).sort());
        expect(told).toEqual(made);
        for (const { event_id, call_id } of queued) expect(call_id).toBe(callIdForLead(CONNECTION, event_id));
      }),
      { numRuns: 150 },
    );
  });

  it('a repeat whose reads the first delivery overtakes does not take its own hold for a lack of credit', async () => {
    const committed = Promise.withResolvers<void>();
    const repeated = Promise.withResolvers<void>();
    let orgReads = 0;
    const wrap =
      (send: Send): Send =>
      async (command: never) => {
        const { name } = (command as object).constructor;
        const { TableName } = (command as { input: Item }).input;
        const isOrg = name === 'GetCommand' && TableName === 'organizations';
        if (isOrg && ++orgReads === 2) await committed.promise;
        const answer = await send(command);
        if (name === 'TransactWriteCommand') {
          committed.resolve();
          await repeated.promise;
        }
        return answer;
      };
    const { process, entries, all } = service({ organizations: [{ ...org, available: HOLD }] }, wrap);
    const first = process();
    const repeat = process().finally(repeated.resolve);
    const outcomes = await Promise.all([first, repeat]);
    expect(all('calls')).toHaveLength(1);
    expect(outcomes).toEqual(['call queued', 'call queued']);
    expect(entries()).toMatchObject([{ outcome: 'call queued', call_id: CALL }]);
  });

  it('have calls of their own ids, none of which a call placed by REST can have', () => {
    expect(CALL).not.toBe(callIdFor(ORG, 'evt_1'));
  });
});
