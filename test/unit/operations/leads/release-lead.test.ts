import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { anAssistant, anOrg, CREDIT, ist, MONDAY, ORG, TUESDAY, WEDNESDAY } from '../../support/worlds/items.ts';
import {
  aClaim,
  atItsOpening,
  type Change,
  CONNECTION,
  claimsOf,
  connectionHas,
  crmSays,
  ENTRY,
  expectBooks,
  found,
  HOLD,
  namedOnly,
  OPENS,
  OTHER_PHONE,
  OWNER,
  PHONE,
  stored,
  windowOf,
} from '../../support/worlds/lead-world.ts';

describe('a call whose window opens', () => {
  it('is queued in one transaction with its entry after the lead is read again, and holds its credit at the dial', async () => {
    const { world, message } = await atItsOpening();
    for (const list of [world.fetched, world.requests, world.correlated]) list.length = 0;
    world.crm = () => found({ fields: { First_Name: 'Meera' } });
    expect(await world.release(message)).toBe('call queued');
    const call = world.call();
    expect(world.fetched).toEqual(['1001']);
    expect(world.correlated).toEqual([{ org_id: ORG, call_id: call.call_id }]);
    expect(world.writes()).toEqual(['TransactWrite', 'Update activity']);
    expect(call).toMatchObject({
      status: 'queued',
      unfinished: 'waiting',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      progress_at: OPENS,
      held: 0,
      claims_day: TUESDAY,
      lead: { fields: { First_Name: 'Meera' }, first_scheduled_for: OPENS, event_id: 'evt_1' },
    });
    expect(world.ledger()).toEqual([]);
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    const entry = { lead_id: '1001', phone_masked: '+91*******210', owner_id: OWNER, call_id: call.call_id };
    expect(world.entries()).toMatchObject([
      { event_id: 'evt_1', outcome: 'call scheduled' },
      { event_id: ENTRY, source: 'release', outcome: 'call queued', at: OPENS, ...entry },
    ]);
    expect(await world.dial()).toBe('accepted');
    expect(world.rung).toMatchObject([{ phone: PHONE, at: OPENS }]);
    expect(world.call()).toMatchObject({ held: HOLD, holds: 1 });
    expect(world.credit()).toEqual({ available: CREDIT - HOLD, held: HOLD });
    expect(world.ledger()).toMatchObject([{ kind: 'hold', held: HOLD, entry: expect.stringMatching(/#hold#1$/) }]);
  });

  it('uses the present organization, assistant and connection', async () => {
    const { world, message } = await atItsOpening();
    world.put('organizations', anOrg({ rate: 5000, rates: { IN: 2000 }, max_wait_minutes: 1440 }));
    world.put('assistants', anAssistant({ assistant_id: 'asst_2', name: 'B', max_duration_seconds: 61 }));
    world.connectionChange({ assistant_id: 'asst_2', settings: windowOf('08:00', '20:00') });
    expect(await world.release(message)).toBe('call queued');
    expect(world.call()).toMatchObject({
      rate: 2000,
      assistant_id: 'asst_2',
      assistant_name: 'B',
      max_duration_seconds: 61,
      // Never past the end of the present window.
      dial_by: ist(TUESDAY, '20:00'),
      lead: { window: { start: '08:00', end: '20:00' } },
    });
    expect(await world.dial()).toBe('accepted');
    expect(world.call().held).toBe(4000);
    expectBooks(world);
  });

  it('is not stopped by its own claims, nor by earlier ones on its phone and lead', async () => {
    const { world, message } = await atItsOpening();
    world.put('claims', aClaim(phoneClaimKey(ORG, PHONE, MONDAY)));
    world.put('claims', aClaim(leadClaimKey(CONNECTION, '1001', '2026-03-01')));
    expect(await world.release(message)).toBe('call queued');
  });

  it.each([true, false])('is canceled if the call of a newer event was dialed meanwhile: %s', async (isDialed) => {
    const { world, message } = await atItsOpening();
    world.now = ist(MONDAY, '23:00');
    world.connectionChange({ settings: {} });
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('call queued');
    if (isDialed) expect(await world.dial('evt_2')).toBe('accepted');
    world.now = OPENS;
    // A newer call that still waits is no longer dialed: it has expired, and the released call holds the claims.
    expect(await world.release(message)).toBe(isDialed ? 'already_called' : 'call queued');
    if (!isDialed) await world.dial('evt_2');
    await world.dial().catch(() => undefined);
    expect(world.rung).toHaveLength(1);
    const { status, ended_reason } = world.call(isDialed ? 'evt_1' : 'evt_2');
    expect([status, ended_reason]).toEqual(isDialed ? ['canceled', 'already_called'] : ['failed', 'expired']);
  });

  it('loses its window if the connection no longer has one', async () => {
    const { world, message } = await atItsOpening();
    world.connectionChange({ settings: {} });
    expect(await world.release(message)).toBe('call queued');
    expect(world.call().lead).not.toHaveProperty('window');
    expect(world.call().dial_by).toBe(ist(TUESDAY, '11:00'));
  });

  it('of a test event is released from the event itself, without a request to the CRM', async () => {
    const lead = { ...namedOnly('typed'), phones: [OTHER_PHONE], owner_id: OWNER, fields: { First_Name: 'T' } };
    const { world, message } = await atItsOpening({}, { lead, test: true, source: 'test', event: 'test' });
    expect(await world.release(message)).toBe('call queued');
    expect(world.fetched).toEqual([]);
    expect(world.call()).toMatchObject({ phone_number: OTHER_PHONE, lead: { fields: lead.fields, test: true } });
  });

  it('whose message is too early is delayed until its time, without a request to the CRM', async () => {
    const { world, message } = await atItsOpening();
    world.fetched.length = 0;
    world.now = ist(TUESDAY, '08:59:58.500');
    expect(await world.release(message)).toBe('too_early');
    expect(world.queued).toMatchObject([{ message, delay: 1.5 }]);
    expect(world.fetched).toEqual([]);
    expect(world.call().status).toBe('scheduled');
  });

  it('whose message is a day late takes the claims of the day on which it is called', async () => {
    const { world, message } = await atItsOpening();
    world.now = ist(WEDNESDAY, '10:00');
    expect(await world.release(message)).toBe('call queued');
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
    expect(world.call()).toMatchObject({ claims_day: WEDNESDAY, dial_by: ist(WEDNESDAY, '12:00') });
  });

  it('ignores a message for another time or another call', async () => {
    const { world, message } = await atItsOpening();
    const before = world.snapshot();
    for (const over of [
      { scheduled_for: ist(WEDNESDAY, '09:00') },
      { scheduled_for: undefined },
      { original_event_id: 'evt_2' },
    ])
      expect(await world.release({ ...message, ...over })).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(before);
  });
});

describe('a call that may no longer be made', () => {
  it.each<[Outcome, string, Change]>([
    ['auto_call_disabled', 'auto-call is off', connectionHas({ auto_call: false })],
    ['auto_call_disabled', 'the connection is disconnected', connectionHas({ grant: undefined })],
    ['lead_not_found', 'the lead is gone', crmSays({ kind: 'not_found' })],
    ['owner_mismatch', 'the lead has another owner', crmSays(found({ owner_id: 'x' }))],
    ['owner_mismatch', 'the connection requires another owner', connectionHas({ trigger_owner_user_id: 'x' })],
    ['no_dialable_phone', 'the lead has no phone', crmSays(found({ phones: [] }))],
    [
      'own_platform_number',
      'the phone is the organization’s own',
      stored('organizations', anOrg({ platform_numbers: [PHONE] })),
    ],
    ['do_not_call', 'the CRM sets the flag', crmSays(found({ do_not_call: true }))],
    ['do_not_call', 'the phone is listed', stored('do-not-call', { org_id: ORG, phone: PHONE, added_at: OPENS })],
    ['assistant_missing', 'the connection has no assistant', connectionHas({ assistant_id: undefined })],
    ['insufficient_credits', 'a unit of credit is missing', stored('organizations', anOrg({ available: HOLD - 1 }))],
  ])(
    'is canceled with its reason in Activity, and its claims are free: %s, because %s',
    async (outcome, _why, change) => {
      const { world, message } = await atItsOpening();
      change(world);
      const { available } = world.credit();
      world.requests.length = 0;
      expect(await world.release(message)).toBe(outcome);
      expect(world.writes()).toEqual(['TransactWrite', 'Update activity']);
      expect(world.counted).toEqual([]);
      const end = { status: 'canceled', ended_reason: outcome, ended_at: OPENS, duration: 0, cost: 0 };
      expect(world.call()).toMatchObject({ ...end, unfinished: 'ended' });
      expect(world.claims()).toEqual([]);
      expect(world.ledger()).toEqual([]);
      expectBooks(world, available);
      const [, ...entries] = world.entries();
      expect(entries).toMatchObject([
        {
          event_id: ENTRY,
          source: 'release',
          outcome,
          reason: expect.stringMatching(/^[A-Z].*\.$/),
          call_id: world.call().call_id,
        },
      ]);
      expect(entries[0]?.retryable !== null).toBe(outcome === 'insufficient_credits');
    },
  );

  it('for lack of credit is placed by `connection retry` as a new call, or at night for the next opening', async () => {
    const { world, message } = await atItsOpening();
    const retry = async () => {
      expect(await world.retry('insufficient_credits')).toBe(1);
      const event = world.queued.shift()?.message as LeadEvent;
      return { event, result: await world.process(event) };
    };
    const broke = anOrg({ available: 0 });
    world.put('organizations', broke);
    await world.release(message);
    world.now = ist(TUESDAY, '22:00');
    const { event, result } = await retry();
    expect(result).toBe('call scheduled');
    expect(event).toMatchObject({ event_id: `${ENTRY}.retry.1`, original_event_id: ENTRY, source: 'retry' });
    expect(event).not.toHaveProperty('scheduled_for');
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY, PHONE, ENTRY));
    world.now = ist(WEDNESDAY, '09:00');
    expect(await world.release(world.releaseMessage(ENTRY))).toBe('insufficient_credits');
    world.put('organizations', anOrg());
    expect(await retry()).toMatchObject({ result: 'call queued' });
    const calls = world.calls().map(({ status, held, lead }) => [status, held, lead?.lead_id]);
    expect(calls).toEqual([
      ['canceled', 0, '1001'],
      ['canceled', 0, '1001'],
      ['queued', 0, '1001'],
    ]);
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY, PHONE, world.calls()[2]?.lead?.event_id));
    expect(await world.retry('insufficient_credits')).toBe(0);
    expectBooks(world);
  });

  it('does not free claims that another event owns now', async () => {
    const { world, message } = await atItsOpening();
    world.put('claims', aClaim(leadClaimKey(CONNECTION, '1001', TUESDAY)));
    world.connectionChange({ auto_call: false });
    expect(await world.release(message)).toBe('auto_call_disabled');
    expect(world.claims()).toContain(`lead#${CONNECTION}#1001#${TUESDAY} = evt_0`);
  });
});

