import fc from 'fast-check';
import { type LeadEnd, LOST, REFUSED_BY_PLATFORM } from '../../../../shared/domain/calls/dialing/lead-end.ts';
import { type Outcome, outcomes } from '../../../../shared/domain/connections/activity.ts';
import { endDialedCall } from '../../../../shared/operations/calls/steps/end-dialed-call.ts';
import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import { aCall } from '../../support/call.ts';
import { aCrmAConnection, aCrmAEvent, crmALeads, leadKey } from '../../support/crm-a-leads.ts';
import { aReadableConnection, explained } from '../../support/explained.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, MONDAY, ORG } from '../../support/worlds/items.ts';
import {
  aClaim,
  CONNECTION,
  claimsOf,
  found,
  type LeadWorld,
  leadWorld,
  NIGHT,
  NOON,
  OPENS,
  OTHER_PHONE,
  OWNER,
  PHONE,
  unavailable,
} from '../../support/worlds/lead-world.ts';

const readable = (over: Contents = {}) => leadWorld({ connections: [aReadableConnection()], ...over });
const ofCrmB = (over?: Contents, crm?: LeadWorld['crm']) => async () => {
  const world = readable(over);
  if (crm) world.crm = crm;
  await world.process(world.event());
  return world;
};
/** The keys of the lead's and the phone's claim of Monday. */
const [LEAD_CLAIM = '', PHONE_CLAIM = ''] = claimsOf(MONDAY).map((claim) => claim.split(' = ')[0]);
const withdrawn = (reason: string) => async () => {
  const world = await ofCrmB()();
  await withdrawCall(world.deps, world.call(), 'failed', reason);
  return world;
};
const endedAfterDial = (reason: string, end: LeadEnd) => async () => {
  const world = await ofCrmB()();
  await endDialedCall(world.deps, world.call(), reason, end);
  return world;
};
const LISTED = { org_id: ORG, phone: PHONE, added_at: NOON, call_id: 'call_1' };

/** The way to each outcome: the lead is really decided. */
const lives: Record<Outcome, [check: string, live: () => Promise<LeadWorld>]> = {
  'call queued': ['', ofCrmB()],
  'call scheduled': [
    'window',
    async () => {
      const world = readable();
      world.now = NIGHT;
      await world.process(world.event());
      return world;
    },
  ],
  ignored: [
    'kind',
    async () => {
      const world = readable();
      await world.process(world.event({ event: 'lead_deleted', ignored: 'The CRM deleted the lead.' }));
      return world;
    },
  ],
  auto_call_disabled: ['auto_call', ofCrmB({ connections: [aReadableConnection({ auto_call: false })] })],
  no_lead_id_in_payload: [
    'lead_id',
    async () => {
      const world = crmALeads();
      await world.process(aCrmAEvent({}, { lead_id: undefined }));
      return world as unknown as LeadWorld;
    },
  ],
  lead_not_found: ['crm', ofCrmB({}, () => ({ kind: 'not_found' }))],
  crm_unavailable: ['crm', ofCrmB({}, () => ({ kind: 'unavailable', reason: 'NO_PERMISSION', isFinal: true }))],
  owner_mismatch: ['owner', ofCrmB({}, () => found({ owner_id: 'owner-2' }))],
  no_dialable_phone: ['phone', ofCrmB({}, () => found({ phones: [] }))],
  own_platform_number: ['own_number', ofCrmB({ organizations: [anOrg({ platform_numbers: [PHONE] })] })],
  do_not_call: ['do_not_call', ofCrmB({ 'do-not-call': [LISTED] })],
  destination_not_allowed: ['destination', ofCrmB({}, () => found({ phones: ['+19005551234'] }))],
  assistant_missing: ['assistant', ofCrmB({ assistants: [] })],
  retried_recently: [
    'sweep',
    async () => {
      const world = readable({ claims: [aClaim(`sunday#${CONNECTION}#1001`)] });
      await world.process(world.event({ source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true }));
      return world;
    },
  ],
  already_called: ['lead_uncalled', ofCrmB({ claims: [aClaim(LEAD_CLAIM)] })],
  already_called_race: [
    'lead_uncalled',
    async () => {
      const world = readable();
      world.beforeNextWrite(() => world.put('claims', aClaim(LEAD_CLAIM)));
      await world.process(world.event());
      return world;
    },
  ],
  phone_already_called: ['phone_uncalled', ofCrmB({ claims: [aClaim(PHONE_CLAIM)] })],
  insufficient_credits: ['credit', ofCrmB({ organizations: [anOrg({ available: 0 })] })],
  spend_limit_reached: [
    'dial',
    async () => {
      const world = await ofCrmB({ organizations: [anOrg({ daily_limit: 1 })] })();
      expect(await world.dial()).toBe('spend_limit_reached');
      return world;
    },
  ],
  expired: ['dial', withdrawn('expired')],
  platform_unreachable: ['dial', withdrawn('platform_unreachable')],
  refused_by_platform: ['dial', endedAfterDial('platform answered 400', REFUSED_BY_PLATFORM)],
  lost: ['dial', endedAfterDial('lost', LOST)],
};

