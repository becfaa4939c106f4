import { erasedEntry } from '../../../../../shared/domain/connections/activity.ts';
import { callIdForLead } from '../../../../../shared/domain/ids.ts';
import type { Lead } from '../../../../../shared/domain/leads/lead.ts';
import { type LeadEvent, leadEvent } from '../../../../../shared/messages/lead-event.ts';
import { aCrmAEvent, crmALeads } from '../../../support/crm-a-leads.ts';
import {
  CONNECTION,
  found,
  type LeadWorld,
  leadWorld,
  NIGHT,
  namedOnly,
  OPENS,
  OTHER_PHONE,
} from '../../../support/worlds/lead-world.ts';
import { callOf, deliver, erase, theOther } from '../../../support/worlds/two-leads.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

/** An event by which a catch-up decides about a change of that lead again. */
const aCatchUp = (event_id: string, changed_at: string) =>
  aCrmAEvent({ event_id, source: 'catch-up', at: '2026-03-02T08:00:00.000Z', changed_at }, { lead_id: 'lead-2' });
/** A later event of the first lead. */
const aNewerEvent = (lead: Parameters<typeof aCrmAEvent>[1]) =>
  aCrmAEvent({ event_id: 'evt_3', at: '2026-03-02T06:01:00.000Z' }, lead);

/** Dials the call of the first lead, whose phone rings. */
async function rings(world: LeadWorld): Promise<void> {
  await world.dial();
  const [call] = world.all('calls');
  world.put('calls', { ...call, status: 'ringing' });
}

/** Runs `happens` after the read of the claims by which the next event is decided. */
function onceDecided(world: LeadWorld, happens: () => unknown): void {
  let isDecided = false;
  world.hooks.before = async (_operation, { RequestItems = {} }) => {
    if (isDecided) {
      world.hooks.before = undefined;
      await happens();
    } else isDecided = 'claims' in (RequestItems as object);
  };
}

/** Two leads with one phone: the first has a call that waits for its dial, the second is refused. */
async function twoLeads() {
  const world = crmALeads();
  expect(await world.process()).toBe('call queued');
  expect(await world.process(theOther())).toBe('phone_already_called');
  return world;
}

