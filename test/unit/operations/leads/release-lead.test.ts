import { describe, expect, it } from '@jest/globals';
import { claimFor } from '../../../../shared/domain/calls/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { callIdForLead } from '../../../../shared/domain/ids.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import {
  CONNECTION,
  CREDIT,
  crmBConnection,
  found,
  HOLD,
  ist,
  type LeadWorld,
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

const OPENS = ist(TUESDAY, '09:00');
const ENTRY = 'evt_1.release.202603030330';
const OTHER_PHONE = '+919812345678';

const claimsOf = (day: string, phone = PHONE, eventId = 'evt_1') => [
  `lead#${CONNECTION}#1001#${day} = ${eventId}`,
  `phone#${ORG}#${phone}#${day} = ${eventId}`,
];
const taken = (key: string) =>
  claimFor(key, { ownerId: 'evt_0', callId: callIdForLead(CONNECTION, 'evt_0'), now: new Date(OPENS) });
const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });

/** A lead of Monday night, at the moment when its window opens on Tuesday. */
async function atItsOpening(over: Record<string, object[]> = {}, more: Partial<LeadEvent> = {}) {
  const world = leadWorld(over);
  world.state.now = ist(MONDAY, '22:30');
  expect(await world.process(world.event(more))).toBe('call scheduled');
  world.state.now = OPENS;
  return { world, message: world.releaseMessage() };
}

const crmSays = (world: LeadWorld, reading: LeadReading) => {
  world.state.crm = () => reading;
};

/** The columns of the ledger sum to what the org has and to what its calls hold. */
function expectBooks(world: LeadWorld, credit = CREDIT) {
  const open = world.calls().filter(({ status }) => !['canceled', 'failed', 'completed'].includes(status));
  const { available, held } = world.credit();
  const sum = (column: 'amount' | 'held') => world.ledger().reduce((so, entry) => so + entry[column], 0);
  expect(held).toBe(open.reduce((so, call) => so + call.held, 0));
  expect(sum('held')).toBe(held);
  expect(credit + sum('amount')).toBe(available + held);
}