describe('the explanation of a lead that was not called', () => {
  it.each(outcomes)('has the outcome, the checks up to it, and the present decision: %s', async (outcome) => {
    const [failed, live] = lives[outcome];
    const world = await live();
    const question = outcome === 'no_lead_id_in_payload' ? '098765 43210' : '1001';
    const { verdict, now, events, connections } = await explained(world, question);
    expect(verdict).toMatchObject({ outcome, connection_id: CONNECTION, reason: expect.stringMatching(/\.$/) });
    const states = verdict?.checks ?? [];
    const at = states.findIndex(({ check }) => check === failed);
    if (failed !== '') expect(states[at]?.state).toBe(/scheduled|spend/.test(outcome) ? 'waits' : 'failed');
    const [before, after] = failed === '' ? [states.slice(0, -1), []] : [states.slice(0, at), states.slice(at + 1)];
    expect(new Set([...before.map(({ state }) => state)])).toEqual(new Set(before.length > 0 ? ['passed'] : []));
    expect(new Set([...after.map(({ state }) => state)])).toEqual(new Set(after.length > 0 ? ['open'] : []));
    expect(events[0]).toMatchObject({ outcome });
    expect(connections).toMatchObject([{ connection_id: CONNECTION }]);

    const next =
      verdict?.crm === 'crm-a'
        ? await world.process(aCrmAEvent({ event_id: 'evt_2' }, { lead_id: undefined }))
        : await world.process(world.event({ event_id: 'evt_2', at: world.now }));
    expect(now?.outcome).toBe(next);
  });

  it('names the call, and says whether its phone was dialed', async () => {
    const world = await ofCrmB()();
    const { call_id } = world.call();
    const before = await explained(world, PHONE);
    expect(before.verdict?.call).toMatchObject({ id: call_id, status: 'queued' });
    expect(before.verdict?.checks.at(-1)).toEqual({ check: 'dial', state: 'waits' });
    await world.cancel();
    const { verdict } = await explained(world, PHONE);
    expect(verdict).toMatchObject({ outcome: 'call queued', call: { status: 'canceled' } });
    expect(verdict?.checks.at(-1)).toEqual({ check: 'dial', state: 'failed' });
  });

  it.each([
    ['the lead', () => found(), 'already_called', '1001'],
    ['another lead with this number', (id: string) => found({ lead_id: id }), 'phone_already_called', PHONE],
    ['another lead, found by its own id', (id: string) => found({ lead_id: id }), 'phone_already_called', '1002'],
  ])('names the call that prevented it: of %s', async (_what, crm, outcome, question) => {
    const world = readable();
    world.crm = crm;
    await world.process(world.event());
    world.pass(60);
    const lead_id = outcome === 'already_called' ? '1001' : '1002';
    const lead = { lead_id, phones: [], do_not_call: false, fields: {} };
    await world.process(world.event({ event_id: 'evt_2', at: world.now, lead }));
    const { verdict, events, calls } = await explained(world, question);
    const { call_id } = world.call();
    expect(verdict).toMatchObject({ outcome, call: null, other_call: { id: call_id } });
    expect(events[0]?.outcome).toBe(outcome);
    expect(calls.map(({ id }) => id)).toEqual([call_id]);
  });

  it('lists all calls to the number in 90 days, however they were placed', async () => {
    const world = await lives.owner_mismatch[1]();
    const to = (call_id: string, created_at: string, phone_number = PHONE) =>
      world.putCall(aCall({ call_id, created_at, phone_number, org_id: ORG }));
    to('call_rest', '2026-02-01T00:00:00.000Z');
    to('call_old', '2025-11-01T00:00:00.000Z');
    to('call_other', '2026-02-02T00:00:00.000Z', OTHER_PHONE);
    expect((await explained(world, PHONE)).calls.map(({ id }) => id)).toEqual(['call_rest']);
  });

  it('finds a number in any spelling, and names the list that contains it', async () => {
    const world = await lives.do_not_call[1]();
    for (const question of [PHONE, '98765 43210', '0 98765-43210', '+91 (98765) 43210']) {
      const { asked, verdict, number } = await explained(world, question);
      expect([asked.phone, verdict?.outcome]).toEqual([PHONE, 'do_not_call']);
      expect(number).toEqual({
        phone: PHONE,
        phone_masked: '+91*******210',
        is_own: false,
        do_not_call: { since: NOON, call_id: 'call_1', by: null },
      });
    }
  });

  it('reports that no event has arrived, with the health of the connections', async () => {
    const rejection = { at: NOON, reason: 'unauthorized' };
    const world = crmALeads({
      connections: [aCrmAConnection({ last_delivery_at: '2026-02-26T00:00:00.000Z', rejection })],
    });
    const { verdict, now, events, connections, number } = await explained(world as unknown as LeadWorld, OTHER_PHONE);
    expect([verdict, now, events]).toEqual([null, null, []]);
    expect(number).toMatchObject({ is_own: false, do_not_call: null });
    expect(connections).toEqual([
      {
        connection_id: CONNECTION,
        crm: 'crm-a',
        auto_call: true,
        health: 'rejecting',
        health_reason: 'unauthorized',
        last_delivery_at: '2026-02-26T00:00:00.000Z',
        last_rejection: rejection,
      },
    ]);
  });

  it('reveals no data of another organization', async () => {
    const world = await ofCrmB()();
    world.put('organizations', anOrg({ org_id: 'org2' }));
    world.put('connections', aReadableConnection({ connection_id: 'conn_2', org_id: 'org2' }));
    world.connectionChange({ org_id: 'org2' });
    for (const question of [PHONE, '1001']) expect((await explained(world, question)).verdict).toBeNull();
  });

  it('works while CRM-B does not answer, and sends no probe', async () => {
    const world = await lives.owner_mismatch[1]();
    world.crm = () => unavailable('timed out');
    const { verdict, now } = await explained(world, '1001');
    expect(verdict?.outcome).toBe('owner_mismatch');
    expect(now).toMatchObject({ outcome: 'crm_unavailable', reason: expect.stringContaining('timed out') });
  });

  it('says that another event would call a lead whose call a person has canceled', async () => {
    const world = await ofCrmB({}, () => ({ ...found(), changedAt: NOON }))();
    await world.cancel();
    world.pass(60);
    expect((await explained(world, '1001')).now?.outcome).toBe('call queued');
  });

  it('does not refresh an access token, but reports that the outcome is unknown', async () => {
    const world = await lives.owner_mismatch[1]();
    world.connectionChange({ access: { version: 1, token: 'conn_1:t', expires_at: world.now } });
    const asked = world.fetched.length;
    expect((await explained(world, '1001')).now).toMatchObject({ outcome: null, unknown: 'access', checks: [] });
    expect(world.fetched).toHaveLength(asked);
  });

  it('does not know the number of a CRM-A lead found by its id, unless its event is stored', async () => {
    const world = crmALeads({ claims: [aClaim(leadKey())] });
    await world.process(aCrmAEvent());
    const ask = (question: string) => explained(world as unknown as LeadWorld, question);
    expect((await ask('lead-1')).now).toMatchObject({ outcome: null, unknown: 'phone' });
    expect((await ask(PHONE)).now).toMatchObject({ outcome: 'already_called' });
    const short = crmALeads({ organizations: [anOrg({ available: 0 })] });
    await short.process(aCrmAEvent());
    short.put('organizations', anOrg());
    expect((await explained(short as unknown as LeadWorld, 'lead-1')).now?.outcome).toBe('call queued');
  });

  it('is limited to fifty events', async () => {
    const world = readable();
    world.crm = () => found({ owner_id: 'owner-2' });
    for (let number = 0; number < 60; number += 1) {
      world.pass(60);
      await world.process(world.event({ event_id: `evt_${number}`, at: world.now }));
    }
    for (const question of ['1001', PHONE]) {
      const before = world.requests.length;
      const { events, has_more_events } = await explained(world, question);
      expect([events.length, has_more_events, events[0]?.id]).toEqual([50, true, 'evt_59']);
      expect(world.requests.length - before).toBeLessThan(60);
    }
  });
});

