import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimFor } from '../../../../shared/domain/calls/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { sundayClaimKey } from '../../../../shared/domain/leads/sunday-retry.ts';
import { leadEvent } from '../../../../shared/messages/lead-event.ts';
import {
  CONNECTION,
  CREDIT,
  crmBConnection,
  found,
  HOLD,
  ist,
  leadWorld,
  MONDAY,
  namedOnly,
  ORG,
  OWNER,
  org,
  PHONE,
  TUESDAY,
  WEDNESDAY,
} from '../../support/lead-world.ts';

const ownClaims = (day: string, eventId = 'evt_1') => [
  `lead#${CONNECTION}#1001#${day} = ${eventId}`,
  `phone#${ORG}#${PHONE}#${day} = ${eventId}`,
];
const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });
const NIGHT = ist(MONDAY, '22:30');

describe('a lead of CRM-B', () => {
  it('is asked for, and called as the CRM tells it', async () => {
    const world = leadWorld();
    world.state.crm = () => found({ fields: { First_Name: 'Meera' } });
    expect(await world.process(world.event())).toBe('call queued');
    expect(world.asked).toEqual(['1001']);
    expect(world.call()).toMatchObject({
      status: 'queued',
      phone_number: PHONE,
      request_metadata: { source: 'crm-b', connection_id: CONNECTION, lead_id: '1001' },
      lead: {
        crm: 'crm-b',
        lead_id: '1001',
        owner_id: OWNER,
        fields: { First_Name: 'Meera' },
        window: { start: '09:00', end: '21:00', exclude_sunday: false },
      },
      crm_b_sync: 'pending',
      held: HOLD,
    });
    expect(world.call().lead).not.toHaveProperty('first_scheduled_for');
    expect(world.entries()).toMatchObject([{ outcome: 'call queued', phone_masked: '+91*******210', owner_id: OWNER }]);
  });

  it('that is gone is told so, with its id', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'not_found' });
    expect(await world.process(world.event())).toBe('lead_not_found');
    expect(world.entries()).toMatchObject([{ outcome: 'lead_not_found', lead_id: '1001', retryable: null }]);
    expect(world.queued).toEqual([]);
  });

  it.each<[string, Partial<Connection>]>([
    ['auto-call is off', { auto_call: false }],
    ['it is disconnected', { grant: undefined }],
  ])('is not asked for where nobody would be called: %s', async (_name, change) => {
    const world = leadWorld({ connections: [{ ...crmBConnection, ...change }] });
    expect(await world.process(world.event())).toBe('auto_call_disabled');
    expect(world.asked).toEqual([]);
    expect(world.entries()).toMatchObject([{ lead_id: '1001' }]);
  });

  it('without an id is not asked for', async () => {
    const world = leadWorld();
    expect(await world.process(world.event({ lead: { ...namedOnly(), lead_id: undefined } }))).toBe(
      'no_lead_id_in_payload',
    );
    expect(world.asked).toEqual([]);
  });

  it('of a test is no lead of the CRM: neither asked for nor synced', async () => {
    const world = leadWorld();
    const lead = { ...namedOnly('typed-in'), phones: ['98123 45678'], owner_id: OWNER, fields: { First_Name: 'T' } };
    expect(await world.process(world.event({ test: true, source: 'test', event: 'test', lead }))).toBe('call queued');
    expect(world.asked).toEqual([]);
    expect(world.call()).toMatchObject({ phone_number: '+919812345678', lead: { test: true, fields: lead.fields } });
    expect(world.call()).not.toHaveProperty('crm_b_sync');
  });

  it('of a message that is about no lead is ignored, with the reason, and nothing is asked', async () => {
    const world = leadWorld();
    expect(await world.process(world.event({ ignored: 'The message is about contacts.' }))).toBe('ignored');
    expect(world.entries()).toMatchObject([{ outcome: 'ignored', reason: 'The message is about contacts.' }]);
    expect(world.asked).toEqual([]);
  });
});

