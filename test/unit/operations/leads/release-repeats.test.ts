import { describe, expect, it } from '@jest/globals';
import { phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { anOrg, ist, ORG, TUESDAY, WEDNESDAY } from '../../support/items.ts';
import {
  atItsOpening,
  claimsOf,
  ENTRY,
  expectBooks,
  found,
  type LeadWorld,
  OPENS,
  OTHER_PHONE,
  takenClaim,
} from '../../support/lead-world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

describe('a CRM that does not answer when the call window opens', () => {
  const down = (world: LeadWorld) => {
    world.crm = () => ({ kind: 'unavailable', reason: 'it answered 503' });
  };

  it('gets repeated requests with growing waits, and then the call is postponed to the next opening', async () => {
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
      event = sent.message;
      expect(event).toEqual({ ...message, tries: waits.length });
      world.now = new Date(Date.parse(world.now) + sent.delay * 1000).toISOString();
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900]);
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call scheduled`]);
    // The waits of the next release start from the beginning.
    expect(world.releaseMessage()).not.toHaveProperty('tries');
  });

  it('and recovers meanwhile does not prevent the call', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    await world.release(message);
    world.crm = () => found();
    expect(await world.release(world.queued[0]?.message as LeadEvent)).toBe('call queued');
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call queued`]);
  });

  it('gets one request for a message of recover-calls, which starts no waits of its own', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    world.now = ist(TUESDAY, '09:02:59');
    await world.release(message);
    expect(world.queued.splice(0)).toHaveLength(1);
    world.now = ist(TUESDAY, '09:03');
    expect(await world.release(message)).toBe('crm_unavailable_for_now');
    expect(world.queued).toEqual([]);
    // The waits of the first message continue.
    expect(await world.release({ ...message, tries: 3 })).toBe('crm_unavailable_for_now');
    expect(world.queued).toMatchObject([{ delay: 120, message: { tries: 4 } }]);
    world.crm = () => found();
    expect(await world.release(message)).toBe('call queued');
  });

  it('does not get a request at every run of recover-calls, because the call is postponed', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    let runs = 0;
    for (world.now = ist(TUESDAY, '09:05'); world.call().scheduled_for === OPENS && runs < 100; runs += 1) {
      await world.release(message);
      expect(world.queued).toEqual([]);
      world.now = new Date(Date.parse(world.now) + 5 * 60_000).toISOString();
    }
    expect(runs).toBeLessThanOrEqual(13);
    expect(world.call()).toMatchObject({ scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY });
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: call scheduled`]);
  });

  it('because it needs a new consent causes immediate postponements for a week', async () => {
    const { world, message } = await atItsOpening();
    world.crm = () => ({ kind: 'unavailable', reason: 'invalid_code', isFinal: true });
    expect(await world.release(message)).toBe('call scheduled');
    expect(world.queued).toEqual([]);
    expect(world.call().scheduled_for).toBe(ist(WEDNESDAY, '09:00'));
    for (let day = 4; day <= 9; day += 1) {
      world.now = ist(`2026-03-0${day}`, '09:00');
      expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    }
    world.now = ist('2026-03-10', '09:00');
    expect(await world.release(world.releaseMessage())).toBe('crm_unavailable');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'crm_unavailable' });
    expect(world.claims()).toEqual([]);
    expect(world.entries().at(-1)?.retryable).not.toBeNull();
  });

  it('makes the event retryable if the connection no longer has a window', async () => {
    const { world, message } = await atItsOpening();
    down(world);
    world.connectionChange({ settings: {} });
    expect(await world.release({ ...message, tries: 7 })).toBe('crm_unavailable');
    expect(world.entries()[1]).toMatchObject({
      outcome: 'crm_unavailable',
      reason: 'The lead could not be fetched from the CRM: it answered 503.',
    });
    world.crm = () => found();
    expect(await world.retry('crm_unavailable')).toBe(1);
    expect(await world.process(world.queued.at(-1)?.message as LeadEvent)).toBe('call queued');
  });
});

describe('a release that is delivered more than once', () => {
  /** Every outcome of a release, with its cause. */
  const ways: [string, (world: LeadWorld) => void, Outcome][] = [
    ['queued', () => undefined, 'call queued'],
    [
      'queued, with a new phone',
      (world) => Object.assign(world, { crm: () => found({ phones: ['98123 45678'] }) }),
      'call queued',
    ],
    ['canceled', (world) => world.connectionChange({ auto_call: false }), 'auto_call_disabled'],
    [
      'canceled for lack of credit',
      (world) => world.put('organizations', anOrg({ available: 0 })),
      'insufficient_credits',
    ],
    [
      'postponed within the day',
      (world) => world.connectionChange({ settings: { call_window_start: '11:00', call_window_end: '21:00' } }),
      'call scheduled',
    ],
    [
      'postponed to another day',
      (world) => world.connectionChange({ settings: { call_window_start: '03:00', call_window_end: '04:00' } }),
      'call scheduled',
    ],
    [
      'canceled because the lead has been called',
      (world) => {
        world.crm = () => found({ phones: ['98123 45678'] });
        world.put('claims', takenClaim(phoneClaimKey(ORG, OTHER_PHONE, TUESDAY)));
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

  it.each(ways)('has one effect and one entry, wherever its worker dies: %s', async (_way, change, outcome) => {
    let credit = 0;
    const begin = async () => {
      const { world } = await atItsOpening();
      change(world);
      credit = world.credit().available;
      return Object.assign(world, { message: world.releaseMessage() });
    };
    for await (const [world] of worldThatDies(begin, (each) => each.release(each.message), 4)) {
      await world.release(world.message);
      expectOnce(world, outcome, credit);
    }
  });

  it('is dropped after its call was postponed at the dial', async () => {
    const { world, message } = await atItsOpening();
    await world.release(message);
    world.now = ist(TUESDAY, '11:00');
    expect(await world.expire()).toBe('postponed');
    const before = world.snapshot();
    expect(await world.release(message)).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(before);
    expectBooks(world);
  });
});
