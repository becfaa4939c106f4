import type { LeadEvent } from '../../../../../shared/messages/lead-event.ts';
import { aCrmAEvent, crmALeads } from '../../../support/crm-a-leads.ts';
import { found, leadWorld, OTHER_PHONE, unavailable } from '../../../support/worlds/lead-world.ts';
import { deliver, theOther } from '../../../support/worlds/two-leads.ts';

const MINUTE = 60;

/** A lead of CRM-B that CRM-B did not return, whose call for a later event a person has canceled since. */
async function aCanceledLead() {
  const world = leadWorld();
  const [changed, down] = [world.now, unavailable('status 500')];
  const isDown = (event: LeadEvent) => {
    world.crm = () => down;
    return world.process({ ...event, tries: 7 });
  };
  /** Decides about the change again, as the catch-up does that lists it. */
  const catchUp = (event_id: string) => {
    world.crm = () => ({ ...found(), changedAt: changed }) as ReturnType<typeof found>;
    return world.process(world.event({ event_id, source: 'catch-up', original_at: changed, changed_at: changed }));
  };
  expect(await isDown(world.event())).toBe('crm_unavailable');
  world.pass(MINUTE);
  world.crm = () => found();
  expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe('call queued');
  expect(await world.cancel('evt_2')).toBe('canceled');
  world.pass(MINUTE);
  return Object.assign(world, { isDown, catchUp });
}

describe('a retry that a person requests after a cancelation', () => {
  it('calls the lead although CRM-B does not answer, and the catch-up calls it', async () => {
    const world = await aCanceledLead();
    expect(await world.catchUp('evt_3')).toBe('already_called');
    expect(await world.retry('crm_unavailable')).toBe(1);
    const [sent] = world.queued.splice(0);
    expect(await world.isDown(sent?.message as LeadEvent)).toBe('crm_unavailable');
    expect(await world.catchUp('evt_4')).toBe('call queued');
  });

  it('leaves a later cancelation', async () => {
    const world = await aCanceledLead();
    await world.retry('crm_unavailable');
    const [sent] = world.queued.splice(0);
    world.pass(MINUTE);
    world.crm = () => found();
    await world.process(world.event({ event_id: 'evt_3' }));
    expect(await world.cancel('evt_3')).toBe('canceled');
    expect(await world.isDown(sent?.message as LeadEvent)).toBe('crm_unavailable');
    expect(await world.catchUp('evt_4')).toBe('already_called');
  });

  it('is not newer than a cancelation because it waited behind the call of another lead', async () => {
    const world = crmALeads();
    world.put('organizations', { ...world.all('organizations')[0], available: 0 });
    expect(await world.process(theOther())).toBe('insufficient_credits');
    world.put('organizations', { ...world.all('organizations')[0], available: 10_000_000 });
    expect(await world.process()).toBe('call queued');
    await world.retry('insufficient_credits');
    expect(await deliver(world, 1)).toEqual(['phone_already_called']);
    world.pass(MINUTE);
    const elsewhere = { lead_id: 'lead-2', phones: [OTHER_PHONE] };
    expect(await world.process(aCrmAEvent({ event_id: 'evt_3', at: world.now }, elsewhere))).toBe('call queued');
    expect(await world.cancel('evt_3')).toBe('canceled');
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    await world.process(aCrmAEvent({ event_id: 'evt_4', at: world.now }, { owner_id: 'owner-2' }));
    expect(await deliver(world, 7)).toEqual(['already_called']);
  });
});