describe('a CRM that does not answer', () => {
  it('is asked again by the queue, each time later, and at last given up so that it can be retried', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'it answered 429' });
    const first = world.event();
    let event = first;
    const waits: number[] = [];
    for (;;) {
      const word = await world.process(event);
      const sent = world.queued.shift();
      if (!sent) {
        expect(word).toBe('crm_unavailable');
        break;
      }
      expect(word).toBe('crm_unavailable_for_now');
      expect(world.entries()).toEqual([]);
      expect(world.calls()).toEqual([]);
      waits.push(sent.delay);
      event = leadEvent.parse(JSON.parse(JSON.stringify(sent.event)));
      expect(event).toEqual({ ...first, tries: waits.length });
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900]);
    expect(world.asked).toHaveLength(8);
    expect(world.logged).toEqual(
      Array(8).fill({
        message: 'the lead could not be fetched',
        connection_id: 'conn_1',
        event_id: 'evt_1',
        reason: 'it answered 429',
      }),
    );
    expect(world.entries()).toMatchObject([
      {
        event_id: 'evt_1',
        outcome: 'crm_unavailable',
        reason: 'The lead could not be fetched from the CRM: it answered 429.',
      },
    ]);

    // Once it is back, a person has it tried again: from the first wait on.
    expect(await world.retry('crm_unavailable')).toBe(1);
    const [repeat] = world.queued.splice(0);
    expect(repeat?.event).toEqual({
      ...first,
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: first.at,
      source: 'retry',
    });
    world.state.crm = () => found();
    expect(await world.process(repeat?.event as never)).toBe('call queued');
    expect(world.call('evt_1').status).toBe('queued');
  });

  it('and answers meanwhile is the same event', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'throttled' });
    expect(await world.process(world.event())).toBe('crm_unavailable_for_now');
    world.state.crm = () => found();
    expect(await world.process(world.queued[0]?.event as never)).toBe('call queued');
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued']);
  });

  it('because a person has to connect it again is given up at once', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'invalid_code', isFinal: true });
    expect(await world.process(world.event())).toBe('crm_unavailable');
    expect(world.queued).toEqual([]);
    expect(world.entries()).toMatchObject([{ outcome: 'crm_unavailable', retryable: expect.any(String) }]);
  });

  it('has delivered all the same: the connection knows at once, and is not taken for silent', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'x' });
    await world.process(world.event());
    expect(world.all('connections')).toMatchObject([{ last_delivery_at: world.state.now }]);
  });

  it('is no matter of any other failure: that is thrown, and the queue brings the event again', async () => {
    const world = leadWorld();
    world.state.crm = () => {
      throw new Error('a defect');
    };
    await expect(world.process(world.event())).rejects.toThrow('a defect');
    expect(world.entries()).toEqual([]);
  });

  it('and a queue that does not take the event are thrown on, too', async () => {
    const world = leadWorld();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'x' });
    world.state.queue = () => {
      throw timeOut();
    };
    await expect(world.process(world.event())).rejects.toThrow('timed out');
    expect(world.entries()).toEqual([]);
  });
});

