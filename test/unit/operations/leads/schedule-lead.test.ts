import { CANCELED_SINCE } from '../../../../shared/domain/calls/dialing/cancel-claim.ts';
import { phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { anOrg, ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  aClaim,
  CONNECTION,
  CRM_DELAYS,
  claimsOf,
  found,
  type LeadWorld,
  leadWorld,
  NIGHT,
  NOON,
  namedOnly,
  OPENS,
  OTHER_PHONE,
  OWNER,
  PHONE,
  runUntilDecided,
  timeOut,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const atNight = (over: Parameters<typeof leadWorld>[0] = {}) => {
  const world = leadWorld(over);
  world.now = NIGHT;
  return world;
};
const TEST_EVENT = {
  test: true,
  source: 'test',
  event: 'test',
  lead: { ...namedOnly('typed-in'), phones: [OTHER_PHONE], owner_id: OWNER, fields: { First_Name: 'T' } },
} satisfies Partial<LeadEvent>;

describe('a lead of CRM-B whose call a person has canceled', () => {
  const CANCELED_AT = secondsAfter(NOON, 60);
  const before = secondsAfter(NOON, 58);
  const after = secondsAfter(NOON, 61);
  /** CRM-B sends its notification some seconds after the change. */
  const sent = { event_id: 'evt_2', at: secondsAfter(NOON, 66), changed_at: secondsAfter(NOON, 65) };
  const retried = { ...sent, source: 'retry', original_event_id: 'evt_0', original_at: NOON } as const;
  const swept = { ...sent, source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true } as const;

  it.each<[outcome: string, what: string, changedAt: string, event: Partial<LeadEvent>]>([
    ['already_called', 'changed before the cancelation', before, sent],
    ['already_called', 'changed before the cancelation and followed another call', before, retried],
    ['call queued', 'changed after the cancelation', after, sent],
    ['call queued', 'is retried by a person', before, { ...retried, asked_by: 'ops' }],
    ['call queued', 'is swept on a Sunday', before, swept],
  ])('is %s if it %s', async (outcome, _what, changedAt, event) => {
    const world = leadWorld();
    await world.process(world.event());
    world.now = CANCELED_AT;
    expect(await world.cancel()).toBe('canceled');
    world.now = secondsAfter(NOON, 70);
    world.crm = () => ({ ...found(), changedAt });
    expect(await world.process(world.event(event))).toBe(outcome);
  });

  it('is not called for an event that is being decided at that moment', async () => {
    const world = atNight();
    await world.process(world.event());
    world.connectionChange({ settings: windowOf('00:00', '23:59') });
    world.pass(60);
    world.beforeNextWrite(() => world.cancel());
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    expect(world.calls()).toMatchObject([{ status: 'canceled', ended_reason: 'canceled_by_operator' }]);
    expect(world.entries()).toMatchObject([
      {},
      { event_id: 'evt_2', outcome: 'already_called', reason: CANCELED_SINCE },
    ]);
  });

  it('is called for an event of a later change that is decided while its claims are erased', async () => {
    const world = leadWorld();
    await world.process(world.event());
    await world.cancel();
    world.pass(3_600);
    world.beforeNextWrite(() => {
      const [claim] = world.all('claims').filter(({ claim }) => String(claim).startsWith('canceled#'));
      world.remove('claims', { claim: String(claim?.claim) });
    });
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('call queued');
  });
});

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
      held: 0,
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

  it.each<[string, string, Partial<Connection>, Partial<LeadEvent>]>([
    ['auto-call is off', 'auto_call_disabled', { auto_call: false }, {}],
    ['its connection is disconnected', 'auto_call_disabled', { grant: undefined }, {}],
    ['it has no id', 'no_lead_id_in_payload', {}, { lead: { ...namedOnly(), lead_id: undefined } }],
    ['its message is ignored', 'ignored', {}, { ignored: 'The message is about contacts.' }],
  ])('is not read if it would not be called: %s', async (_why, outcome, change, more) => {
    const world = leadWorld({ connections: [aCallingConnection(change)] });
    const event = world.event(more);
    expect(await world.process(event)).toBe(outcome);
    expect(world.fetched).toEqual([]);
    expect(world.entries()).toMatchObject([{ outcome, reason: event.ignored ?? expect.any(String) }]);
    expect(world.entries()[0]?.lead_id).toBe(event.lead.lead_id);
  });

  it('of a test event is marked as such, and neither read from the CRM nor written back', async () => {
    const world = leadWorld();
    expect(await world.process(world.event(TEST_EVENT))).toBe('call queued');
    expect(world.fetched).toEqual([]);
    const marks = { test: true, event: 'test' };
    const lead = { ...marks, fields: TEST_EVENT.lead.fields };
    expect(world.call()).toMatchObject({ phone_number: OTHER_PHONE, lead });
    expect(world.entries()).toMatchObject([{ ...marks, source: 'test' }]);
    expect(world.call()).not.toHaveProperty('crm_b_sync');
  });
});