describe('a call whose window opens', () => {
  it('is queued: the lead is asked for anew, and the credit is held now, in one transaction with its entry', async () => {
    const { world, message } = await atItsOpening();
    world.asked.length = 0;
    world.requests.length = 0;
    world.correlated.length = 0;
    world.state.crm = () => found({ fields: { First_Name: 'Meera' } });
    expect(await world.release(message)).toBe('call queued');
    expect(world.asked).toEqual(['1001']);
    expect(world.correlated).toEqual([{ org_id: ORG, call_id: world.call().call_id }]);
    expect(world.requests.filter((request) => /Write|Put|Update/.test(request))).toEqual(['TransactWrite']);
    expect(world.call()).toMatchObject({
      status: 'queued',
      unfinished: 'waiting',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      progress_at: OPENS,
      held: HOLD,
      holds: 1,
      claims_day: TUESDAY,
      lead: { fields: { First_Name: 'Meera' }, first_scheduled_for: OPENS, event_id: 'evt_1' },
    });
    expect(world.credit()).toEqual({ available: CREDIT - HOLD, held: HOLD });
    expect(world.ledger()).toMatchObject([{ kind: 'hold', held: HOLD, entry: expect.stringMatching(/#hold#1$/) }]);
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.entries()).toMatchObject([
      { event_id: 'evt_1', outcome: 'call scheduled' },
      {
        event_id: ENTRY,
        source: 'release',
        outcome: 'call queued',
        at: OPENS,
        lead_id: '1001',
        phone_masked: '+91*******210',
        owner_id: OWNER,
        call_id: world.call().call_id,
      },
    ]);
    expect(await world.dial()).toBe('accepted');
    expect(world.rung).toMatchObject([{ phone: PHONE, at: OPENS }]);
  });

  it('goes by what org, assistant and connection are by then', async () => {
    const { world, message } = await atItsOpening();
    world.put('organizations', { ...org, rate: 2000, max_wait_minutes: 1440 });
    world.put('assistants', {
      ...world.all('assistants')[0],
      assistant_id: 'asst_2',
      name: 'B',
      max_duration_seconds: 61,
    });
    world.connectionChange({
      assistant_id: 'asst_2',
      settings: { call_window_start: '08:00', call_window_end: '20:00' },
    });
    expect(await world.release(message)).toBe('call queued');
    expect(world.call()).toMatchObject({
      rate: 2000,
      assistant_id: 'asst_2',
      assistant_name: 'B',
      max_duration_seconds: 61,
      held: 4000,
      // Never past the end of the window as it is now.
      dial_by: ist(TUESDAY, '20:00'),
      lead: { window: { start: '08:00', end: '20:00' } },
    });
    expectBooks(world);
  });

  it('is not held against its own claims, nor against what its phone or lead had the day before', async () => {
    const { world, message } = await atItsOpening();
    world.put('claims', taken(phoneClaimKey(ORG, PHONE, MONDAY)));
    world.put('claims', taken(leadClaimKey(CONNECTION, '1001', MONDAY)));
    expect(await world.release(message)).toBe('call queued');
  });

  it('has no window any more where the connection has none', async () => {
    const { world, message } = await atItsOpening();
    world.connectionChange({ settings: {} });
    expect(await world.release(message)).toBe('call queued');
    expect(world.call().lead).not.toHaveProperty('window');
    expect(world.call().dial_by).toBe(ist(TUESDAY, '11:00'));
  });

  it('of a test is released as its event was, and the CRM is not asked', async () => {
    const lead = { ...namedOnly('typed'), phones: ['98123 45678'], owner_id: OWNER, fields: { First_Name: 'T' } };
    const { world, message } = await atItsOpening({}, { lead, test: true, source: 'test', event: 'test' });
    expect(await world.release(message)).toBe('call queued');
    expect(world.asked).toEqual([]);
    expect(world.call()).toMatchObject({
      phone_number: OTHER_PHONE,
      lead: { fields: { First_Name: 'T' }, test: true },
    });
  });

  it('whose message comes too early is sent on, and nothing is asked', async () => {
    const { world, message } = await atItsOpening();
    world.asked.length = 0;
    world.state.now = ist(TUESDAY, '08:59:58.500');
    expect(await world.release(message)).toBe('too_early');
    expect(world.queued).toEqual([{ event: message, delay: 1.5 }]);
    expect(world.asked).toEqual([]);
    expect(world.call().status).toBe('scheduled');
  });

  it('whose message comes a day late takes the claims of the day on which it is called', async () => {
    const { world, message } = await atItsOpening();
    world.state.now = ist(WEDNESDAY, '10:00');
    expect(await world.release(message)).toBe('call queued');
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
    expect(world.call()).toMatchObject({ claims_day: WEDNESDAY, dial_by: ist(WEDNESDAY, '12:00') });
  });

  it('is left alone by a message for another time, another call, or of a call that is not scheduled any more', async () => {
    const { world, message } = await atItsOpening();
    const before = world.snapshot();
    expect(await world.release({ ...message, scheduled_for: ist(WEDNESDAY, '09:00') })).toBe('not_scheduled');
    expect(await world.release({ ...message, scheduled_for: undefined })).toBe('not_scheduled');
    expect(await world.release({ ...message, original_event_id: 'evt_2' })).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(before);
    expect(await world.cancel()).toBe('canceled');
    const after = world.snapshot();
    expect(await world.release(message)).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(after);
  });
});

describe('a call that may not be made any more', () => {
  const changes: [Outcome, string, (world: LeadWorld) => void][] = [
    ['auto_call_disabled', 'auto-call is off', (world) => world.connectionChange({ auto_call: false })],
    ['auto_call_disabled', 'it is disconnected', (world) => world.connectionChange({ grant: undefined })],
    ['lead_not_found', 'the lead is gone', (world) => crmSays(world, { kind: 'not_found' })],
    ['owner_mismatch', 'the lead has another owner', (world) => crmSays(world, found({ owner_id: 'x' }))],
    [
      'owner_mismatch',
      'the connection wants another',
      (world) => world.connectionChange({ trigger_owner_user_id: 'x' }),
    ],
    ['no_dialable_phone', 'the phone is gone', (world) => crmSays(world, found({ phones: [] }))],
    [
      'own_platform_number',
      "it is the org's",
      (world) => world.put('organizations', { ...org, platform_numbers: [PHONE] }),
    ],
    ['do_not_call', 'the CRM says so', (world) => crmSays(world, found({ do_not_call: true }))],
    [
      'do_not_call',
      'our list has it',
      (world) => world.put('do-not-call', { org_id: ORG, phone: PHONE, added_at: OPENS }),
    ],
    ['assistant_missing', 'there is no assistant', (world) => world.connectionChange({ assistant_id: undefined })],
    [
      'insufficient_credits',
      'a unit is missing',
      (world) => world.put('organizations', { ...org, available: HOLD - 1 }),
    ],
  ];

  it.each(changes)(
    'is canceled, its claims are free, and Activity says why: %s, because %s',
    async (outcome, _why, change) => {
      const { world, message } = await atItsOpening();
      change(world);
      const credit = world.credit();
      world.requests.length = 0;
      expect(await world.release(message)).toBe(outcome);
      expect(world.requests.filter((request) => /Write|Put|Update/.test(request))).toEqual(['TransactWrite']);
      expect(world.call()).toMatchObject({
        status: 'canceled',
        ended_reason: outcome,
        ended_at: OPENS,
        duration: 0,
        cost: 0,
        unfinished: 'ended',
      });
      expect(world.claims()).toEqual([]);
      expect(world.credit()).toEqual(credit);
      expect(world.ledger()).toEqual([]);
      const [, entry, ...others] = world.entries();
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        event_id: ENTRY,
        source: 'release',
        outcome,
        reason: expect.stringMatching(/^[A-Z].*\.$/),
        call_id: world.call().call_id,
      });
      expect(entry?.retryable !== null).toBe(outcome === 'insufficient_credits');
      // The next event may call the lead.
      const before = world.snapshot();
      expect(await world.release(message)).toBe('not_scheduled');
      expect(world.snapshot()).toEqual(before);
    },
  );

  it('for want of credit is made by `connection retry`, as a call of its own', async () => {
    const { world, message } = await atItsOpening();
    world.put('organizations', { ...org, available: 0 });
    await world.release(message);
    world.put('organizations', org);
    world.state.now = ist(TUESDAY, '12:00');
    expect(await world.retry('insufficient_credits')).toBe(1);
    const event = world.queued.splice(0)[0]?.event as LeadEvent;
    expect(event).toMatchObject({ event_id: `${ENTRY}.retry.1`, original_event_id: ENTRY, source: 'retry' });
    expect(event).not.toHaveProperty('scheduled_for');
    expect(await world.process(event)).toBe('call queued');
    expect(world.call('evt_1').status).toBe('canceled');
    expect(world.call(ENTRY)).toMatchObject({ status: 'queued', held: HOLD, lead: { lead_id: '1001' } });
    expect(world.claims()).toEqual(claimsOf(TUESDAY, PHONE, ENTRY));
    expect(await world.retry('insufficient_credits')).toBe(0);
    expectBooks(world);
  });

  it('for want of credit at night is scheduled by the retry, and released again', async () => {
    const { world, message } = await atItsOpening();
    world.put('organizations', { ...org, available: 0 });
    await world.release(message);
    world.state.now = ist(TUESDAY, '22:00');
    await world.retry('insufficient_credits');
    expect(await world.process(world.queued.splice(0)[0]?.event as LeadEvent)).toBe('call scheduled');
    world.state.now = ist(WEDNESDAY, '09:00');
    expect(await world.release(world.releaseMessage(ENTRY))).toBe('insufficient_credits');
    world.put('organizations', org);
    await world.retry('insufficient_credits');
    expect(world.queued).toHaveLength(1);
    expect(await world.process(world.queued.splice(0)[0]?.event as LeadEvent)).toBe('call queued');
    expect(world.calls().map(({ status }) => status)).toEqual(['canceled', 'canceled', 'queued']);
  });

  it('for want of credit of which the transaction learns is canceled, too', async () => {
    const { world, message } = await atItsOpening();
    let isFirst = true;
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite' && isFirst) world.put('organizations', { ...org, available: 500 });
      if (operation === 'TransactWrite') isFirst = false;
    };
    expect(await world.release(message)).toBe('insufficient_credits');
    expect(world.entries()[1]).toMatchObject({ reason: 'The call may cost 10 credits, and 0.5 are available.' });
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });

  it('leaves claims that another event has by now', async () => {
    const { world, message } = await atItsOpening();
    world.put('claims', taken(leadClaimKey(CONNECTION, '1001', TUESDAY)));
    world.connectionChange({ auto_call: false });
    expect(await world.release(message)).toBe('auto_call_disabled');
    expect(world.claims()).toContain(`lead#${CONNECTION}#1001#${TUESDAY} = evt_0`);
  });
});