describe('a lead outside its window', () => {
  it.each<[string, string, string]>([
    ['08:59:59.999', 'call scheduled', ist(MONDAY, '09:00')],
    ['09:00:00.000', 'call queued', ''],
    ['20:59:59.999', 'call queued', ''],
    ['21:00:00.000', 'call scheduled', ist(TUESDAY, '09:00')],
  ])('at %s: %s %s', async (time, outcome, scheduledFor) => {
    const world = leadWorld();
    world.state.now = ist(MONDAY, time);
    expect(await world.process(world.event())).toBe(outcome);
    expect(world.call().scheduled_for ?? '').toBe(scheduledFor);
  });

  it("waits for it: no credit is looked at, and its claims are of the opening's day", async () => {
    const world = leadWorld({ organizations: [{ ...org, available: 0 }] });
    world.state.now = NIGHT;
    expect(await world.process(world.event())).toBe('call scheduled');
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: ist(TUESDAY, '09:00'),
      dial_after: ist(TUESDAY, '09:00'),
      dial_by: ist(TUESDAY, '11:00'),
      held: 0,
      holds: 0,
      claims_day: TUESDAY,
      lead: { first_scheduled_for: ist(TUESDAY, '09:00') },
    });
    expect(world.claims()).toEqual(ownClaims(TUESDAY));
    expect(world.credit()).toEqual({ available: 0, held: 0 });
    expect(world.ledger()).toEqual([]);
    expect(world.entries()).toMatchObject([
      { outcome: 'call scheduled', scheduled_for: ist(TUESDAY, '09:00'), call_id: world.call().call_id },
    ]);
  });

  it('of a test waits, too: a real phone rings', async () => {
    const world = leadWorld();
    world.state.now = NIGHT;
    const lead = { ...namedOnly(), phones: ['98765 43210'], owner_id: OWNER };
    expect(await world.process(world.event({ test: true, source: 'test', lead }))).toBe('call scheduled');
  });

  it('edited again that night is called already', async () => {
    const world = leadWorld();
    world.state.now = NIGHT;
    await world.process(world.event());
    world.state.now = ist(TUESDAY, '02:00');
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    expect(await world.process(world.event({ event_id: 'evt_3', at: NIGHT }))).toBe('already_called');
    expect(world.calls()).toHaveLength(1);
  });

  it("called on the event's own day is called already: a late edit books no second call for tomorrow", async () => {
    const world = leadWorld();
    expect(await world.process(world.event())).toBe('call queued');
    world.state.now = NIGHT;
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    // After midnight it is another day.
    world.state.now = ist(TUESDAY, '00:00');
    expect(await world.process(world.event({ event_id: 'evt_3' }))).toBe('call scheduled');
  });

  it('has a phone that was called on the day of the event, but not on that of the call', async () => {
    const ofOther = claimFor(phoneClaimKey(ORG, PHONE, MONDAY), {
      ownerId: 'evt_0',
      callId: 'call_0',
      now: new Date(NIGHT),
    });
    for (const [day, outcome] of [
      [MONDAY, 'call scheduled'],
      [TUESDAY, 'phone_already_called'],
    ] as const) {
      const world = leadWorld({ claims: [{ ...ofOther, claim: phoneClaimKey(ORG, PHONE, day) }] });
      world.state.now = NIGHT;
      expect(await world.process(world.event())).toBe(outcome);
    }
  });

  it('is scheduled for Monday on a Saturday night before an excluded Sunday', async () => {
    const settings = { ...crmBConnection.settings, exclude_sunday: true };
    const world = leadWorld({ connections: [{ ...crmBConnection, settings }] });
    world.state.now = ist('2026-03-07', '22:00');
    expect(await world.process(world.event())).toBe('call scheduled');
    expect(world.call()).toMatchObject({ scheduled_for: ist('2026-03-09', '09:00'), claims_day: '2026-03-09' });
  });
});