describe('a lead whose phone has the waiting call of another lead', () => {
  it('is called if that lead gets another owner before the phone rings', async () => {
    const world = await twoLeads();
    expect(await deliver(world, 7)).toEqual(['waits_behind_call']);
    expect(await world.process(aNewerEvent({ owner_id: 'owner-2' }))).toBe('owner_mismatch');
    expect(await deliver(world, 7)).toEqual(['call queued']);
    expect(world.outcomes()).toEqual(
      expect.arrayContaining(['evt_2 webhook: phone_already_called', 'evt_2.retry.1 retry: call queued']),
    );
    const former = world.entries().find(({ event_id }) => event_id === 'evt_2');
    expect(former?.superseded_by).toBe('evt_2.retry.1');
    expect(await world.dial('evt_2')).toBe('accepted');
    expect(world.rung).toHaveLength(1);
  });

  it('is decided at once if that call was stopped at the same moment', async () => {
    const world = crmALeads();
    await world.process();
    onceDecided(world, () => world.process(aNewerEvent({ owner_id: 'owner-2' })));
    expect(await world.process(theOther())).toBe('call queued');
  });

  it.each<[string, (world: LeadWorld) => unknown]>([
    ['canceled by a person', (world) => world.cancel()],
    ['stopped by the do-not-call flag', (world) => world.process(aNewerEvent({ do_not_call: true }))],
  ])('stays uncalled if that call was %s at the same moment', async (_how, happens) => {
    const world = crmALeads();
    await world.process();
    onceDecided(world, () => happens(world));
    expect(await world.process(theOther())).toBe('phone_already_called');
    expect([callOf(world, 'evt_2'), world.queued]).toEqual([undefined, []]);
  });

  it('follows the call of a lead that was faster by a moment', async () => {
    const world = crmALeads();
    world.hooks.before = async (operation) => {
      if (operation !== 'TransactWrite') return;
      world.hooks.before = undefined;
      await world.process();
    };
    expect(await world.process(theOther())).toBe('phone_already_called');
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    expect(await deliver(world, 7)).toEqual(['call queued']);
  });

  it.each<[string, (world: LeadWorld) => unknown]>([
    ['its phone rings', (world) => rings(world)],
    ['a person cancels it', (world) => world.cancel()],
    ['it is not dialed in time', (world) => [world.pass(3 * 3600), world.dial()].at(-1)],
    ['the CRM sets the do-not-call flag', (world) => world.process(aNewerEvent({ do_not_call: true }))],
  ])('stays uncalled if, before that call is stopped, %s', async (_what, happens) => {
    const world = await twoLeads();
    await happens(world);
    expect((await deliver(world, 24 * 60)).at(-1)).toBe('phone_already_called');
    expect(callOf(world, 'evt_2')).toBeUndefined();
    expect(world.entries().filter(({ event_id }) => event_id.startsWith('evt_2'))).toHaveLength(1);
    expect(world.queued).toEqual([]);
  });

  it.each<[string, (world: LeadWorld) => Promise<unknown>]>([
    [
      'at the moment of its decision',
      async (world) => {
        onceDecided(world, () => world.cancel());
        await world.process(theOther());
      },
    ],
    [
      'before its message checked that call',
      async (world) => {
        await world.process(theOther());
        await world.cancel();
        expect(await deliver(world, 7)).toEqual(['phone_already_called']);
      },
    ],
    [
      'and erased it before its message looked at it',
      async (world) => {
        await world.process(theOther());
        await world.cancel();
        await erase(world);
        expect(await deliver(world, 7)).toEqual(['phone_already_called']);
      },
    ],
    [
      'by an erasure',
      async (world) => {
        await world.process(theOther());
        await erase(world);
        expect(await deliver(world, 7)).toEqual(['phone_already_called']);
      },
    ],
  ])('is called by a catch-up only for a later change if a person canceled that call %s', async (_when, happens) => {
    const world = crmALeads();
    await world.process();
    await happens(world);
    world.pass(1_800);
    expect(await world.process(aCatchUp('evt_4', aCrmAEvent().at))).toBe('already_called');
    expect(await world.process(aCatchUp('evt_5', world.now))).toBe('call queued');
  });

  it('keeps a newer cancelation of its own call', async () => {
    const world = await twoLeads();
    await world.cancel();
    world.pass(60);
    const between = world.now;
    await world.process(aCrmAEvent({ event_id: 'evt_3', at: between }, { lead_id: 'lead-2' }));
    world.pass(60);
    expect(await world.cancel('evt_3')).toBe('canceled');
    expect(await deliver(world, 7)).toEqual(['phone_already_called']);
    expect(await world.process(aCatchUp('evt_4', between))).toBe('already_called');
  });

  it('stays uncalled if the CRM sets the do-not-call flag together with another owner', async () => {
    const world = await twoLeads();
    expect(await world.process(aNewerEvent({ do_not_call: true, owner_id: 'owner-2' }))).toBe('owner_mismatch');
    expect(callOf(world, 'evt_1')?.ended_reason).toBe('do_not_call');
    expect(await deliver(world, 60)).toEqual(['phone_already_called']);
    expect(callOf(world, 'evt_2')).toBeUndefined();
  });

  it('has an entry about its call, although the first call was erased before the entry was written', async () => {
    const world = await twoLeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    world.hooks.before = (operation) => {
      if (operation === 'Put') throw new Error('no answer');
    };
    const message = leadEvent.parse(world.queued[0]?.message);
    await expect(world.process(message)).rejects.toThrow('no answer');
    world.hooks.before = undefined;
    expect(callOf(world, 'evt_2')?.status).toBe('queued');
    world.put('calls', { call_id: callIdForLead(CONNECTION, 'evt_1'), erased_at: world.now });
    expect(await world.process(message)).toBe('call queued');
  });

  it('stays uncalled if the CRM sets the do-not-call flag after the end of that call', async () => {
    const world = await twoLeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    const flag = { event_id: 'evt_4', at: '2026-03-02T06:02:00.000Z' };
    await world.process(aCrmAEvent(flag, { do_not_call: true, owner_id: 'owner-2' }));
    expect(await deliver(world, 60)).toEqual(['phone_already_called']);
  });

  it('is not called after its person was erased', async () => {
    const world = await twoLeads();
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    const entry = world.entries().find(({ event_id }) => event_id === 'evt_2');
    if (!entry) throw new Error('the event has no entry');
    world.put('activity', erasedEntry(entry));
    expect(await deliver(world, 60)).toEqual(['erased']);
  });

  it('is not called later if it is a test event', async () => {
    const world = crmALeads();
    await world.process();
    expect(await world.process({ ...theOther(), test: true })).toBe('phone_already_called');
    expect(world.queued).toEqual([]);
  });

  it('is called once, or a third lead is called instead, although each message is delivered twice', async () => {
    const world = await twoLeads();
    expect(await world.process({ ...theOther(), event_id: 'evt_2' })).toBe('decided_before');
    const third = aCrmAEvent({ event_id: 'evt_4' }, { lead_id: 'lead-3' });
    expect(await world.process(third)).toBe('phone_already_called');
    await world.process(aNewerEvent({ owner_id: 'owner-2' }));
    const messages = world.queued.splice(0).flatMap(({ message }) => [message, message]);
    world.pass(300);
    for (const message of messages) await world.process(message);
    expect(world.calls().filter(({ status }) => status === 'queued')).toHaveLength(1);
  });

  it('has its call wherever process-lead dies when it refuses the lead', async () => {
    const begin = async () => {
      const world = crmALeads();
      await world.process();
      return world;
    };
    for await (const [world] of worldThatDies(begin, (each) => each.process(theOther()))) {
      await world.process(theOther());
      await world.process(aNewerEvent({ owner_id: 'owner-2' }));
      await deliver(world, 30);
      expect(callOf(world, 'evt_2')?.status).toBe('queued');
    }
  });

  it('has its call wherever process-lead dies when it decides the lead again', async () => {
    const begin = async () => {
      const world = await twoLeads();
      await world.process(aNewerEvent({ owner_id: 'owner-2' }));
      return world;
    };
    const message = (world: LeadWorld) => world.queued[0]?.message as LeadEvent;
    for await (const [world] of worldThatDies(begin, (each) => each.process(message(each)))) {
      await deliver(world, 30);
      expect(callOf(world, 'evt_2')?.status).toBe('queued');
      expect(world.calls()).toHaveLength(2);
    }
  });
});