describe('a lead whose phone has changed', () => {
  it('is called at the new one, and the claim moves with it', async () => {
    const { world, message } = await atItsOpening();
    world.state.crm = () => found({ phones: ['98123 45678'] });
    expect(await world.release(message)).toBe('call queued');
    expect(world.call()).toMatchObject({ phone_number: OTHER_PHONE, claims_day: TUESDAY });
    expect(world.claims()).toEqual(claimsOf(TUESDAY, OTHER_PHONE));
    expect(world.entries()[1]?.phone_masked).toBe('+91*******678');
  });

  it('is canceled where that one was called already, and what it had claimed is free', async () => {
    const { world, message } = await atItsOpening();
    world.state.crm = () => found({ phones: ['98123 45678'] });
    world.put('claims', taken(phoneClaimKey(ORG, OTHER_PHONE, TUESDAY)));
    expect(await world.release(message)).toBe('phone_already_called');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'phone_already_called' });
    expect(world.claims()).toEqual([`phone#${ORG}#${OTHER_PHONE}#${TUESDAY} = evt_0`]);
    expect(world.entries()[1]).toMatchObject({ event_id: ENTRY, outcome: 'phone_already_called', retryable: null });
    expectBooks(world);
  });
});

describe('a window that was changed meanwhile', () => {
  const later = (start: string, more: object = {}) => ({
    settings: { call_window_start: start, call_window_end: '21:00', ...more },
  });

  it('within the day is waited for with the same claims', async () => {
    const { world, message } = await atItsOpening();
    world.connectionChange(later('10:30'));
    const claims = world.all('claims');
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.all('claims')).toEqual(claims);
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: ist(TUESDAY, '10:30'),
      dial_after: ist(TUESDAY, '10:30'),
      dial_by: ist(TUESDAY, '12:30'),
      claims_day: TUESDAY,
      postponements: 1,
      held: 0,
      holds: 0,
      progress_at: OPENS,
    });
    expect(world.entries()[1]).toMatchObject({
      event_id: ENTRY,
      source: 'release',
      outcome: 'call scheduled',
      scheduled_for: ist(TUESDAY, '10:30'),
    });
    // The old message is one for another time.
    expect(await world.release(message)).toBe('not_scheduled');
    world.state.now = ist(TUESDAY, '10:30');
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(world.outcomes()).toEqual([
      'evt_1 webhook: call scheduled',
      `${ENTRY} release: call scheduled`,
      'evt_1.release.202603030500 release: call queued',
    ]);
    // What the event became is what it became first.
    expect(world.call().lead?.first_scheduled_for).toBe(OPENS);
  });

  it('to another day is waited for with claims of that day', async () => {
    const { world, message } = await atItsOpening();
    world.state.now = ist(TUESDAY, '09:30');
    world.connectionChange({ settings: { call_window_start: '08:00', call_window_end: '09:15' } });
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '08:00'), claims_day: WEDNESDAY });
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
  });

  it.each([
    ['lead', leadClaimKey(CONNECTION, '1001', WEDNESDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, PHONE, WEDNESDAY), 'phone_already_called'],
  ])('to a day on which the %s is called already cancels the call', async (_what, key, outcome) => {
    const { world, message } = await atItsOpening();
    world.state.now = ist(TUESDAY, '09:30');
    world.connectionChange({ settings: { call_window_start: '08:00', call_window_end: '09:15' } });
    world.put('claims', taken(key));
    expect(await world.release(message)).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.claims()).toEqual([`${key} = evt_0`]);
    expect(world.outcomes()[1]).toBe(`${ENTRY} release: ${outcome}`);
  });

  it('with another phone is waited for with the claim of that phone', async () => {
    const { world, message } = await atItsOpening();
    world.connectionChange(later('10:30'));
    world.state.crm = () => found({ phones: ['98123 45678'] });
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.call().phone_number).toBe(OTHER_PHONE);
    expect(world.claims()).toEqual(claimsOf(TUESDAY, OTHER_PHONE));
  });

  it('again and again is not followed for ever', async () => {
    const { world } = await atItsOpening();
    let word = 'call scheduled';
    let times = 0;
    for (let hour = 10; word === 'call scheduled'; hour += 1) {
      world.connectionChange(later(`${hour}:00`));
      word = await world.release(world.releaseMessage());
      world.state.now = ist(TUESDAY, `${hour}:00`);
      times += 1;
    }
    expect(times).toBe(8);
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });
});

