import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { offTimesAfter } from '../../../../shared/domain/connections/off-times.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { CHANNEL, channelCheck, type LeadChange } from '../../support/worlds/channel-check.ts';
import { ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  atItsOpening,
  CONNECTION,
  found,
  leadWorld,
  namedOnly,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const MORNING = ist(MONDAY, '10:00');

/** CRM-B with its leads, and the workers that a day of leads needs, on one clock. */
function aDay({ connection = {} as Partial<Connection>, credit = 10_000_000 } = {}) {
  const world = leadWorld({
    connections: [aCallingConnection({ settings: {}, channel: CHANNEL, ...connection })],
    organizations: [{ ...leadWorld().all('organizations')[0], org_id: ORG, available: credit }],
  });
  world.now = MORNING;
  const changes: LeadChange[] = [];
  const state = { answer: undefined as LeadReading | undefined, requests: 0, answersQueries: false };
  world.crm = (lead_id) => {
    state.requests += 1;
    return state.answer ?? found({ lead_id, phones: [`98765 4${lead_id}`] });
  };
  world.deps.stageSlots = 1_000;
  const check = channelCheck(world, {
    isDown: () => state.answer !== undefined && !state.answersQueries,
    changesOf: () => changes,
  });
  const row = () => world.all('connections')[0] as Connection;
  /** Changes a lead in CRM-B, whose notification arrives. */
  const notify = (id: string, more = {}) => {
    changes.push({ id, created_at: world.now, modified_at: world.now });
    world.put('connections', { ...row(), last_delivery_at: world.now });
    world.leadQueue.sent.push({
      message: world.event({ event_id: `evt_${id}`, lead: namedOnly(id), ...more }),
      delay: 0,
      due: world.ms,
    });
  };
  let checked = 0;
  /** Lets minutes pass, with every worker that is due. */
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) {
      world.pass(MINUTE);
      if (world.ms - checked >= 15 * MINUTE * 1000) {
        checked = world.ms;
        await check();
      }
      for (let due = world.leadQueue.due(); due.length > 0; due = world.leadQueue.due())
        for (const event of due) await (event.source === 'release' ? world.release(event) : world.process(event));
      for (const call of world.calls()) if (call.status === 'queued') await world.dial(call.lead?.event_id);
    }
  };
  const rings = () => world.rung.map(({ phone }) => phone).sort();
  const ids = (count: number) => Array.from({ length: count }, (_, index) => String(1001 + index));
  const phones = (leads: string[]) => leads.map((id) => `+9198765 4${id}`.replace(' ', '')).sort();
  return Object.assign(world, { state, notify, minutes, rings, ids, phones, row, changes });
}

