import { describe, expect, it } from '@jest/globals';
import { phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { leadEvent } from '../../../../shared/messages/lead-event.ts';
import { anOrg, ist, MONDAY, ORG, TUESDAY, WEDNESDAY } from '../../support/items.ts';
import {
  aCallingConnection,
  CONNECTION,
  claimsOf,
  found,
  HOLD,
  leadWorld,
  namedOnly,
  OWNER,
  PHONE,
  aClaim,
} from '../../support/lead-world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });
const NIGHT = ist(MONDAY, '22:30');

const atNight = (over: Parameters<typeof leadWorld>[0] = {}) => {
  const world = leadWorld(over);
  world.now = NIGHT;
  return world;
};

describe('a lead of CRM-B', () => {
  it('is read from the CRM, and called with the data of the CRM', async () => {
    const world = leadWorld();
    world.crm = () => found({ fields: { First_Name: 'Meera' } });
    expect(await world.process(world.event())).toBe('call queued');
    expect(world.fetched).toEqual(['1001']);
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

  it('that the CRM no longer has is recorded with its id', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'not_found' });
    expect(await world.process(world.event())).toBe('lead_not_found');
    expect(world.entries()).toMatchObject([{ outcome: 'lead_not_found', lead_id: '1001', retryable: null }]);
    expect(world.queued).toEqual([]);
  });

  it.each<[string, Partial<Connection>]>([
    ['auto-call is off', { auto_call: false }],
    ['it is disconnected', { grant: undefined }],
  ])('is not read if it would not be called: %s', async (_name, change) => {
    const world = leadWorld({ connections: [aCallingConnection({ ...change })] });
    expect(await world.process(world.event())).toBe('auto_call_disabled');
    expect(world.fetched).toEqual([]);
    expect(world.entries()).toMatchObject([{ lead_id: '1001' }]);
  });

  it('without an id is not read', async () => {
    const world = leadWorld();
    expect(await world.process(world.event({ lead: { ...namedOnly(), lead_id: undefined } }))).toBe(
      'no_lead_id_in_payload',
    );
    expect(world.fetched).toEqual([]);
  });

  it('of a test event is neither read from the CRM nor written back', async () => {
    const world = leadWorld();
    const lead = { ...namedOnly('typed-in'), phones: ['98123 45678'], owner_id: OWNER, fields: { First_Name: 'T' } };
    expect(await world.process(world.event({ test: true, source: 'test', event: 'test', lead }))).toBe('call queued');
    expect(world.fetched).toEqual([]);
    expect(world.call()).toMatchObject({ phone_number: '+919812345678', lead: { test: true, fields: lead.fields } });
    expect(world.call()).not.toHaveProperty('crm_b_sync');
  });

  it('in a message about something else is ignored with a reason, without a request to the CRM', async () => {
    const world = leadWorld();
    expect(await world.process(world.event({ ignored: 'The message is about contacts.' }))).toBe('ignored');
    expect(world.entries()).toMatchObject([{ outcome: 'ignored', reason: 'The message is about contacts.' }]);
    expect(world.fetched).toEqual([]);
  });
});

