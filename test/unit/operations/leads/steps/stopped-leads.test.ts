import type { Lead } from '../../../../../shared/domain/leads/lead.ts';
import { giveBackDialClaim } from '../../../../../shared/operations/calls/dialing/give-back-dial-claim.ts';
import { aCrmAEvent, crmALeads } from '../../../support/crm-a-leads.ts';
import { anOrg, CREDIT, ORG } from '../../../support/worlds/items.ts';
import {
  aQueuedLead,
  CONNECTION,
  crmSays,
  found,
  namedOnly,
  OTHER_PHONE,
  OWNER,
  unavailable,
} from '../../../support/worlds/lead-world.ts';

/** The event of the same lead that the CRM sends a minute later. */
const aNewerEvent = (lead: Parameters<typeof aCrmAEvent>[1], event_id = 'evt_2') =>
  aCrmAEvent({ event_id, at: '2026-03-02T06:01:00.000Z' }, lead);

const stops: [outcome: string, lead: Partial<Lead>][] = [
  ['do_not_call', { do_not_call: true }],
  ['no_dialable_phone', { do_not_call: true, phones: [] }],
  ['owner_mismatch', { owner_id: 'owner-2' }],
  ['owner_mismatch', { owner_id: undefined } as object],
];

describe('a lead of CRM-A, after a newer event has said that it must not be called', () => {
  it.each(stops)('is not called for an older event that is delivered late: %s %j', async (outcome, lead) => {
    const world = crmALeads();
    expect(await world.process(aNewerEvent(lead))).toBe(outcome);
    expect(await world.process()).toMatch(/do_not_call|owner_mismatch/);
    expect([world.calls(), world.claims()]).toEqual([[], []]);
  });

  it.each(stops)('is not called when an older event is retried: %s %j', async (outcome, lead) => {
    const world = crmALeads({ organizations: [anOrg({ available: 0 })] });
    expect(await world.process()).toBe('insufficient_credits');
    world.pass(60);
    expect(await world.process(aNewerEvent(lead))).toBe(outcome);
    world.put('organizations', anOrg({ available: CREDIT }));
    world.pass(3600);
    await world.retry('insufficient_credits');
    const [retry] = world.queued;
    if (!retry) throw new Error('nothing is retried');
    expect(await world.process(retry.message)).toMatch(/do_not_call|owner_mismatch/);
    expect(world.calls()).toEqual([]);
  });

  it('is not called when the end of its call is retried', async () => {
    const world = crmALeads();
    await world.process();
    world.pass(86_400);
    expect(await world.dial()).toBe('expired');
    world.pass(60);
    await world.process(aCrmAEvent({ event_id: 'evt_2', at: world.now }, { do_not_call: true }));
    world.pass(60);
    await world.retry('expired');
    const [retry] = world.queued;
    if (!retry) throw new Error('nothing is retried');
    expect(await world.process(retry.message)).toBe('do_not_call');
  });

  it('is not called by a call that an older event places at the same moment', async () => {
    const world = crmALeads();
    // The newer event is decided between the decision of the older one and its transaction.
    world.beforeNextWrite(() => world.process(aNewerEvent({ do_not_call: true })));
    expect(await world.process()).toBe('call queued');
    expect(await world.dial()).toBe('do_not_call');
    expect([world.rung, world.claims()]).toEqual([[], []]);
    expect(world.entries().at(-1)).toMatchObject({ source: 'dial', outcome: 'do_not_call' });
  });

  it('is called for a still newer event that says nothing against it', async () => {
    const world = crmALeads();
    await world.process(aNewerEvent({ do_not_call: true }));
    world.pass(120);
    expect(await world.process(aCrmAEvent({ event_id: 'evt_3', at: world.now }))).toBe('call queued');
    expect(await world.dial('evt_3')).toBe('accepted');
  });

  it('keeps the call of a newer event if the stop is delivered late', async () => {
    const world = crmALeads();
    world.pass(120);
    expect(await world.process(aCrmAEvent({ event_id: 'evt_3', at: world.now }))).toBe('call queued');
    await world.process(aNewerEvent({ do_not_call: true }));
    expect(await world.dial('evt_3')).toBe('accepted');
  });

  it('is decided by the newest of its stops if these are delivered in another order', async () => {
    const world = crmALeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    await world.process(aCrmAEvent({ event_id: 'evt_0', at: '2026-03-02T05:59:00.000Z' }, { do_not_call: true }));
    expect(await world.process()).toBe('owner_mismatch');
  });

  it('is stopped neither by a test event nor by an event of another lead', async () => {
    const world = crmALeads();
    await world.process({ ...aNewerEvent({ do_not_call: true }), test: true });
    await world.process(aNewerEvent({ lead_id: 'lead-2', do_not_call: true }, 'evt_3'));
    expect(await world.process()).toBe('call queued');
    await world.process({ ...aNewerEvent({ do_not_call: true }, 'evt_4'), test: true });
    expect(await world.dial()).toBe('accepted');
  });

  it('is not called if the newer event arrived while auto-call was off', async () => {
    const world = crmALeads();
    world.connectionChange({ auto_call: false });
    expect(await world.process(aNewerEvent({ owner_id: 'owner-2' }))).toBe('auto_call_disabled');
    world.connectionChange({ auto_call: true });
    expect(await world.process()).toBe('owner_mismatch');
  });

  it('is called if its connection has the new trigger owner by now', async () => {
    const world = crmALeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    world.connectionChange({ trigger_owner_user_id: 'owner-2' });
    expect(await world.process()).toBe('call queued');
  });

  it.each([
    ['first', ['evt_2', 'evt_1']],
    ['last', ['evt_1', 'evt_2']],
  ])('is not called if both events have the same time, and the stop is decided %s', async (_order, ids) => {
    const world = crmALeads();
    for (const event_id of ids) await world.process(aCrmAEvent({ event_id }, { do_not_call: event_id === 'evt_2' }));
    expect(await world.dial().catch(() => 'no call')).not.toBe('accepted');
    expect([world.rung, world.claims()]).toEqual([[], []]);
  });
});

