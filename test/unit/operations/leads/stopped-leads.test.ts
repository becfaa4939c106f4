import type { Lead } from '../../../../shared/domain/leads/lead.ts';
import { aCrmAEvent, crmALeads } from '../../support/crm-a-leads.ts';
import { anOrg, CREDIT } from '../../support/worlds/items.ts';
import { aQueuedLead, crmSays, found, OWNER } from '../../support/worlds/lead-world.ts';

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

  it('is not called by the call that an older event places at the same moment', async () => {
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

  it('keeps what the newest event said if stops are delivered in another order', async () => {
    const world = crmALeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    await world.process(aCrmAEvent({ event_id: 'evt_0', at: '2026-03-02T05:59:00.000Z' }, { do_not_call: true }));
    expect(await world.process()).toBe('owner_mismatch');
  });

  it('is stopped neither by a test event nor by an event of another lead or connection', async () => {
    const world = crmALeads();
    await world.process({ ...aNewerEvent({ do_not_call: true }), test: true });
    await world.process(aNewerEvent({ lead_id: 'lead-2', do_not_call: true }, 'evt_3'));
    expect(await world.process()).toBe('call queued');
    expect(await world.dial()).toBe('accepted');
  });
});

describe('a lead of CRM-B', () => {
  it('is not called if another event reads its flag while an event that read it before is placed', async () => {
    const world = await aQueuedLead();
    const read = world.crm;
    world.beforeNextWrite(async () => {
      crmSays(found({ do_not_call: true }))(world);
      world.pass(1);
      await world.process(world.event({ event_id: 'evt_3', lead: { ...world.event().lead, lead_id: '1002' } }));
    });
    Object.assign(world, { crm: read });
    const second = world.event({ event_id: 'evt_2', lead: { ...world.event().lead, lead_id: '1002' } });
    crmSays(found({ lead_id: '1002', phones: ['98123 45678'], owner_id: OWNER }))(world);
    expect(await world.process(second)).toBe('call queued');
    expect(await world.dial('evt_2')).toBe('do_not_call');
  });

  it('is called if its flag is no longer set when it is read again before its dial', async () => {
    const world = await aQueuedLead();
    const { deps } = world;
    // A stop that was recorded after the call's lead was read.
    await deps.stoppedLeads.note(
      { org_id: 'org_1', connection_id: 'conn_1', lead_id: '1001' },
      { lead: { do_not_call: true }, read_at: '2026-03-02T23:00:00.000Z' },
    );
    expect(await world.dial()).toBe('accepted');
  });
});
