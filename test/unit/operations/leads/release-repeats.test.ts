import { phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { secondsBetween } from '../../../../shared/domain/time/instants.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { anOrg, ist, ORG, TUESDAY, WEDNESDAY } from '../../support/worlds/items.ts';
import {
  aClaim,
  atItsOpening,
  type Change,
  CRM_DELAYS,
  claimsOf,
  connectionHas,
  crmSays,
  ENTRY,
  expectBooks,
  found,
  type LeadWorld,
  OPENS,
  OTHER_PHONE,
  runUntilDecided,
  stored,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

describe('a CRM that does not answer when the call window opens', () => {
  const withoutCrm = async (more = {}) => {
    const { world, message } = await atItsOpening();
    world.crm = () => ({ ...unavailable('it answered 503'), ...more });
    return { world, message };
  };
  const postponed = { scheduled_for: ist(WEDNESDAY, '09:00'), claims_day: WEDNESDAY };
  const released = (outcome: Outcome) => ['evt_1 webhook: call scheduled', `${ENTRY} release: ${outcome}`];
  const [scheduled = '', again = ''] = released('call scheduled');
  const waited = [scheduled, `${ENTRY}.waiting release: crm_unavailable`, again];

  it('gets repeated requests until the window closes, and then the call is postponed to the next opening', async () => {
    const { world, message } = await withoutCrm();
    expect(await runUntilDecided(world, world.release, message)).toEqual({
      delays: [...CRM_DELAYS, ...Array(45).fill(900)],
      result: 'call scheduled',
    });
    expect(secondsBetween(world.now, ist(TUESDAY, '21:00'))).toBe(855);
    expect(world.call()).toMatchObject(postponed);
    expect(world.claims()).toEqual(claimsOf(WEDNESDAY));
    expect(world.outcomes()).toEqual(waited);
    // The waits of the next release start from the beginning.
    expect(world.releaseMessage()).not.toHaveProperty('tries');
  });

  it('gets requests for half an hour if the window was changed and is closed', async () => {
    const { world, message } = await withoutCrm();
    world.connectionChange({ settings: windowOf('11:00') });
    expect(await runUntilDecided(world, world.release, message)).toMatchObject({ delays: CRM_DELAYS });
    expect(world.call()).toMatchObject({ scheduled_for: ist(TUESDAY, '11:00') });
  });

  it('and recovers in time does not prevent the call', async () => {
    const { world, message } = await withoutCrm();
    await world.release(message);
    world.crm = () => found();
    expect(await world.release(world.queued[0]?.message as LeadEvent)).toBe('call queued');
    expect(world.outcomes()).toEqual(released('call queued'));
  });

  it('gets one request for a message of recover-calls, which starts no waits of its own', async () => {
    const { world, message } = await withoutCrm();
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
    const { world, message } = await withoutCrm();
    world.connectionChange({ settings: windowOf('09:00', '12:00') });
    let runs = 0;
    for (world.now = ist(TUESDAY, '09:05'); world.call().scheduled_for === OPENS && runs < 100; runs += 1) {
      await world.release(message);
      expect(world.queued).toEqual([]);
      world.pass(5 * 60);
    }
    expect(world.now).toBe(ist(TUESDAY, '12:05'));
    expect(world.call()).toMatchObject(postponed);
    expect(world.outcomes()).toEqual(waited);
  });

  it('that needs a new consent causes immediate postponements for a week', async () => {
    const { world } = await withoutCrm({ isFinal: true });
    for (let day = 3; day <= 9; day += 1) {
      world.now = ist(`2026-03-0${day}`, '09:00');
      expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    }
    expect([world.queued, world.counted]).toEqual([[], []]);
    world.now = ist('2026-03-10', '09:00');
    expect(await world.release(world.releaseMessage())).toBe('crm_unavailable');
    expect(world.counted).toEqual(['LeadGivenUp']);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'crm_unavailable' });
    expect(world.claims()).toEqual([]);
    expect(world.entries().at(-1)?.retryable).not.toBeNull();
  });

  it('makes the event retryable if the connection no longer has a window', async () => {
    const { world, message } = await withoutCrm();
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

describe('a release whose lead gets the trigger owner again', () => {
  it('does not cancel its call if another event was refused because of the call after the lead was fetched', async () => {
    const { world, message } = await atItsOpening();
    world.crm = () => found({ owner_id: 'owner-2' });
    world.hooks.before = async (operation) => {
      if (operation !== 'TransactWrite') return;
      world.hooks.before = undefined;
      world.crm = () => found();
      expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    };
    expect(await world.release(message)).toBe('not_scheduled');
    // recover-calls sends the release again.
    expect(await world.release(message)).toBe('call queued');
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
  });

  it.each<[string, Partial<Connection>]>([
    ['queues', {}],
    ['postpones', { settings: windowOf('11:00') }],
  ])('%s its call with the time of an event that confirmed the call after it was read', async (_what, change) => {
    const { world, message } = await atItsOpening();
    world.connectionChange(change);
    world.hooks.before = async (operation) => {
      if (operation !== 'TransactWrite') return;
      world.hooks.before = undefined;
      world.pass(1);
      expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    };
    expect(await world.release(message)).toBe('not_scheduled');
    const confirmedAt = world.now;
    // recover-calls sends the release again.
    expect(await world.release(message)).toMatch(/^call /);
    expect(world.call().lead?.fits_at).toBe(confirmedAt);
  });

  it('that postpones its call makes an event of the same moment confirm the call again', async () => {
    const { world, message } = await atItsOpening();
    const { confirmLead } = world.deps.calls;
    const results: boolean[] = [];
    world.deps.calls.confirmLead = async (...args) => {
      if (results.length === 0) {
        world.connectionChange({ settings: windowOf('11:00') });
        await world.release(message);
      }
      results.push(await confirmLead(...args));
      return results.at(-1) === true;
    };
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('already_called');
    expect(results).toEqual([false, true]);
    expect(world.call()).toMatchObject({ scheduled_for: ist(TUESDAY, '11:00'), lead: { entry_id: ENTRY } });
  });
});

describe('a release that is delivered more than once', () => {
  const newPhone = crmSays(found({ phones: [OTHER_PHONE] }));
  const isCalled = stored('claims', aClaim(phoneClaimKey(ORG, OTHER_PHONE, TUESDAY)));
  /** Every outcome of a release, with its causes. */
  const ways: [string, Outcome, ...Change[]][] = [
    ['queued', 'call queued'],
    ['queued, with a new phone', 'call queued', newPhone],
    ['canceled', 'auto_call_disabled', connectionHas({ auto_call: false })],
    ['canceled for lack of credit', 'insufficient_credits', stored('organizations', anOrg({ available: 0 }))],
    ['canceled because the lead has been called', 'phone_already_called', newPhone, isCalled],
    ['postponed within the day', 'call scheduled', connectionHas({ settings: windowOf('11:00') })],
    ['postponed to another day', 'call scheduled', connectionHas({ settings: windowOf('03:00', '04:00') })],
  ];
  const begin = async (changes: readonly Change[]) => {
    const { world, message } = await atItsOpening();
    for (const change of changes) change(world);
    return Object.assign(world, { message, creditBefore: world.credit().available });
  };
  const expectOnce = (world: LeadWorld & { creditBefore: number }, outcome: Outcome) => {
    expect(world.outcomes()).toEqual(['evt_1 webhook: call scheduled', `${ENTRY} release: ${outcome}`]);
    expectBooks(world, world.creditBefore);
    const isOver = world.call().status === 'canceled';
    expect(world.claims().filter((claim) => claim.endsWith('evt_1'))).toHaveLength(isOver ? 0 : 2);
  };

  it.each(ways)('at the same moment has one effect and one entry: %s', async (_way, outcome, ...changes) => {
    const world = await begin(changes);
    await Promise.all([1, 2, 3].map(() => world.release(world.message)));
    expectOnce(world, outcome);
  });

  it.each(ways)('has one effect and one entry, wherever its worker dies: %s', async (_way, outcome, ...changes) => {
    const release = (world: Awaited<ReturnType<typeof begin>>) => world.release(world.message);
    for await (const [world] of worldThatDies(() => begin(changes), release, 4)) {
      await release(world);
      expectOnce(world, outcome);
    }
  });

  it('is dropped after its call was postponed at the dial', async () => {
    const { world, message } = await atItsOpening();
    await world.release(message);
    world.now = ist(TUESDAY, '11:00');
    expect(await world.dial()).toBe('postponed');
    const before = world.snapshot();
    expect(await world.release(message)).toBe('not_scheduled');
    expect(world.snapshot()).toEqual(before);
    expectBooks(world);
  });
});