const giveBack = (world: ReturnType<typeof crmALeads>) => {
  const { dial_claimed_at = '', ...call } = world.call();
  return giveBackDialClaim(world.deps, { ...call, dial_claimed_at }, { absent: true });
};

describe('the call of a lead of CRM-A that a newer event fits, too', () => {
  const fits = (world: ReturnType<typeof crmALeads>) =>
    world.process(aCrmAEvent({ event_id: 'evt_3', at: '2026-03-02T06:02:00.000Z' }));

  it('is not canceled by a stop that lies between the events and is delivered after them', async () => {
    const world = crmALeads();
    await world.process();
    expect(await fits(world)).toBe('already_called');
    expect(await world.process(aNewerEvent({ do_not_call: true }))).toBe('do_not_call');
    expect(await world.dial()).toBe('accepted');
  });

  it('is not canceled by a stop that was decided while the call was placed', async () => {
    const world = crmALeads();
    world.beforeNextWrite(() => world.process(aNewerEvent({ owner_id: 'owner-2' })));
    await world.process();
    expect(await fits(world)).toBe('already_called');
    expect(await world.dial()).toBe('accepted');
  });

  it('gives back its slots if the newer event confirms it while a stop cancels it at its dial', async () => {
    const world = crmALeads();
    world.beforeNextWrite(() => world.process(aNewerEvent({ do_not_call: true })));
    await world.process();
    world.pass(120);
    // The dial takes a pass, then cancels the call.
    const { transact } = world.deps;
    world.deps.transact = async (writes, options) => {
      if ('activity' in writes && world.all('activity').length === 2) await fits(world);
      return transact(writes, options);
    };
    expect(await world.dial()).toBe('not_waiting');
    expect(world.call()).not.toHaveProperty('slots');
    expect(await world.dial()).toBe('accepted');
  });

  it('is not canceled by a stop that arrived during a dial that was given back later', async () => {
    const world = crmALeads();
    await world.process();
    world.dialing = { kind: 'unknown', reason: 'ABORT_ERR' };
    await world.dial();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    expect(await fits(world)).toBe('already_called');
    await giveBack(world);
    world.pass(120);
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await world.dial()).toBe('accepted');
  });

  it('is not canceled by a stop between the events if both were decided at the same moment', async () => {
    const world = crmALeads();
    world.beforeNextWrite(() => world.process());
    expect(await fits(world)).toBe('already_called_race');
    await world.process(aNewerEvent({ do_not_call: true }));
    expect(await world.dial()).toBe('accepted');
  });

  it.each<[string, (world: ReturnType<typeof crmALeads>) => unknown]>([
    ['a stop cancels it', (world) => world.process(aNewerEvent({ do_not_call: true }))],
    ['it expires', (world) => world.dial()],
  ])('is replaced by a call of that event if, at the same moment, %s', async (_what, end) => {
    const world = crmALeads();
    await world.process();
    world.pass(2 * 3_600);
    // Between the decision and the confirmation.
    world.beforeNextWrite(() => end(world));
    expect(await fits(world)).toBe('call queued');
    expect(await world.dial('evt_3')).toBe('accepted');
  });

  it('is replaced by a call of that event if it was placed and canceled since the event was decided', async () => {
    const world = crmALeads();
    world.beforeNextWrite(async () => {
      await world.process();
      // The call refuses the transaction of the newer event, which confirms the call in its next write.
      world.beforeNextWrite(() => world.process(aNewerEvent({ do_not_call: true })));
    });
    expect(await fits(world)).toBe('call queued');
    expect(await world.dial('evt_3')).toBe('accepted');
  });

  it('is replaced by a call of that event if it is canceled before the event finds its claims', async () => {
    const world = crmALeads();
    world.beforeNextWrite(async () => {
      await world.process();
      world.hooks.before = (operation) => {
        if (operation !== 'BatchGet') return undefined;
        delete world.hooks.before;
        return world.process(aNewerEvent({ do_not_call: true }));
      };
    });
    expect(await fits(world)).toBe('call queued');
    expect(await world.dial('evt_3')).toBe('accepted');
  });

  it('prevents the event for good if its claims outlive it, such as after a repair of the table', async () => {
    const world = crmALeads();
    await world.process();
    const claims = world.all('claims');
    await world.process(aNewerEvent({ do_not_call: true }));
    for (const claim of claims) world.put('claims', claim);
    expect(await fits(world)).toBe('already_called');
  });

  it('is not canceled by a stop that read it before that event confirmed it', async () => {
    const world = crmALeads();
    await world.process();
    const stop = aNewerEvent({ do_not_call: true });
    // Its first write stores the stop, the second cancels the call as it was read.
    world.beforeNextWrite(() => world.beforeNextWrite(() => fits(world)));
    expect(await world.process(stop)).toBe('do_not_call');
    expect(await world.dial()).toBe('accepted');
  });
});