describe('a lead whose phone has changed', () => {
  const atNewPhone = async () => {
    const { world, message } = await atItsOpening();
    world.crm = () => found({ phones: [OTHER_PHONE] });
    return { world, message };
  };

  it.each([
    ['is called', windowOf('09:00'), 'call queued'],
    ['is scheduled again', windowOf('10:30'), 'call scheduled'],
  ])('%s at the new number, and its phone claim moves to that number', async (_what, settings, result) => {
    const { world, message } = await atNewPhone();
    world.connectionChange({ settings });
    expect(await world.release(message)).toBe(result);
    expect(world.call()).toMatchObject({ phone_number: OTHER_PHONE, claims_day: TUESDAY });
    expect(world.claims()).toEqual(claimsOf(TUESDAY, OTHER_PHONE));
    expect(world.entries()[1]?.phone_masked).toBe('+91*******678');
  });

  it('is canceled if the new number was already called, and its claims are free', async () => {
    const { world, message } = await atNewPhone();
    world.put('claims', aClaim(phoneClaimKey(ORG, OTHER_PHONE, TUESDAY)));
    expect(await world.release(message)).toBe('phone_already_called');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'phone_already_called' });
    expect(world.claims()).toEqual([`phone#${ORG}#${OTHER_PHONE}#${TUESDAY} = evt_0`]);
    expect(world.entries()[1]).toMatchObject({ event_id: ENTRY, outcome: 'phone_already_called', retryable: null });
    expectBooks(world);
  });
});