describe('CRM-B is down', () => {
  it('for six hours with twelve notifications: each lead is called exactly once that day, without a person', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    for (const id of day.ids(12)) {
      day.notify(id);
      await day.minutes(30);
    }
    expect(day.rings()).toEqual([]);
    day.state.answer = undefined;
    await day.minutes(60);
    expect(day.rings()).toEqual(day.phones(day.ids(12)));
    expect([day.row().catch_up_from, day.row().catch_up_to, day.row().crm_breaker]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    // Every lead that waited has an entry, and one about its decision.
    const left = day.entries().filter(({ outcome }) => outcome === 'crm_unavailable');
    expect(left.length).toBeGreaterThanOrEqual(11);
    for (const { lead_id, reason } of left) {
      expect(reason).toMatch(/fetched again if the CRM answers within two days/);
      expect(
        day.entries().filter((entry) => entry.lead_id === lead_id && entry.outcome === 'call queued'),
      ).toHaveLength(1);
    }
    await day.minutes(4 * 60);
    expect(day.rings()).toHaveLength(12);
    expect(day.counted).toEqual([]);
  });

  it('for six hours except for queries: each lead is called once it returns leads again', async () => {
    const day = aDay();
    Object.assign(day.state, { answer: unavailable('status 500'), answersQueries: true });
    for (const id of day.ids(8)) day.notify(id);
    await day.minutes(6 * 60);
    day.state.answer = undefined;
    await day.minutes(60);
    expect(day.rings()).toEqual(day.phones(day.ids(8)));
  });

  it('for a day, because its daily credits are used up, and no lead is lost', async () => {
    const day = aDay();
    day.state.answer = unavailable('too many requests');
    for (const id of day.ids(3)) {
      day.notify(id);
      await day.minutes(20);
    }
    await day.minutes(23 * 60);
    day.state.answer = undefined;
    await day.minutes(60);
    expect(day.rings()).toEqual(day.phones(day.ids(3)));
  });

  it('for half an hour: leads of later notifications are left to the catch-up at once', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    for (const id of day.ids(6)) day.notify(id);
    await day.minutes(40);
    // Holds while the breaker is open, but not while it admits a probe.
    for (let minute = 0; minute < 10; minute += 1) {
      day.notify(String(2001 + minute));
      await day.minutes(1);
    }
    expect(day.entries().filter(({ lead_id = '' }) => lead_id >= '2001').length).toBeGreaterThanOrEqual(6);
  });

  it('and a notification arrives late: the catch-up begins at the change, not at the notification', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    const changed_at = day.now;
    day.changes.push({ id: '1001', created_at: changed_at, modified_at: changed_at });
    await day.minutes(40);
    day.notify('1001', { changed_at });
    day.changes.pop();
    await day.minutes(60);
    expect(day.entries()).toMatchObject([
      { outcome: 'crm_unavailable', reason: expect.stringContaining('fetched again') },
    ]);
    day.state.answer = undefined;
    await day.minutes(30);
    expect(day.rings()).toEqual(day.phones(['1001']));
  });

  it('at the moment at which its gap is closed: a lead left after that belongs to the next run', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    for (const id of day.ids(6)) day.notify(id);
    await day.minutes(50);
    const gap = day.row().catch_up_from ?? '';
    // Simulates a run that read the gap a moment ago.
    const granted = { connectionId: CONNECTION, grantId: 'grant-1' };
    expect(await day.stores.channels.closeGap(granted, gap, day.now)).toBe(true);
    await day.stores.channels.leaveToCatchUp(CONNECTION, gap, day.now);
    expect(await day.stores.channels.closeGap(granted, gap, day.now)).toBe(false);
    expect(day.row()).toMatchObject({ catch_up_from: gap, catch_up_to: day.now });
  });

  it('for a single lead, which is given up with an alarm after one catch-up, while the others are called', async () => {
    const day = aDay();
    const answer = day.crm;
    day.crm = (lead_id) => (lead_id === '1001' ? unavailable('status 500') : answer(lead_id));
    day.notify('1001');
    for (const id of ['1002', '1003']) {
      await day.minutes(1);
      day.notify(id);
    }
    await day.minutes(6 * 60);
    expect(day.rings()).toEqual(day.phones(['1002', '1003']));
    expect(day.counted).toContain('LeadGivenUp');
    expect(day.row().catch_up_from).toBeUndefined();
    const own = day.entries().filter(({ lead_id }) => lead_id === '1001');
    expect(own.map(({ source, outcome }) => `${source}: ${outcome}`)).toContain('catch-up: crm_unavailable');
  });

  it('for a lead of the Sunday sweep, which waits for hours, shows this after an hour, and is then called', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    day.notify('1001', { source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
    day.changes.length = 0;
    await day.minutes(59);
    expect(day.entries()).toEqual([]);
    await day.minutes(20);
    expect(day.entries()).toHaveLength(1);
    await day.minutes(4 * 60);
    expect(day.entries()).toMatchObject([
      { event_id: 'evt_1001.waiting', source: 'sunday-sweep', outcome: 'crm_unavailable', retryable: null },
    ]);
    day.state.answer = undefined;
    await day.minutes(20);
    expect(day.outcomes().at(-1)).toBe('evt_1001 sunday-sweep: call queued');
    expect(day.rings()).toHaveLength(1);
  });

  it('for the retry of a lead whose call has expired: the lead waits and is called, although it changed hours before', async () => {
    const day = aDay();
    day.deps.stageSlots = 0;
    day.notify('1001');
    await day.minutes(130);
    expect(day.outcomes().at(-1)).toMatch(/expired$/);
    day.deps.stageSlots = 10;
    day.state.answer = unavailable('status 500');
    await day.retry('expired');
    await day.minutes(6 * 60);
    expect(day.outcomes().at(-1)).toMatch(/waiting .*crm_unavailable$/);
    day.state.answer = undefined;
    await day.minutes(20);
    expect(day.rings()).toEqual(day.phones(['1001']));
  });
});