describe('an event that scheduled a call', () => {
  it('and is delivered again says so, whatever the call has become and however it died before', async () => {
    const becoming = [
      async () => undefined,
      async (world: ReturnType<typeof leadWorld>) => {
        world.state.now = ist(TUESDAY, '09:00');
        expect(await world.release(world.releaseMessage())).toBe('call queued');
      },
      async (world: ReturnType<typeof leadWorld>) => void (await world.cancel()),
    ];
    const deaths = ['answer of the transaction', 'write of the entry', 'answer of the entry'] as const;
    for (const become of becoming)
      for (const death of deaths) {
        const world = leadWorld();
        world.state.now = NIGHT;
        const event = world.event();
        const isOf = (operation: string, input: { TableName?: unknown }) =>
          death === 'answer of the transaction'
            ? operation === 'TransactWrite'
            : operation === 'Put' && input.TableName === 'activity';
        const die = (operation: string, input: object) => {
          if (isOf(operation, input)) throw timeOut();
        };
        if (death === 'write of the entry') world.hooks.before = die;
        else world.hooks.after = die;
        await expect(world.process(event)).rejects.toThrow('timed out');
        world.hooks.before = undefined;
        world.hooks.after = undefined;
        await become(world);
        expect(await world.process(event)).toBe(death === 'answer of the entry' ? 'decided_before' : 'call scheduled');
        expect(world.entries().filter(({ event_id }) => event_id === 'evt_1')).toMatchObject([
          { outcome: 'call scheduled', scheduled_for: ist(TUESDAY, '09:00'), call_id: world.call().call_id },
        ]);
        expect(world.calls()).toHaveLength(1);
      }
  });

  it('is one call, whenever its worker dies', async () => {
    for (let deadly = 1; ; deadly += 1) {
      const world = leadWorld();
      world.state.now = NIGHT;
      const event = world.event();
      let requests = 0;
      world.hooks.before = () => {
        requests += 1;
        if (requests === deadly) throw timeOut();
      };
      const hasDied = await world.process(event).then(
        () => false,
        () => true,
      );
      world.hooks.before = undefined;
      await world.process(event);
      expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled']);
      expect(world.calls()).toHaveLength(1);
      expect(world.claims()).toEqual(ownClaims(TUESDAY));
      if (!hasDied) {
        expect(deadly).toBeGreaterThan(7);
        break;
      }
    }
  });

  it('at the same moment as itself is one call, told alike', async () => {
    const world = leadWorld();
    world.state.now = NIGHT;
    const event = world.event();
    const outcomes = await Promise.all([event, event, event].map((one) => world.process(one)));
    expect(outcomes).toEqual(['call scheduled', 'call scheduled', 'call scheduled']);
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled']);
  });
});