describe('a CRM that does not answer when the window opens', () => {
  const down = (world: LeadWorld) => {
    world.state.crm = () => ({ kind: 'unavailable', reason: 'it answered 503' });
  };

  it('is asked again with growing waits; then the call waits for the next window', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    let event = message;
    const waits: number[] = [];
    for (;;) {
      const word = await world.release(event);
      const sent = world.queued.shift();
      if (!sent) {
        expect(word).toBe('call scheduled');
        break;
      }
      expect(word).toBe('crm_unavailable_for_now');
      expect(world.call()).toMatchObject({ status: 'scheduled', scheduled_for: OPENS });
      waits.push(sent.delay);
      event = sent.event;
      expect(event).toEqual({ ...message, tries: waits.length });
      world.state.now = new Date(Date.parse(world.state.now) + sent.delay * 1000).toISOString();
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900]);
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call scheduled`]);
    // The next release begins anew.
    expect(world.releaseMessage()).not.toHaveProperty('tries');
  });

  it('and answers meanwhile has its call', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    await world.release(message);
    world.state.crm = () => found();
    expect(await world.release(world.queued[0]?.event as LeadEvent)).toBe('call queued');
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call queued`]);
  });

  it('is asked once by what recover-calls sends besides: it comes again itself', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    world.state.now = ist(TUESDAY, '09:02:59');
    await world.release(message);
    expect(world.queued.splice(0)).toHaveLength(1);
    world.state.now = ist(TUESDAY, '09:03');
    expect(await world.release(message)).toBe('crm_unavailable_for_now');
    expect(world.queued).toEqual([]);
    // The waits that are under way go on.
    expect(await world.release({ ...message, tries: 3 })).toBe('crm_unavailable_for_now');
    expect(world.queued).toMatchObject([{ delay: 120, event: { tries: 4 } }]);
    world.state.crm = () => found();
    expect(await world.release(message)).toBe('call queued');
  });

  it('is not asked by every run of recover-calls until it is back: a call whose waits never began is put off, too', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    let runs = 0;
    for (world.state.now = ist(TUESDAY, '09:05'); world.call().scheduled_for === OPENS && runs < 100; runs += 1) {
      await world.release(message);
      expect(world.queued).toEqual([]);
      world.state.now = new Date(Date.parse(world.state.now) + 5 * 60_000).toISOString();
    }
    expect(runs).toBeLessThanOrEqual(13);
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call scheduled`]);
  });

  it('because a person has to connect it again puts the call off at once', async () => {
    const { world, message } = await atItsOpening();
    world.state.crm = () => ({ kind: 'unavailable', reason: 'invalid_code', isFinal: true });
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.queued).toEqual([]);
    expect(world.call().scheduled_for).toBe(ist(WEDNESDAY, '09:00'));
    // Until nobody does for a week.
    for (let day = 4; day <= 9; day += 1) {
      world.state.now = ist(`2026-03-0${day}`, '09:00');
      expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    }
    world.state.now = ist('2026-03-10', '09:00');
    expect(await world.release(world.releaseMessage())).toBe('crm_unavailable');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'crm_unavailable' });
    expect(world.claims()).toEqual([]);
    expect(world.entries().at(-1)?.retryable).not.toBeNull();
  });

  it('and where the window is no more, is given up so that it can be retried', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    world.connectionChange({ settings: {} });
    expect(await world.release({ ...message, tries: 7 })).toBe('crm_unavailable');
    expect(world.entries()[1]).toMatchObject({
      outcome: 'crm_unavailable',
      reason: 'The lead could not be fetched from the CRM: it answered 503.',
    });
    world.state.crm = () => found();
    expect(await world.retry('crm_unavailable')).toBe(1);
    expect(await world.process(world.queued.at(-1)?.event as LeadEvent)).toBe('call queued');
  });
});

describe('a release that is delivered more than once', () => {
  /** The ways in which a release may end, each with what makes it so. */
  const ways: [string, (world: LeadWorld) => void, Outcome][] = [
    ['queued', () => undefined, 'call queued'],
    ['queued, with another phone', (world) => crmSays(world, found({ phones: ['98123 45678'] })), 'call queued'],
    ['canceled', (world) => world.connectionChange({ auto_call: false }), 'auto_call_disabled'],
    [
      'canceled for want of credit',
      (world) => world.put('organizations', { ...org, available: 0 }),
      'insufficient_credits',
    ],
    [
      'put off within the day',
      (world) => world.connectionChange({ settings: { call_window_start: '11:00', call_window_end: '21:00' } }),
      'call scheduled',
    ],
    [
      'put off to another day',
      (world) => world.connectionChange({ settings: { call_window_start: '03:00', call_window_end: '04:00' } }),
      'call scheduled',
    ],
    [
      'canceled because the lead has been called',
      (world) => {
        world.state.crm = () => found({ phones: ['98123 45678'] });
        world.put('claims', taken(phoneClaimKey(ORG, OTHER_PHONE, TUESDAY)));
      },
      'phone_already_called',
    ],
  ];
  const expectOnce = (world: LeadWorld, outcome: Outcome, credit: number) => {
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: ${outcome}`]);
    expect(world.ledger()).toHaveLength(outcome === 'call queued' ? 1 : 0);
    expectBooks(world, credit);
    const isOver = world.call().status === 'canceled';
    expect(world.claims().filter((claim) => claim.endsWith('evt_1'))).toHaveLength(isOver ? 0 : 2);
  };

  it.each(ways)('at the same moment has one effect and one entry: %s', async (_way, change, outcome) => {
    const { world, message } = await atItsOpening();
    change(world);
    const { available } = world.credit();
    await Promise.all([message, message, message].map((one) => world.release(one)));
    expectOnce(world, outcome, available);
  });

  it.each(ways)('has one effect and one entry whenever its worker dies: %s', async (_way, change, outcome) => {
    for (const when of ['before', 'after'] as const)
      for (let deadly = 1; ; deadly += 1) {
        const { world, message } = await atItsOpening();
        change(world);
        const { available } = world.credit();
        let requests = 0;
        world.hooks[when] = () => {
          requests += 1;
          if (requests === deadly) throw timeOut();
        };
        const hasDied = await world.release(message).then(
          () => false,
          () => true,
        );
        world.hooks.before = undefined;
        world.hooks.after = undefined;
        await world.release(message);
        expectOnce(world, outcome, available);
        if (!hasDied) {
          expect(deadly).toBeGreaterThan(4);
          break;
        }
      }
  });

  it('after a call is dialed, put off at its dial and scheduled again is dropped', async () => {
    const { world, message } = await atItsOpening();
    await world.release(message);
    world.state.now = ist(TUESDAY, '11:00');
    expect(await world.expire()).toBe('postponed');
    const before = world.snapshot();
    expect(await world.release(message)).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(before);
    expectBooks(world);
  });
});

describe('a connection without a window', () => {
  const always: Connection = { ...crmBConnection, settings: {} };
  it('schedules nothing', async () => {
    const world = leadWorld({ connections: [always] });
    world.state.now = ist(MONDAY, '03:00');
    expect(await world.process(world.event())).toBe('call queued');
  });
});