describe('a CRM that does not answer', () => {
  it('gets repeated requests with growing waits, until the event is given up and can be retried', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'unavailable', reason: 'it answered 429' });
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
      event = leadEvent.parse(JSON.parse(JSON.stringify(sent.message)));
      expect(event).toEqual({ ...first, tries: waits.length });
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900]);
    expect(world.fetched).toHaveLength(8);
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

    // When the CRM is back, an operator retries the event, and its waits start from the beginning.
    expect(await world.retry('crm_unavailable')).toBe(1);
    const [repeat] = world.queued.splice(0);
    expect(repeat?.message).toEqual({
      ...first,
      event_id: 'evt_1.retry.1',
      original_event_id: 'evt_1',
      original_at: first.at,
      source: 'retry',
    });
    world.crm = () => found();
    expect(await world.process(repeat?.message as never)).toBe('call queued');
    expect(world.call('evt_1').status).toBe('queued');
  });

  it('and recovers meanwhile causes one entry in Activity for the event', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'unavailable', reason: 'throttled' });
    expect(await world.process(world.event())).toBe('crm_unavailable_for_now');
    world.crm = () => found();
    expect(await world.process(world.queued[0]?.message as never)).toBe('call queued');
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued']);
  });

  it('because it needs a new consent ends the event at once', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'unavailable', reason: 'invalid_code', isFinal: true });
    expect(await world.process(world.event())).toBe('crm_unavailable');
    expect(world.queued).toEqual([]);
    expect(world.entries()).toMatchObject([{ outcome: 'crm_unavailable', retryable: expect.any(String) }]);
  });

  it('still counts as delivering, so that its channel is not taken for silent', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'unavailable', reason: 'x' });
    await world.process(world.event());
    expect(world.all('connections')).toMatchObject([{ last_delivery_at: world.now }]);
  });

  it('is distinguished from a defect, which is thrown so that the queue delivers the event again', async () => {
    const world = leadWorld();
    world.crm = () => {
      throw new Error('a defect');
    };
    await expect(world.process(world.event())).rejects.toThrow('a defect');
    expect(world.entries()).toEqual([]);
  });

  it('fails the delivery if the queue also refuses the event', async () => {
    const world = leadWorld();
    world.crm = () => ({ kind: 'unavailable', reason: 'x' });
    world.leadQueue.refusal = timeOut();
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
    world.now = ist(MONDAY, time);
    expect(await world.process(world.event())).toBe(outcome);
    expect(world.call().scheduled_for ?? '').toBe(scheduledFor);
  });

  it("waits for its window without a check of credit, with claims of the opening's day", async () => {
    const world = atNight({ organizations: [anOrg({ available: 0 })] });
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
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.credit()).toEqual({ available: 0, held: 0 });
    expect(world.ledger()).toEqual([]);
    expect(world.entries()).toMatchObject([
      { outcome: 'call scheduled', scheduled_for: ist(TUESDAY, '09:00'), call_id: world.call().call_id },
    ]);
  });

  it('of a test event also waits, because a real phone rings', async () => {
    const world = atNight();
    const lead = { ...namedOnly(), phones: ['98765 43210'], owner_id: OWNER };
    expect(await world.process(world.event({ test: true, source: 'test', lead }))).toBe('call scheduled');
  });

  it('edited again that night counts as already called', async () => {
    const world = atNight();
    await world.process(world.event());
    world.now = ist(TUESDAY, '02:00');
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    expect(await world.process(world.event({ event_id: 'evt_3', at: NIGHT }))).toBe('already_called');
    expect(world.calls()).toHaveLength(1);
  });

  it("called on the event's own day counts as called: a late edit schedules no second call for tomorrow", async () => {
    const world = leadWorld();
    expect(await world.process(world.event())).toBe('call queued');
    world.now = NIGHT;
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    // Midnight has passed.
    world.now = ist(TUESDAY, '00:00');
    expect(await world.process(world.event({ event_id: 'evt_3' }))).toBe('call scheduled');
  });

  it('is scheduled if its phone is claimed for the day of the event, but not if it is claimed for the day of the call', async () => {
    for (const [day, outcome] of [
      [MONDAY, 'call scheduled'],
      [TUESDAY, 'phone_already_called'],
    ] as const) {
      const world = atNight({ claims: [aClaim(phoneClaimKey(ORG, PHONE, day))] });
      expect(await world.process(world.event())).toBe(outcome);
    }
  });

  it('is scheduled for Monday on a Saturday night before an excluded Sunday', async () => {
    const settings = { ...aCallingConnection().settings, exclude_sunday: true };
    const world = leadWorld({ connections: [aCallingConnection({ settings })] });
    world.now = ist('2026-03-07', '22:00');
    expect(await world.process(world.event())).toBe('call scheduled');
    expect(world.call()).toMatchObject({ scheduled_for: ist('2026-03-09', '09:00'), claims_day: '2026-03-09' });
  });
});

describe('an event that scheduled a call', () => {
  it('and is delivered again is recorded as scheduled, in any state of its call and at any death of its worker', async () => {
    const becoming = [
      async () => undefined,
      async (world: ReturnType<typeof leadWorld>) => {
        world.now = ist(TUESDAY, '09:00');
        expect(await world.release(world.releaseMessage())).toBe('call queued');
      },
      async (world: ReturnType<typeof leadWorld>) => void (await world.cancel()),
    ];
    const deaths = ['answer of the transaction', 'write of the entry', 'answer of the entry'] as const;
    for (const become of becoming)
      for (const death of deaths) {
        const world = atNight();
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

  it('results in one call, wherever its worker dies', async () => {
    for await (const [world, cut] of worldThatDies(atNight, (each) => each.process(each.event()), 7)) {
      await world.process(world.event());
      expect([cut, ...world.outcomes()]).toEqual([cut, 'evt_1 webhook: call scheduled']);
      expect(world.calls()).toHaveLength(1);
      expect(world.claims()).toEqual(claimsOf(TUESDAY));
    }
  });

  it('and is delivered three times at once results in one call, with the same outcome each time', async () => {
    const world = atNight();
    const event = world.event();
    const outcomes = await Promise.all([event, event, event].map((one) => world.process(one)));
    expect(outcomes).toEqual(['call scheduled', 'call scheduled', 'call scheduled']);
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled']);
  });
});

describe('a retry outside the call window', () => {
  it('schedules the call of the original event for its own next window', async () => {
    const world = leadWorld({ organizations: [anOrg({ available: 0 })] });
    expect(await world.process(world.event())).toBe('insufficient_credits');
    world.put('organizations', anOrg());
    world.now = ist(TUESDAY, '23:00');
    expect(await world.retry('insufficient_credits')).toBe(1);
    expect(await world.process(world.queued[0]?.message as never)).toBe('call scheduled');
    expect(world.call('evt_1')).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
  });
});