describe('the present decision in an explanation', () => {
  const facts = fc.record({
    auto_call: fc.boolean(),
    owner: fc.constantFrom(OWNER, 'owner-2', undefined),
    phones: fc.constantFrom(['98765 43210'], ['n/a'], [] as string[]),
    flag: fc.boolean(),
    listed: fc.boolean(),
    isOwn: fc.boolean(),
    hasAssistant: fc.boolean(),
    leadClaim: fc.boolean(),
    phoneClaim: fc.boolean(),
    available: fc.constantFrom(0, 100_000),
    at: fc.constantFrom(NOON, NIGHT, OPENS),
    crm: fc.constantFrom('found', 'not_found', 'unavailable', 'refused'),
  });
  type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

  /** Makes the facts true, whatever they were before. */
  function set(world: LeadWorld, type: 'crm-a' | 'crm-b', it: Facts): void {
    const connection = type === 'crm-a' ? aCrmAConnection() : aReadableConnection();
    const { assistant_id, ...without } = connection;
    world.put('connections', { ...(it.hasAssistant ? connection : without), auto_call: it.auto_call });
    world.put('organizations', anOrg({ available: it.available, ...(it.isOwn && { platform_numbers: [PHONE] }) }));
    world.remove('do-not-call', { org_id: ORG, phone: PHONE });
    if (it.listed) world.put('do-not-call', LISTED);
    const day = it.at === NOON ? MONDAY : '2026-03-03';
    const [lead = '', phone = ''] = claimsOf(day, PHONE, 'evt_0', type === 'crm-a' ? 'lead-1' : '1001').map(
      (claim) => claim.split(' = ')[0],
    );
    if (it.leadClaim && !world.find('claims', { claim: lead })) world.put('claims', aClaim(lead, 'evt_0', NOON));
    if (it.phoneClaim && !world.find('claims', { claim: phone })) world.put('claims', aClaim(phone, 'evt_0', NOON));
    world.now = it.at;
    world.crm = () => {
      if (it.crm === 'not_found') return { kind: 'not_found' };
      if (it.crm !== 'found')
        return { kind: 'unavailable', reason: 'x', ...(it.crm === 'refused' && { isFinal: true }) };
      return found({
        phones: it.phones,
        do_not_call: it.flag,
        ...(it.owner === undefined ? { owner_id: '' } : { owner_id: it.owner }),
      });
    };
  }

  it('equals the outcome of the next event, for any facts and any change of them, and writes no item', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('crm-a' as const, 'crm-b' as const), facts, facts, async (type, one, other) => {
        const world = leadWorld({ assistants: [anAssistant()] });
        const eventOf = (event_id: string, it: Facts) => {
          const lead = {
            lead_id: 'lead-1',
            phones: it.phones,
            do_not_call: it.flag,
            fields: {},
            ...(it.owner !== undefined && { owner_id: it.owner }),
          };
          const at = { event_id, at: world.now };
          return type === 'crm-a' ? aCrmAEvent({ ...at, lead }) : world.event(at);
        };
        set(world, type, one);
        const first = eventOf('evt_1', one);
        await world.process(first);
        world.queued.length = 0;
        const question = world.all('activity')[0]?.phone_hash ? PHONE : first.lead.lead_id;
        // A lead of CRM-A has the facts of its last event; all other facts may have changed.
        const then = type === 'crm-a' ? { ...other, phones: one.phones, flag: one.flag, owner: one.owner } : other;
        set(world, type, then);
        world.pass(60);
        const { now, verdict } = await explained(world, String(question));
        if (!verdict) return expect(world.all('activity')).toEqual([]);
        const next = await world.process(eventOf('evt_2', then));
        const isFlagHidden =
          type === 'crm-a' && then.flag && verdict.reason !== "The CRM's do-not-call flag is set for this lead.";
        if (now?.outcome === null || isFlagHidden) return undefined;
        return expect(now?.outcome).toBe(next === 'crm_unavailable_for_now' ? 'crm_unavailable' : next);
      }),
      { numRuns: 300 },
    );
  });
});