describe('a call window that was changed in between', () => {
  const withWindow = async (start: string, end?: string) => {
    const { world, message } = await atItsOpening();
    world.now = ist(TUESDAY, '09:30');
    world.connectionChange({ settings: windowOf(start, end) });
    return { world, message };
  };

  it('moves the call within the day, with the same claims', async () => {
    const { world, message } = await withWindow('10:30');
    const claims = world.all('claims');
    const opens = ist(TUESDAY, '10:30');
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.all('claims')).toEqual(claims);
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: opens,
      dial_after: opens,
      dial_by: ist(TUESDAY, '12:30'),
      claims_day: TUESDAY,
      postponements: 1,
      held: 0,
      holds: 0,
      progress_at: world.now,
    });
    const entry = { event_id: ENTRY, source: 'release', outcome: 'call scheduled', scheduled_for: opens };
    expect(world.entries()[1]).toMatchObject(entry);
    expect(await world.release(message)).toBe('not_scheduled');
    world.now = opens;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(world.outcomes().slice(1)).toEqual([
      `${ENTRY} release: call scheduled`,
      'evt_1.release.202603030500 release: call queued',
    ]);
    expect(world.call().lead?.first_scheduled_for).toBe(OPENS);
  });

  it('moves the call to another day, with the claims of that day', async () => {
    const { world, message } = await withWindow('08:00', '09:15');
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '08:00'), claims_day: WEDNESDAY });
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
  });

  it.each([
    ['lead', leadClaimKey(CONNECTION, '1001', WEDNESDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, PHONE, WEDNESDAY), 'phone_already_called'],
  ])('cancels the call if the %s is already claimed for the new day', async (_what, key, outcome) => {
    const { world, message } = await withWindow('08:00', '09:15');
    world.put('claims', aClaim(key));
    expect(await world.release(message)).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.claims()).toEqual([`${key} = evt_0`]);
    expect(world.outcomes()[1]).toBe(`${ENTRY} release: ${outcome}`);
  });

  it('cancels a call that was already postponed seven times', async () => {
    const { world, message } = await withWindow('10:30');
    world.put('calls', { ...world.all('calls')[0], postponements: 7 });
    await world.release(message);
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });
});
