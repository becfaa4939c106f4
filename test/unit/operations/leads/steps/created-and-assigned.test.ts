import type { Lead } from '../../../../../shared/domain/leads/lead.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { giveBackDialClaim } from '../../../../../shared/operations/calls/dialing/give-back-dial-claim.ts';
import { aCrmAEvent, crmALeads } from '../../../support/crm-a-leads.ts';
import { START } from '../../../support/worlds/world.ts';

describe('a lead of CRM-A that is created and assigned at once', () => {
  const CREATED = '2026-03-02T06:00:00.050Z';
  const creation = (lead: Partial<Lead>) => aCrmAEvent({ event_id: 'evt_2', event: 'new_lead', at: CREATED }, lead);

  it.each([['first'], ['last']])('is called although its creation is received later, and decided %s', async (order) => {
    const world = crmALeads();
    const created = creation({ owner_id: 'owner-2' });
    if (order === 'first') await world.process(created);
    expect(await world.process()).toBe('call queued');
    if (order === 'last') expect(await world.process(created)).toBe('owner_mismatch');
    expect(await world.dial()).toBe('accepted');
  });

  it('is not called if it was assigned to another owner, although its creation is received later', async () => {
    const world = crmALeads();
    await world.process(creation({}));
    expect(await world.process(aCrmAEvent({}, { owner_id: 'owner-2' }))).toBe('owner_mismatch');
    expect(world.call('evt_2')).toMatchObject({ status: 'canceled', ended_reason: 'owner_mismatch' });
  });

  it('is not called if a body without `After` sets its do-not-call flag seconds later', async () => {
    const world = crmALeads();
    await world.process();
    expect(await world.process(creation({ do_not_call: true }))).toBe('do_not_call');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'do_not_call' });
  });

  it.each([
    [59, 'do_not_call'],
    [60, 'call queued'],
  ])(
    'is decided for a body without `After` that removes the flag of another one %i s later: %s',
    async (s, outcome) => {
      const world = crmALeads();
      await world.process(aCrmAEvent({ event: 'new_lead' }, { do_not_call: true }));
      expect(await world.process({ ...creation({}), at: secondsAfter(CREATED, s) })).toBe(outcome);
    },
  );

  it.each([['first'], ['last']])(
    'is not called if a change names another owner, and its creation is decided %s',
    async (order) => {
      const world = crmALeads();
      const change = aCrmAEvent({ event_id: 'evt_3' }, { owner_id: 'owner-3' });
      const created = creation({ owner_id: 'owner-2' });
      for (const event of order === 'first' ? [created, change] : [change, created])
        expect(await world.process(event)).toBe('owner_mismatch');
      // Newer than the creation counts, and older than the change.
      const earlier = aCrmAEvent({ event_id: 'evt_0', at: secondsAfter(CREATED, -30) });
      expect(await world.process(earlier)).toBe('owner_mismatch');
    },
  );

  it('is called if its change fits, although its creation stopped a call whose dial was then given back', async () => {
    const world = crmALeads();
    await world.process();
    world.dialing = { kind: 'unknown', reason: 'ABORT_ERR' };
    await world.dial();
    world.pass(120);
    await world.process({ ...creation({ owner_id: 'owner-2' }), at: secondsAfter(CREATED, 120) });
    expect(world.call().lead_stop).toMatchObject({ outcome: 'owner_mismatch' });
    await world.process(aCrmAEvent({ event_id: 'evt_3', at: secondsAfter(START, 120) }));
    const { dial_claimed_at = '', ...call } = world.call();
    await giveBackDialClaim(world.deps, { ...call, dial_claimed_at }, { absent: true });
    world.pass(120);
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await world.dial()).toBe('accepted');
  });

  it('is as old as the change that confirmed its call if the end of that call is retried', async () => {
    const world = crmALeads();
    await world.process(aCrmAEvent({ event: 'new_lead' }));
    await world.process(aCrmAEvent({ event_id: 'evt_3', at: secondsAfter(START, 10) }));
    world.pass(86_400);
    expect(await world.dial()).toBe('expired');
    world.pass(60);
    await world.retry('expired');
    const [retry] = world.queued;
    if (!retry) throw new Error('nothing is retried');
    expect(retry.message.read_at).toBe(secondsAfter(START, 10));
    expect(await world.process({ ...creation({ owner_id: 'owner-2' }), at: secondsAfter(START, 65) })).toBe(
      'owner_mismatch',
    );
    expect(await world.process(retry.message)).toBe('call queued');
  });
});