describe('a message about a lead that waits for CRM-B', () => {
  it.each(['processed', 'released'])('exists once, although Activity cannot be written: %s', async (how) => {
    const scheduled = how === 'released';
    const world = scheduled ? (await atItsOpening()).world : leadWorld();
    const message = scheduled
      ? world.releaseMessage()
      : world.event({ source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
    world.crm = () => unavailable('status 500');
    world.pass(HOUR);
    const { activity } = world.deps;
    world.deps.activity = { ...activity, record: () => Promise.reject(new Error('cannot be written')) };
    const run = () => (scheduled ? world.release : world.process)({ ...message, tries: 7 });
    // The queue delivers the message again.
    await expect(run()).rejects.toThrow('cannot be written');
    expect(world.queued).toEqual([]);
    world.deps.activity = activity;
    await run();
    expect(world.queued).toHaveLength(1);
  });
});

describe('a CRM-B that is down when the call window opens', () => {
  /** Five leads of the night, released at 09:00 while CRM-B is down. The window is open until 13:00. */
  const aMorning = async () => {
    const day = aDay({ connection: { settings: windowOf('09:00', '13:00') } });
    day.now = ist(MONDAY, '08:00');
    for (const id of day.ids(5)) day.notify(id);
    await day.minutes(60);
    day.state.answer = unavailable('status 500');
    const release = () => {
      for (const { status, lead } of day.calls())
        if (status === 'scheduled')
          day.leadQueue.sent.push({ message: day.releaseMessage(lead?.event_id), delay: 0, due: day.ms });
    };
    release();
    return { day, release };
  };

  it('and for the next hours: each lead is called exactly once that day, with some requests an hour', async () => {
    const { day, release } = await aMorning();
    const { requests } = day.state;
    // recover-calls sends each release again.
    for (let hour = 0; hour < 3; hour += 1) {
      await day.minutes(50);
      release();
      await day.minutes(10);
    }
    expect(day.rings()).toEqual([]);
    expect(day.state.requests - requests).toBeLessThan(60);
    const waiting = day.entries().filter(({ event_id }) => event_id.endsWith('.waiting'));
    expect(waiting.map(({ event_id, source, outcome }) => `${event_id} ${source}: ${outcome}`).sort()).toEqual(
      day.ids(5).map((id) => `evt_${id}.release.202603020330.waiting release: crm_unavailable`),
    );
    day.state.answer = undefined;
    await day.minutes(20);
    expect(day.rings()).toEqual(day.phones(day.ids(5)));
    await day.minutes(24 * 60);
    expect([day.rings().length, day.leadQueue.sent, day.counted]).toEqual([5, [], []]);
  });

  it('and until it closes: each call waits for the next day, and no request is left on the queue', async () => {
    const { day, release } = await aMorning();
    await day.minutes(4 * 60);
    const scheduled_for = ist(TUESDAY, '09:00');
    expect(day.calls().map((call) => [call.status, call.scheduled_for])).toEqual(
      Array(5).fill(['scheduled', scheduled_for]),
    );
    expect(day.leadQueue.sent).toEqual([]);
    day.state.answer = undefined;
    await day.minutes(20 * 60);
    release();
    await day.minutes(1);
    expect(day.rings()).toEqual(day.phones(day.ids(5)));
  });
});

describe('a catch-up of a lead whose waiting call a person has canceled', () => {
  /** A lead whose call is canceled a minute after its change, and another one that is left to the catch-up. */
  const aCanceledLead = async () => {
    const day = aDay();
    day.deps.stageSlots = 0;
    day.notify('1001');
    await day.minutes(1);
    expect(await day.cancel('evt_1001')).toBe('canceled');
    day.deps.stageSlots = 10;
    day.state.answer = { kind: 'unavailable', reason: 'NO_PERMISSION', isFinal: true };
    day.notify('1002');
    await day.minutes(1);
    day.state.answer = undefined;
    return day;
  };

  it('does not call it for the same change', async () => {
    const day = await aCanceledLead();
    await day.minutes(30);
    expect(day.rings()).toEqual(day.phones(['1002']));
    expect(day.entries().filter(({ lead_id }) => lead_id === '1001')).toMatchObject([
      { outcome: 'call queued' },
      { source: 'catch-up', outcome: 'already_called', reason: expect.stringMatching(/A person has canceled/) },
    ]);
  });

  it('calls it for a change after that, whose notification was lost', async () => {
    const day = await aCanceledLead();
    day.changes.push({ id: '1001', created_at: MORNING, modified_at: day.now });
    await day.minutes(30);
    expect(day.rings()).toEqual(day.phones(['1001', '1002']));
  });
});

describe('auto-call that is switched off and on again while CRM-B does not answer', () => {
  it('calls the leads that were created or changed before or after, but not those that only changed in between', async () => {
    const day = aDay();
    day.state.answer = unavailable('status 500');
    const autoCall = async (auto_call: boolean) => {
      const off_times = offTimesAfter(day.row(), auto_call, day.deps.now()) ?? [];
      await day.switchOff(day.connectionChange({ auto_call, off_times }));
    };
    day.notify('1001');
    await day.minutes(60);
    const created_at = day.now;
    await day.minutes(2);
    await autoCall(false);
    await day.minutes(2);
    day.notify('1002');
    day.changes.push({ id: '1003', created_at: day.now, modified_at: day.now });
    // Edited in between, although its creation was not reported before.
    day.changes.push({ id: '1005', created_at, modified_at: day.now });
    day.changes.push({ id: '1006', created_at: '2026-03-01T06:00:00.000Z', modified_at: day.now });
    await day.minutes(2);
    await autoCall(true);
    day.notify('1004');
    await day.minutes(60);
    day.state.answer = undefined;
    await day.minutes(60);
    expect(day.rings()).toEqual(day.phones(['1001', '1004', '1005']));
    expect(day.outcomes().filter((one) => one.endsWith('auto_call_disabled'))).toHaveLength(4);
    expect(day.counted).toEqual([]);
  });
});

describe('an ended consent', () => {
  it('leaves its leads to the catch-up of the next consent', async () => {
    const day = aDay();
    day.state.answer = { kind: 'unavailable', reason: 'revoked', isFinal: true, needsConsent: true };
    day.notify('1001');
    await day.minutes(1);
    expect(day.outcomes()).toEqual(['evt_1001 webhook: crm_unavailable']);
    expect(day.row().catch_up_from).toBe(ist(MONDAY, '09:45'));
    await day.minutes(HOUR / MINUTE);
    day.state.answer = undefined;
    await day.minutes(30);
    expect(day.rings()).toHaveLength(1);
    expect(day.outcomes().at(-1)).toMatch(/ catch-up: call queued$/);
  });

  it('by a disconnect during a request for a lead opens no gap, so no earlier lead is called after the next consent', async () => {
    const day = aDay();
    day.crm = () => {
      const { grant: _, channel: __, ...rest } = day.row();
      day.put('connections', rest);
      return { kind: 'unavailable', reason: 'not connected', isFinal: true, needsConsent: true };
    };
    day.notify('1001');
    const [message] = day.leadQueue.due();
    // The queue delivers the message again.
    await day.process(message as LeadEvent).catch(() => undefined);
    expect(await day.process(message as LeadEvent)).toBe('auto_call_disabled');
    await day.stores.channels.openGap(CONNECTION, MORNING);
    expect(day.row().catch_up_from).toBeUndefined();
    expect(day.outcomes()).toEqual(['evt_1001 webhook: auto_call_disabled']);
  });
});