describe('a lead of CRM-B', () => {
  const OTHER = namedOnly('1002');

  it('is not called if an event reads its flag while the call of an event that read it before is placed', async () => {
    const world = await aQueuedLead();
    world.beforeNextWrite(async () => {
      crmSays(found({ do_not_call: true }))(world);
      world.pass(1);
      await world.process(world.event({ event_id: 'evt_3', lead: OTHER }));
    });
    crmSays(found({ phones: ['98123 45678'] }))(world);
    expect(await world.process(world.event({ event_id: 'evt_2', lead: OTHER }))).toBe('call queued');
    expect(await world.dial('evt_2')).toBe('do_not_call');
  });

  it('is read again before its dial if another event has stopped it since, and called if nothing forbids it', async () => {
    const world = await aQueuedLead();
    world.pass(60);
    await world.deps.stoppedLeads.note(
      { org_id: ORG, connection_id: CONNECTION, lead_id: '1001' },
      { lead: { do_not_call: true }, read_at: world.now },
    );
    world.pass(60);
    expect(await world.dial()).toBe('accepted');
    expect(world.fetched).toHaveLength(2);
  });

  it('is not called if another event has stopped it since, and CRM-B does not answer', async () => {
    const world = await aQueuedLead();
    world.pass(60);
    const stop = { lead: { owner_id: OWNER, do_not_call: true }, read_at: world.now };
    await world.deps.stoppedLeads.note({ org_id: ORG, connection_id: CONNECTION, lead_id: '1001' }, stop);
    crmSays(unavailable('down'))(world);
    expect(await world.dial()).toBe('do_not_call');
  });

  it('is called after a stop during its dial if it may be called again when the dial is given back', async () => {
    const world = await aQueuedLead();
    world.dialing = { kind: 'unknown', reason: 'ABORT_ERR' };
    await world.dial();
    crmSays(found({ owner_id: 'owner-2' }))(world);
    world.pass(10);
    await world.process(world.event({ event_id: 'evt_2' }));
    expect(world.call().lead_stop).toMatchObject({ outcome: 'owner_mismatch' });
    crmSays(found())(world);
    const { dial_claimed_at = '', ...call } = world.call();
    await giveBackDialClaim(world.deps, { ...call, dial_claimed_at }, { absent: true });
    world.pass(120);
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await world.dial()).toBe('accepted');
    expect(world.call()).not.toHaveProperty('lead_stop');
  });

  it('is not called if its flag is set while the answer with another phone is under way', async () => {
    const world = await aQueuedLead();
    world.pass(11 * 60);
    const { fetchLead } = world.deps;
    world.deps.fetchLead = async () => {
      world.deps.fetchLead = fetchLead;
      crmSays(found({ phones: [OTHER_PHONE], do_not_call: true }))(world);
      world.pass(1);
      await world.deps.stoppedLeads.note(
        { org_id: ORG, connection_id: CONNECTION, lead_id: '1001' },
        { lead: { owner_id: OWNER, do_not_call: true }, read_at: world.now },
      );
      world.pass(1);
      return found({ phones: [OTHER_PHONE] });
    };
    expect(await world.dial()).toBe('phone_changed');
    expect(await world.dial()).toBe('do_not_call');
    expect(world.rung).toEqual([]);
  });
});