describe('a CRM that does not answer', () => {
  const withoutCrm = (more = {}) => {
    const world = leadWorld();
    world.crm = () => ({ ...unavailable('it answered 429'), ...more });
    return world;
  };

  it('gets repeated requests with growing waits, until the event is given up and can be retried', async () => {
    const world = withoutCrm();
    const first = world.event();
    expect(await runUntilDecided(world, world.process, first)).toEqual({
      delays: CRM_DELAYS,
      result: 'crm_unavailable',
    });
    expect(world.fetched).toHaveLength(8);
    const message = 'the lead could not be fetched';
    const facts = { connection_id: 'conn_1', event_id: 'evt_1', reason: 'it answered 429' };
    expect(world.logged).toEqual(Array(8).fill({ message, ...facts }));
    const reason = expect.stringMatching(
      /from the CRM: it answered 429\. It is fetched again if the CRM answers within two days/,
    );
    expect(world.entries()).toMatchObject([{ event_id: 'evt_1', outcome: 'crm_unavailable', reason }]);

    // When the CRM is back, an operator retries the event, and its waits start from the beginning.
    expect(await world.retry('crm_unavailable')).toBe(1);
    const retry = world.queued[0]?.message as LeadEvent;
    const [asked_by, asked_at] = ['test', world.now];
    const original = { original_event_id: 'evt_1', original_at: first.at, asked_by, asked_at };
    expect(retry).toEqual({ ...first, event_id: 'evt_1.retry.1', ...original, source: 'retry', at: world.now });
    world.crm = () => found();
    expect(await world.process(retry)).toBe('call queued');
    expect(world.call('evt_1').status).toBe('queued');
  });

  it('and recovers in time causes one entry in Activity for the event', async () => {
    const world = withoutCrm();
    expect(await world.process(world.event())).toBe('crm_unavailable_for_now');
    world.crm = () => found();
    expect(await world.process(world.queued[0]?.message as LeadEvent)).toBe('call queued');
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued']);
  });

  it('that needs a new consent ends the event at once', async () => {
    const world = withoutCrm({ isFinal: true });
    expect(await world.process(world.event())).toBe('crm_unavailable');
    expect(world.queued).toEqual([]);
    expect(world.entries()).toMatchObject([{ outcome: 'crm_unavailable', retryable: expect.any(String) }]);
  });

  it.each<[string, (world: LeadWorld) => unknown, string]>([
    ['a defect', (world) => Object.assign(world, { crm: () => Promise.reject(new Error('a defect')) }), 'a defect'],
    ['a queue that also refuses', (world) => Object.assign(world.leadQueue, { refusal: timeOut() }), 'timed out'],
  ])('is distinguished from %s, which is thrown so that the event is delivered again', async (_what, fail, error) => {
    const world = withoutCrm();
    fail(world);
    await expect(world.process(world.event())).rejects.toThrow(error);
    expect(world.entries()).toEqual([]);
  });
});