describe('a lead of the Sunday sweep', () => {
  const SUNDAY = '2026-03-08';
  const settings = { ...crmBConnection.settings, exclude_sunday: true };
  const sweep = (world: ReturnType<typeof leadWorld>, event_id = 'evt_sweep') =>
    world.event({ event_id, source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
  const sundayKey = sundayClaimKey(CONNECTION, '1001');
  const claimed = (at: string, eventId = 'evt_0') =>
    claimFor(sundayKey, { ownerId: eventId, callId: 'call_0', now: new Date(at) });
  const earlier = (at: string, ms: number) => new Date(Date.parse(at) - ms).toISOString();
  const HOURS_20 = 20 * 3_600_000;
  const NOON = ist(SUNDAY, '12:00');

  it('is called on an excluded Sunday, marked, with a claim of its own', async () => {
    const world = leadWorld({ connections: [{ ...crmBConnection, settings }] });
    world.state.now = NOON;
    expect(await world.process(sweep(world))).toBe('call queued');
    expect(world.call('evt_sweep')).toMatchObject({
      status: 'queued',
      request_metadata: { sunday_rnr_retry: 'true' },
      lead: { event: 'sunday_retry', window: { exclude_sunday: false } },
    });
    expect(world.claims()).toEqual([...ownClaims(SUNDAY, 'evt_sweep'), `${sundayKey} = evt_sweep`]);
    // An edit of the same day is none of the sweep.
    const edited = leadWorld({ connections: [{ ...crmBConnection, settings }] });
    edited.state.now = NOON;
    expect(await edited.process(edited.event())).toBe('call scheduled');
    expect(edited.claims()).toEqual(ownClaims('2026-03-09'));
    expect(edited.call().request_metadata).not.toHaveProperty('sunday_rnr_retry');
  });

  it('before its hours waits for them, on the Sunday', async () => {
    const world = leadWorld({ connections: [{ ...crmBConnection, settings }] });
    world.state.now = ist(SUNDAY, '08:00');
    expect(await world.process(sweep(world))).toBe('call scheduled');
    expect(world.call('evt_sweep').scheduled_for).toBe(ist(SUNDAY, '09:00'));
    world.state.now = ist(SUNDAY, '09:00');
    expect(await world.release(world.releaseMessage('evt_sweep'))).toBe('call queued');
    expect(world.call('evt_sweep').lead?.window).toMatchObject({ exclude_sunday: false });
  });

  it.each<[string, number, string]>([
    ['20 hours', HOURS_20, 'call queued'],
    ['a millisecond less', HOURS_20 - 1, 'retried_recently'],
    ['a moment', 0, 'retried_recently'],
    ['a week', 7 * 24 * 3_600_000, 'call queued'],
  ])('that the sweep had called %s ago', async (_name, ms, outcome) => {
    const world = leadWorld({ claims: [claimed(earlier(NOON, ms))] });
    world.state.now = NOON;
    expect(await world.process(sweep(world))).toBe(outcome);
    expect(world.claims()).toContain(`${sundayKey} = ${outcome === 'call queued' ? 'evt_sweep' : 'evt_0'}`);
    expect(world.calls()).toHaveLength(outcome === 'call queued' ? 1 : 0);
    // What was seen needs no transaction that fails.
    expect(world.requests.includes('TransactWrite')).toBe(outcome === 'call queued');
  });

  it('is not kept from its call by its own claim, and no other event is by that claim', async () => {
    const own = leadWorld({ claims: [claimed(earlier(NOON, 1000), 'evt_sweep')] });
    own.state.now = NOON;
    expect(await own.process(sweep(own))).toBe('call queued');
    const edit = leadWorld({ claims: [claimed(earlier(NOON, 1000))] });
    edit.state.now = NOON;
    expect(await edit.process(edit.event())).toBe('call queued');
  });

  it('that another run of the sweep has called at the same moment is retried recently, and nothing is written', async () => {
    for (const [ms, outcome] of [
      [HOURS_20 - 1, 'retried_recently'],
      [HOURS_20, 'call queued'],
    ] as const) {
      const world = leadWorld();
      world.state.now = NOON;
      world.hooks.before = (operation) => {
        if (operation === 'TransactWrite') world.put('claims', claimed(earlier(NOON, ms)));
      };
      expect(await world.process(sweep(world))).toBe(outcome);
      expect(world.calls()).toHaveLength(outcome === 'call queued' ? 1 : 0);
      if (outcome === 'retried_recently') expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    }
  });

  it('loses to an edit that has called it: that is no retry', async () => {
    const world = leadWorld({
      claims: [
        claimFor(leadClaimKey(CONNECTION, '1001', SUNDAY), { ownerId: 'evt_0', callId: 'call_0', now: new Date(NOON) }),
      ],
    });
    world.state.now = NOON;
    expect(await world.process(sweep(world))).toBe('already_called');
    expect(world.claims()).not.toContain(`${sundayKey} = evt_sweep`);
  });

  it('is called once, however many runs of the sweep deliver it in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 4 }), fc.scheduler(), async (runs, scheduler) => {
        const world = leadWorld({}, (send) => scheduler.scheduleFunction(send as (command: never) => Promise<unknown>));
        world.state.now = NOON;
        const events = Array.from({ length: runs }, (_, run) => sweep(world, `evt_${run}`));
        const words = await scheduler.waitFor(Promise.all(events.map((event) => world.process(event))));
        expect(words.filter((word) => word === 'call queued')).toHaveLength(1);
        expect(
          words
            .filter((word) => word !== 'call queued')
            .every((word) => /^(retried_recently|already_called)/.test(word)),
        ).toBe(true);
        expect(world.calls()).toHaveLength(1);
        expect(world.claims()).toHaveLength(3);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a retry of a lead that its window keeps waiting', () => {
  it('is the call of the original event, scheduled for its own next window', async () => {
    const world = leadWorld({ organizations: [{ ...org, available: 0 }] });
    expect(await world.process(world.event())).toBe('insufficient_credits');
    world.put('organizations', org);
    world.state.now = ist(TUESDAY, '23:00');
    expect(await world.retry('insufficient_credits')).toBe(1);
    expect(await world.process(world.queued[0]?.event as never)).toBe('call scheduled');
    expect(world.call('evt_1')).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
  });
});