describe('a lead of CRM-B whose phone has the call of another lead', () => {
  const leads: Record<string, ReturnType<typeof found>> = {};
  const begin = async (now?: string) => {
    const world = leadWorld();
    if (now) world.now = now;
    Object.assign(leads, { 1001: found(), 1002: found({ lead_id: '1002' }) });
    world.crm = (leadId) => leads[leadId] ?? { kind: 'not_found', reason: 'x' };
    await world.process(world.event());
    expect(await world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }))).toBe(
      'phone_already_called',
    );
    return world;
  };

  it('is called if that call moves to another phone of its lead', async () => {
    const world = await begin();
    world.pass(11 * 60);
    leads[1001] = found({ phones: [OTHER_PHONE] });
    await world.dial();
    expect(await deliver(world, 15)).toEqual(['call queued']);
    expect([callOf(world, 'evt_1')?.phone_number, callOf(world, 'evt_2')?.status]).toEqual([OTHER_PHONE, 'queued']);
  });

  it.each([
    ['phone_already_called', OTHER_PHONE],
    ['own_platform_number', '+919876500000'],
    ['destination_not_allowed', '+14155552671'],
  ])('is called if that call cannot move to another phone of its lead: %s', async (reason, phone) => {
    const world = await begin();
    world.put('organizations', {
      ...world.all('organizations')[0],
      platform_numbers: ['+919876500000'],
      countries: ['IN'],
    });
    leads[1003] = found({ lead_id: '1003', phones: [OTHER_PHONE] });
    await world.process(world.event({ event_id: 'evt_3', lead: namedOnly('1003') }));
    world.pass(11 * 60);
    leads[1001] = found({ phones: [phone] });
    await world.dial();
    expect(callOf(world, 'evt_1')?.ended_reason).toBe(reason);
    await deliver(world, 15);
    expect(callOf(world, 'evt_2')?.status).toBe('queued');
  });

  const flagged: [string, Partial<Lead>][] = [
    ['another owner', { owner_id: 'owner-2' }],
    ['no phone', { phones: [] }],
  ];

  it.each(flagged)(
    'stays uncalled if, before the dial, that lead has the do-not-call flag and %s',
    async (_w, lead) => {
      const world = await begin();
      world.pass(11 * 60);
      leads[1001] = found({ do_not_call: true, ...lead });
      await world.dial();
      expect(callOf(world, 'evt_1')?.ended_reason).toBe('do_not_call');
      expect(await deliver(world, 15)).toEqual(['phone_already_called']);
    },
  );

  it.each(flagged)('stays uncalled if, at its release, that lead has the do-not-call flag and %s', async (_w, lead) => {
    const world = await begin(NIGHT);
    const [message] = world.queued.splice(0);
    world.now = OPENS;
    leads[1001] = found({ do_not_call: true, ...lead });
    expect(await world.release(world.releaseMessage())).toBe('do_not_call');
    expect(await world.process(leadEvent.parse(message?.message))).toBe('phone_already_called');
  });

  it('is called if the lead of that call was called at another phone before the window opened', async () => {
    const world = await begin(NIGHT);
    world.connectionChange({ settings: {} });
    leads[1001] = found({ phones: [OTHER_PHONE] });
    expect(await world.process(world.event({ event_id: 'evt_3' }))).toBe('call queued');
    expect(await world.dial('evt_3')).toBe('accepted');
    const [message] = world.queued.splice(0).slice(-1);
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('already_called');
    expect(await world.process(leadEvent.parse(message?.message))).toBe('call queued');
  });

  it('is decided every quarter of an hour until the window of that call opens', async () => {
    const world = await begin(NIGHT);
    const before = await deliver(world, 10 * 60);
    expect(new Set(before)).toEqual(new Set(['waits_behind_call']));
    expect(before.length).toBeLessThanOrEqual(4 * 10 + 1);
    world.now = OPENS;
    leads[1001] = found({ owner_id: 'owner-2' });
    expect(await world.release(world.releaseMessage())).toBe('owner_mismatch');
    expect(await deliver(world, 20)).toEqual(['call queued']);
  });
});