describe('a lead outside its window', () => {
  it.each([
    ['before 09:00', ist(MONDAY, '08:59:59.999'), windowOf('09:00'), ist(MONDAY, '09:00')],
    ['at 09:00', ist(MONDAY, '09:00'), windowOf('09:00'), undefined],
    ['before 21:00', ist(MONDAY, '20:59:59.999'), windowOf('09:00'), undefined],
    ['at 21:00', ist(MONDAY, '21:00'), windowOf('09:00'), OPENS],
    ['on Saturday night', ist('2026-03-07', '22:00'), windowOf('09:00', '21:00', true), ist('2026-03-09', '09:00')],
    ['without a window', ist(MONDAY, '03:00'), {}, undefined],
  ])('waits for the next opening that is not an excluded Sunday: %s', async (_when, now, settings, opens) => {
    const world = leadWorld({ connections: [aCallingConnection({ settings })] });
    world.now = now;
    expect(await world.process(world.event())).toBe(opens ? 'call scheduled' : 'call queued');
    expect(world.call().scheduled_for).toBe(opens);
    expect(world.call().claims_day).toBe(istDay(new Date(opens ?? now)));
  });

  it("waits for its window without a check of credit, with claims of the opening's day", async () => {
    const world = atNight({ organizations: [anOrg({ available: 0 })] });
    expect(await world.process(world.event())).toBe('call scheduled');
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      held: 0,
      holds: 0,
      claims_day: TUESDAY,
      lead: { first_scheduled_for: OPENS },
    });
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.credit()).toEqual({ available: 0, held: 0 });
    expect(world.ledger()).toEqual([]);
    const { call_id } = world.call();
    expect(world.entries()).toMatchObject([{ outcome: 'call scheduled', scheduled_for: OPENS, call_id }]);
  });

  it('of a test event also waits, because a real phone rings', async () => {
    const world = atNight();
    expect(await world.process(world.event(TEST_EVENT))).toBe('call scheduled');
  });

  const AFTER_MIDNIGHT = ist(TUESDAY, '00:00');
  it.each([
    ['counts as called if it was scheduled that night', NIGHT, AFTER_MIDNIGHT, AFTER_MIDNIGHT, 'already_called'],
    ['counts as called if it was scheduled, and its edit waited', NIGHT, AFTER_MIDNIGHT, NIGHT, 'already_called'],
    ['counts as called if it was called that day', NOON, NIGHT, NIGHT, 'already_called'],
    ['is scheduled if it was called the day before', NOON, AFTER_MIDNIGHT, AFTER_MIDNIGHT, 'call scheduled'],
  ])('that is edited again %s', async (_what, first, now, editedAt, outcome) => {
    const world = leadWorld();
    world.now = first;
    await world.process(world.event());
    world.now = now;
    expect(await world.process(world.event({ event_id: 'evt_2', at: editedAt }))).toBe(outcome);
  });

  it.each([
    [MONDAY, 'the event', 'call scheduled'],
    [TUESDAY, 'the call', 'phone_already_called'],
  ])('whose phone is claimed for %s, the day of %s: %s', async (day, _whose, outcome) => {
    const world = atNight({ claims: [aClaim(phoneClaimKey(ORG, PHONE, day))] });
    expect(await world.process(world.event())).toBe(outcome);
  });
});

describe('an event that is delivered again', () => {
  const changes: [string, (world: LeadWorld) => Promise<unknown>][] = [
    ['the call waits', async () => undefined],
    ['the call was released', async (world) => expect(await world.release(world.releaseMessage())).toBe('call queued')],
    ['the call was canceled', (world) => world.cancel()],
  ];

  it.each(changes)('is recorded as scheduled with one call, wherever its worker dies: %s', async (_what, change) => {
    for await (const [world, cut] of worldThatDies(atNight, (each) => each.process(each.event()), 7)) {
      const event = world.event();
      if (world.calls().length === 1) {
        world.now = OPENS;
        await change(world);
      }
      await world.process(event);
      const entries = world.entries().filter(({ event_id }) => event_id === 'evt_1');
      const { call_id } = world.call();
      expect([cut, ...entries]).toMatchObject([cut, { outcome: 'call scheduled', scheduled_for: OPENS, call_id }]);
      expect(world.calls()).toHaveLength(1);
      if (world.call().status === 'scheduled') expect(world.claims()).toEqual(claimsOf(TUESDAY));
    }
  });

  it.each([
    [NOON, 'call queued'],
    [NIGHT, 'call scheduled'],
  ])(
    'three times at once results in one call and one entry, with the same outcome each time: %s',
    async (at, outcome) => {
      const world = leadWorld();
      world.now = at;
      const event = world.event();
      const outcomes = await Promise.all([event, event, event].map((one) => world.process(one)));
      expect(outcomes).toEqual([outcome, outcome, outcome]);
      expect(world.requests.filter((request) => request === 'TransactWrite')).toHaveLength(3);
      expect(world.outcomes()).toEqual([`evt_1 webhook: ${outcome}`]);
      expect(world.calls()).toHaveLength(1);
    },
  );
});
