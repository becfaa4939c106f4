import { phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { queuedLeadCall } from '../../../../shared/domain/calls/placing/new-call.ts';
import { activityExpiry, erasedEntry } from '../../../../shared/domain/connections/activity.ts';
import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { endCall } from '../../../../shared/operations/calls/steps/end-call.ts';
import { aCrmAConnection, aCrmAEvent, CALL, crmALeads, leadKey, phoneKey } from '../../support/crm-a-leads.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, CREDIT, ist, MONDAY, ORG, TUESDAY, WEDNESDAY } from '../../support/worlds/items.ts';
import { aClaim, CONNECTION, expectBooks, HOLD, OTHER_PHONE, OWNER, PHONE } from '../../support/worlds/lead-world.ts';
import { LIST_KEY, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** The erased key in place of a lead's id or a number. */
const hidden = (text: string) => erasedNumber(LIST_KEY, ORG, text);
const DO_NOT_CALL = { org_id: ORG, phone: PHONE, added_at: START };
/** A time in which auto-call was off, while an event of START was received. */
const AROUND_START = { from: secondsAfter(START, -10), to: secondsAfter(START, 10) };
const NO_CREDIT = { organizations: [anOrg({ available: 0 })] };
const aRetry = (over: Partial<LeadEvent> = {}) =>
  aCrmAEvent({
    event_id: 'evt_1.retry.1',
    original_event_id: 'evt_1',
    original_at: START,
    source: 'retry',
    ...over,
  });

describe('a lead that matches', () => {
  it('becomes a call with its claims of the IST day and its Activity entry, and holds no credit before its dial', async () => {
    const world = crmALeads();
    expect(await world.process()).toBe('call queued');
    const placed = {
      call_id: CALL,
      request_id: 'evt_1',
      phone_number: PHONE,
      request_metadata: { source: 'crm-a', connection_id: CONNECTION, lead_id: 'lead-1' },
      lead: {
        crm: 'crm-a' as const,
        connection_id: CONNECTION,
        lead_id: 'lead-1',
        event_id: 'evt_1',
        event: 'owner_reassignment' as const,
        test: false,
        owner_id: OWNER,
        fields: { FirstName: 'Asha' },
        read_at: START,
      },
      claims_day: MONDAY,
      placed_by: { kind: 'lead' as const, event_id: 'evt_1', source: 'webhook' as const },
    };
    const call = queuedLeadCall(placed, anOrg(), anAssistant(), new Date(START), undefined);
    expect(world.calls()).toEqual([call]);
    expect([world.credit(), world.ledger()]).toEqual([{ available: CREDIT, held: 0 }, []]);
    expect(world.all('claims')).toEqual([leadKey(), phoneKey()].map((key) => aClaim(key, 'evt_1', START)));
    expect(world.entries()).toEqual([
      {
        connection_id: CONNECTION,
        event_id: 'evt_1',
        org_id: ORG,
        at: START,
        source: 'webhook',
        event: 'owner_reassignment',
        test: false,
        lead_id: 'lead-1',
        phone_masked: '+91*******210',
        phone_hash: phoneHash(ORG, PHONE),
        owner_id: OWNER,
        outcome: 'call queued',
        reason: 'The lead matched; its call was queued.',
        call_id: CALL,
        payload_keys: ['ProspectID', 'Phone'],
        expires_at: activityExpiry(START),
      },
    ]);
  });

  it('writes the call and its claims in one transaction, after reading each item once', async () => {
    const { process, requests } = crmALeads();
    await process();
    const reads = ['connections', 'calls', 'activity', 'organizations', 'assistants'].map((table) => `Get ${table}`);
    expect(requests).toEqual([...reads, 'TransactGet', 'Get claims', 'BatchGet', 'TransactWrite', 'Put activity']);
  });
});

describe('a lead that arrives while live calls hold the credit', () => {
  it('is queued, and rings once one of them has returned its unused credit', async () => {
    const world = crmALeads({ organizations: [anOrg({ available: HOLD + 1_000 })] });
    await world.process();
    expect(await world.dial()).toBe('accepted');
    const other = { lead_id: 'lead-2', phones: ['98123 45678'] };
    expect(await world.process(aCrmAEvent({ event_id: 'evt_2' }, other))).toBe('call queued');
    expect(world.credit()).toEqual({ available: 1_000, held: HOLD });
    expect(await world.dial('evt_2')).toBe('wait_for_credit');
    world.pass(60);
    const end = { status: 'completed', ended_reason: 'x', ended_at: world.now, duration: 60 } as const;
    await endCall(world.deps, world.call(), { ...end, platformId: 'p1' });
    world.dialing = { kind: 'accepted', platformId: 'p2' };
    expect(await world.dial('evt_2')).toBe('accepted');
    expectBooks(world, HOLD + 1_000);
  });

  it('is refused if they cannot return enough', async () => {
    const world = crmALeads({ organizations: [anOrg({ available: 1, held: HOLD - 2 })] });
    expect(await world.process()).toBe('insufficient_credits');
  });
});

describe('the call of a lead that a person sent', () => {
  it.each([
    ['retry', aRetry, 'evt_1.retry.1'],
    ['test', (over: Partial<LeadEvent>) => aCrmAEvent({ source: 'test', ...over }), 'evt_1'],
  ] as const)('names the person: %s', async (source, event, event_id) => {
    const world = crmALeads();
    const asked_by = 'meera@example.com';
    expect(await world.process(event({ asked_by }))).toBe('call queued');
    expect(world.calls()).toMatchObject([{ placed_by: { kind: 'lead', event_id, source, asked_by } }]);
  });
});

describe('an event of a lead whose call a person has canceled', () => {
  const CANCELED_AT = secondsAfter(START, 60);
  const AFTER = secondsAfter(START, 120);
  const retried = { source: 'retry', original_event_id: 'evt_0', original_at: START } as const;

  it.each<[what: string, event: Partial<LeadEvent>, outcome: string]>([
    ['does not call it again for a change before the cancelation', { at: START }, 'already_called'],
    ['does not call it again for a change at the moment of the cancelation', { at: CANCELED_AT }, 'already_called'],
    [
      'does not call it again for an earlier change that is reported late',
      { at: AFTER, changed_at: START },
      'already_called',
    ],
    ['does not call it again after waiting for the call of another lead', { ...retried, at: AFTER }, 'already_called'],
    ['calls it again for a later change', { at: AFTER }, 'call queued'],
    ['calls it again if a person retries the event', { ...retried, at: AFTER, asked_by: 'ops' }, 'call queued'],
    ['calls it again if the event is a test', { at: START, test: true }, 'call queued'],
  ])('%s', async (_what, event, outcome) => {
    const world = crmALeads();
    await world.process();
    world.now = CANCELED_AT;
    expect(await world.cancel()).toBe('canceled');
    world.now = AFTER;
    expect(await world.process(aCrmAEvent({ event_id: 'evt_2', ...event }))).toBe(outcome);
  });
});

describe('a lead that was received while auto-call was off, and is decided after it is on again', () => {
  const wasOff = { connections: [aCrmAConnection({ off_times: [AROUND_START] })] };

  it.each<[string, LeadEvent]>([
    ['a person retries it', aRetry({ at: secondsAfter(START, 30), asked_by: 'ops' })],
    ['a test event was sent', aCrmAEvent({ source: 'test', test: true })],
    ['another event of it is received', aCrmAEvent({ at: secondsAfter(START, 30) })],
  ])('is called only if %s', async (_what, event) => {
    expect(await crmALeads(wasOff).process()).toBe('auto_call_disabled');
    expect(await crmALeads(wasOff).process(event)).toBe('call queued');
  });
});

describe('a lead that does not match', () => {
  it.each<[string, Contents, LeadEvent]>([
    ['auto_call_disabled', { connections: [aCrmAConnection({ auto_call: false })] }, aCrmAEvent()],
    ['auto_call_disabled', { connections: [aCrmAConnection({ off_times: [AROUND_START] })] }, aCrmAEvent()],
    ['no_lead_id_in_payload', {}, aCrmAEvent({}, { lead_id: undefined })],
    ['owner_mismatch', {}, aCrmAEvent({}, { owner_id: 'owner-2' })],
    ['no_dialable_phone', {}, aCrmAEvent({}, { phones: ['n/a'] })],
    ['own_platform_number', { organizations: [anOrg({ platform_numbers: [PHONE] })] }, aCrmAEvent()],
    ['do_not_call', { 'do-not-call': [DO_NOT_CALL] }, aCrmAEvent()],
    ['do_not_call', {}, aCrmAEvent({}, { do_not_call: true })],
    ['assistant_missing', { assistants: [] }, aCrmAEvent()],
    ['assistant_missing', { connections: [aCrmAConnection({ assistant_id: undefined })] }, aCrmAEvent()],
    ['assistant_missing', { assistants: [anAssistant({ org_id: 'org2' })] }, aCrmAEvent()],
    ['already_called', { claims: [aClaim(leadKey())] }, aCrmAEvent()],
    ['phone_already_called', { claims: [aClaim(phoneKey())] }, aCrmAEvent()],
    ['already_called', { claims: [aClaim(leadKey(MONDAY, hidden('lead-1')))] }, aCrmAEvent()],
    ['phone_already_called', { claims: [aClaim(phoneClaimKey(ORG, hidden(PHONE), MONDAY))] }, aCrmAEvent()],
    ['insufficient_credits', { organizations: [anOrg({ available: HOLD - 1 })] }, aCrmAEvent()],
    ['insufficient_credits', NO_CREDIT, aRetry()],
  ])(
    'only gets its reason in Activity, and can be retried only after a lack of credit: %s',
    async (outcome, over, event) => {
      const world = crmALeads(over);
      const before = world.snapshot();
      expect(await world.process(event)).toBe(outcome);
      const entries = world.entries();
      expect(entries).toMatchObject([{ event_id: event.event_id, outcome, reason: expect.stringMatching(/\.$/) }]);
      expect(entries).toMatchObject([{ payload_keys: ['ProspectID', 'Phone'], expires_at: activityExpiry(START) }]);
      expect(entries[0]).not.toHaveProperty('call_id');
      const retryable = entries.flatMap((entry) => (entry.retryable ? JSON.parse(entry.retryable) : []));
      expect(retryable).toEqual(outcome === 'insufficient_credits' ? [event] : []);
      // The CRM's statement about the lead is stored, because older events of the lead may follow.
      const claims = world.all('claims').filter(({ claim }) => !String(claim).startsWith('stopped#'));
      expect(world.snapshot().set('activity', []).set('claims', claims)).toEqual(before);
      expect(world.requests).not.toContain('TransactWrite');
    },
  );

  it('shows its phone masked, and no field that it does not have', async () => {
    const { process, entries } = crmALeads();
    await process(aCrmAEvent({ event_id: 'evt_2' }, { owner_id: 'other' }));
    await process(aCrmAEvent({ event_id: 'evt_3' }, { lead_id: undefined, phones: [], owner_id: undefined }));
    expect(entries()[0]?.phone_masked).toBe('+91*******210');
    expect(entries()[0]?.phone_hash).toBe(phoneHash(ORG, PHONE));
    for (const name of ['lead_id', 'phone_masked', 'phone_hash', 'owner_id', 'call_id', 'retryable'])
      expect(entries()[1]).not.toHaveProperty(name);
  });

  it.each(['43210', '1', '9876543210987654321098', 'ask Asha 98765', 'Zoë+91'])(
    'shows no digit and no letter of a phone that cannot be dialed: %j',
    async (phone) => {
      const { process, entries } = crmALeads();
      expect(await process(aCrmAEvent({}, { phones: [phone] }))).toBe('no_dialable_phone');
      expect(entries()[0]?.phone_masked).toMatch(/^[*\s()+.-]{1,20}$/);
      expect(entries()[0]).not.toHaveProperty('phone_hash');
    },
  );
});

describe('a lead that may have been called before', () => {
  const decide = async (claims: object[], event = aCrmAEvent(), now = START) => {
    const world = crmALeads({ claims });
    world.now = now;
    return { world, outcome: await world.process(event) };
  };
  const SUNDAY = '2026-03-01';
  const [LATE, MIDNIGHT] = [ist(MONDAY, '23:59:59.999'), ist(TUESDAY, '00:00')];
  const eventAt = (at: string) => aCrmAEvent({ at });

  it.each([
    ['of the day', eventAt(LATE), LATE, [MONDAY], MONDAY],
    ['of the next day', eventAt(MIDNIGHT), MIDNIGHT, [TUESDAY], TUESDAY],
    ['that waited past midnight', eventAt(LATE), MIDNIGHT, [MONDAY, TUESDAY], TUESDAY],
    [
      'whose notification arrived after midnight',
      aCrmAEvent({ at: MIDNIGHT, changed_at: LATE }),
      MIDNIGHT,
      [MONDAY, TUESDAY],
      TUESDAY,
    ],
    [
      'that is retried',
      aRetry({ original_at: LATE }),
      ist(WEDNESDAY, '12:00'),
      [MONDAY, TUESDAY, WEDNESDAY],
      WEDNESDAY,
    ],
  ])(
    'is stopped, for an event %s, by claims on the lead since the event and on the phone for the claimed day',
    async (...row) => {
      const [, event, now, leadDays, phoneDay] = row;
      for (const day of [SUNDAY, MONDAY, TUESDAY, WEDNESDAY]) {
        const ofLead = leadDays.includes(day) ? 'already_called' : 'call queued';
        expect(await decide([aClaim(leadKey(day))], event, now)).toMatchObject({ outcome: ofLead });
        const ofPhone = day === phoneDay ? 'phone_already_called' : 'call queued';
        expect(await decide([aClaim(phoneKey(day))], event, now)).toMatchObject({ outcome: ofPhone });
      }
      const { world } = await decide([], event, now);
      expect(world.all('claims').map(({ claim }) => claim)).toEqual([leadKey(phoneDay), phoneKey(phoneDay)]);
      expect(world.calls()).toMatchObject([{ claims_day: phoneDay }]);
    },
  );

  it('is not stopped by claims of other connections, leads, organizations and phones, except for its phone in its organization', async () => {
    const others = [leadKey(MONDAY, 'lead-2'), leadKey(MONDAY, 'lead-1', 'conn_2'), phoneKey(MONDAY, 'org2')];
    const claims = [...others, phoneClaimKey(ORG, OTHER_PHONE, MONDAY)].map((key) => aClaim(key));
    expect(await decide(claims)).toMatchObject({ outcome: 'call queued' });
    const { process } = crmALeads({ connections: [aCrmAConnection(), aCrmAConnection({ connection_id: 'conn_2' })] });
    expect(await process()).toBe('call queued');
    expect(await process(aCrmAEvent({ event_id: 'evt_2', connection_id: 'conn_2' }))).toBe('phone_already_called');
  });

  it('is not stopped by its own claims', async () => {
    const own = [aClaim(leadKey(), 'evt_1'), aClaim(phoneKey(), 'evt_1')];
    for (const event of [aCrmAEvent(), aRetry()])
      expect(await decide(own, event)).toMatchObject({ outcome: 'call queued' });
  });
});

describe('an event that is delivered again', () => {
  it.each<[string, Contents]>([
    ['call queued', {}],
    ['assistant_missing', { assistants: [] }],
    ['insufficient_credits', NO_CREDIT],
  ])('has no further effect, even if the facts have changed since: %s', async (outcome, over) => {
    const world = crmALeads(over);
    expect(await world.process()).toBe(outcome);
    world.put('organizations', anOrg());
    world.put('assistants', anAssistant());
    const before = world.snapshot();
    world.requests.length = 0;
    expect(await world.process()).toBe('decided_before');
    expect(world.snapshot()).toEqual(before);
    expect(world.requests).toEqual(['Get connections', 'Get calls', 'Get activity']);
  });

  it('is recorded once as the call that was placed, wherever its worker dies and whatever facts have changed', async () => {
    for await (const [world] of worldThatDies(crmALeads, (each) => each.process(), 8)) {
      const calls = structuredClone(world.calls());
      world.put('connections', aCrmAConnection({ auto_call: false, token_hash: undefined }));
      world.put('do-not-call', DO_NOT_CALL);
      world.put('organizations', anOrg({ available: 0, held: world.credit().held }));
      const [outcome, call_id] = calls.length > 0 ? ['call queued', CALL] : ['auto_call_disabled', undefined];
      expect([outcome, 'decided_before']).toContain(await world.process());
      expect(await world.process()).toBe('decided_before');
      const entries = world.entries().map((entry) => [entry.event_id, entry.outcome, entry.call_id]);
      expect(entries).toEqual([['evt_1', outcome, call_id]]);
      expect(world.calls()).toEqual(calls);
    }
  });

  it('as a retry places the call of the original event, before or after that event', async () => {
    for (const events of [
      [aCrmAEvent(), aRetry()],
      [aRetry(), aCrmAEvent()],
    ]) {
      const world = crmALeads();
      for (const event of events) expect(await world.process(event)).toBe('call queued');
      expect(world.calls()).toMatchObject([
        { call_id: CALL, request_id: events[0]?.event_id, lead: { event_id: 'evt_1' } },
      ]);
      expect(world.entries()).toMatchObject(
        events.map(({ event_id, source }) => ({ event_id, source, outcome: 'call queued', call_id: CALL })),
      );
    }
  });

  it.each<[string, Contents]>([
    ['no_such_connection', { connections: [] }],
    ['no_such_org', { organizations: [] }],
  ])('is dropped without a write if its connection or organization is gone: %s', async (result, over) => {
    const { process, snapshot } = crmALeads(over);
    const before = snapshot();
    expect(await process()).toBe(result);
    expect(snapshot()).toEqual(before);
  });
});

describe('the entry of an event that was retried', () => {
  const marks = ({ entries }: ReturnType<typeof crmALeads>) =>
    entries().map(({ event_id, outcome, superseded_by }) => [event_id, outcome, superseded_by]);
  const begin = async () => {
    const world = crmALeads(NO_CREDIT);
    await world.process();
    world.pass(60);
    return world;
  };

  it('names the retry, wherever the worker dies', async () => {
    const retry = aRetry();
    for await (const [world, cut] of worldThatDies(begin, ({ process }) => process(retry), 2)) {
      await world.process(retry);
      expect([cut, marks(world)]).toEqual([
        cut,
        [
          ['evt_1', 'insufficient_credits', 'evt_1.retry.1'],
          ['evt_1.retry.1', 'insufficient_credits', undefined],
        ],
      ]);
    }
  });

  it('names the next try, whatever its outcome, and keeps its own', async () => {
    const world = await begin();
    await world.process(aRetry());
    world.put('organizations', anOrg());
    await world.process(aRetry({ event_id: 'evt_1.retry.2' }));
    expect(marks(world)).toEqual([
      ['evt_1', 'insufficient_credits', 'evt_1.retry.1'],
      ['evt_1.retry.1', 'insufficient_credits', 'evt_1.retry.2'],
      ['evt_1.retry.2', 'call queued', undefined],
    ]);
    const [first] = world.entries();
    expect(first && erasedEntry(first).superseded_by).toBe('evt_1.retry.1');
  });

  it('that has expired is not written again', async () => {
    const world = crmALeads();
    await world.process(aRetry());
    expect(marks(world)).toEqual([['evt_1.retry.1', 'call queued', undefined]]);
  });
});
