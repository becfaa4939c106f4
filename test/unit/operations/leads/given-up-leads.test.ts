import { isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import { endCall } from '../../../../shared/operations/calls/steps/end-call.ts';
import { aCrmAEvent, crmALeads } from '../../support/crm-a-leads.ts';
import { anOrg, CREDIT, ist, MONDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  expectBooks,
  found,
  HOLD,
  leadWorld,
  NOON,
  namedOnly,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const LINES = 2;
const CALL_SECONDS = 60;
/** Without a call window, a late call is not postponed. */
const ALWAYS_OPEN = { connections: [aCallingConnection({ settings: {} })] };

/** Thirty leads on two lines, in an organization whose calls wait for two minutes. */
async function aCrowd(count = 30) {
  const credit = 100 * HOLD;
  const world = leadWorld({ ...ALWAYS_OPEN, organizations: [anOrg({ available: credit, max_wait_minutes: 2 })] });
  world.deps.stageSlots = LINES;
  world.crm = (lead_id) => found({ lead_id, phones: [`98765 4${lead_id}`] });
  const ids = Array.from({ length: count }, (_, index) => String(1001 + index));
  for (const id of ids) await world.process(world.event({ event_id: `evt_${id}`, lead: namedOnly(id) }));
  /** Dials waiting calls and ends talks that are long enough, until no call is left. */
  const run = async () => {
    for (let seconds = 0; seconds < 3_600; seconds += CALL_SECONDS) {
      const open = world.calls().filter(({ status }) => !isTerminal(status));
      if (open.length === 0) return;
      for (const call of open) {
        const { call_id, dial_claimed_at, platform_id } = call;
        const talked = dial_claimed_at ? (world.ms - Date.parse(dial_claimed_at)) / 1000 : 0;
        const end = { status: 'completed', ended_reason: 'x', ended_at: world.now, duration: CALL_SECONDS } as const;
        if (platform_id && talked >= CALL_SECONDS) await endCall(world.deps, call, { ...end, platformId: platform_id });
        world.dialing = { kind: 'accepted', platformId: `p_${call_id}` };
        if (!dial_claimed_at) await world.dial(call.lead?.event_id);
      }
      world.pass(CALL_SECONDS);
    }
  };
  const rungOnce = () => {
    const rings = world.rung.map(({ phone }) => phone);
    expect(new Set(rings).size).toBe(rings.length);
    return rings.length;
  };
  const expired = () => world.entries().filter(({ outcome }) => outcome === 'expired');
  const retryExpired = async () => {
    const queued = await world.retry('expired');
    for (const { message } of world.queued.splice(0)) await world.process(message);
    return queued;
  };
  return Object.assign(world, { ids, run, rungOnce, expired, retryExpired, start: credit });
}

describe('thirty leads on two lines', () => {
  it('ring once, or expire and ring once after a retry', async () => {
    const world = await aCrowd();
    await world.run();
    const first = world.rungOnce();
    expect(first).toBeGreaterThan(0);
    expect(world.expired()).toHaveLength(30 - first);
    expect(world.expired()[0]).toMatchObject({ source: 'dial', reason: expect.stringMatching(/not dialed in time/) });
    expect(world.counted.filter((name) => name === 'LeadGivenUp')).toHaveLength(30 - first);
    world.deps.stageSlots = 30;
    expect(await world.retryExpired()).toBe(30 - first);
    await world.run();
    expect(world.rungOnce()).toBe(30);
    expect(await world.retryExpired()).toBe(0);
    expectBooks(world, world.start);
  });
});

describe('a lead whose call expires', () => {
  const aLateLead = async () => {
    const world = crmALeads();
    await world.process(aCrmAEvent());
    world.now = ist(MONDAY, '17:00');
    return world;
  };

  it('has its entry, its freed claims and its credit in one transaction, wherever a worker dies', async () => {
    for await (const [world] of worldThatDies(aLateLead, (each) => each.dial(), 2)) {
      await world.dial();
      expect(world.entries().map(({ event_id, outcome }) => `${event_id}: ${outcome}`)).toEqual([
        'evt_1: call queued',
        'evt_1.dial: expired',
      ]);
      expect([world.claims(), world.credit()]).toEqual([[], { available: CREDIT, held: 0 }]);
    }
  });

  it('is called once under its own data by retries that are repeated, delivered twice, or overtaken', async () => {
    const world = await aLateLead();
    await world.dial();
    expect(await world.retry('expired')).toBe(1);
    expect(await world.retry('expired')).toBe(1);
    const [one, other] = world.queued.splice(0).map(({ message }) => message);
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      event_id: 'evt_1.dial.retry.1',
      lead: aCrmAEvent().lead.fields && { owner_id: 'owner-1' },
    });
    for (const event of [one, other]) if (event) await world.process(event);
    expect(world.calls().map(({ status }) => status)).toEqual(['failed', 'queued']);
    expect(await world.dial('evt_1.dial')).toBe('accepted');
    expect(await world.retry('expired')).toBe(0);
    expect(world.rung).toHaveLength(1);
    expect(world.call('evt_1.dial').lead?.fields).toEqual({ FirstName: 'Asha' });
  });

  it('is not called by a retry if another event has called it since', async () => {
    const world = await aLateLead();
    await world.dial();
    await world.process(aCrmAEvent({ event_id: 'evt_2', at: world.now }));
    await world.retry('expired');
    const [retried] = world.queued.splice(0);
    expect(retried && (await world.process(retried.message))).toBe('already_called');
    expect(await world.retry('expired')).toBe(0);
  });

  it('keeps the mark and the claim of the Sunday sweep at a retry', async () => {
    const world = leadWorld(ALWAYS_OPEN);
    world.now = NOON;
    const sweep = { source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true } as const;
    await world.process(world.event(sweep));
    world.now = ist(MONDAY, '15:00');
    expect(await world.dial()).toBe('expired');
    await world.retry('expired');
    const [retried] = world.queued.splice(0);
    expect(retried?.message).toMatchObject({ sunday_rnr_retry: true });
    expect(retried && (await world.process(retried.message))).toBe('call queued');
    expect(world.call('evt_1.dial').request_metadata).toMatchObject({ sunday_rnr_retry: 'true' });
    // Another sweep of the same hours still finds the claim.
    expect(await world.process(world.event({ event_id: 'evt_2', ...sweep }))).toBe('retried_recently');
  });
});

describe('a lead whose dial the platform refuses', () => {
  const aRefusedLead = async () => {
    const world = crmALeads();
    await world.process();
    world.dialing = { kind: 'refused', reason: 'platform answered 400' };
    return world;
  };
  const outcomesOf = ({ entries }: Awaited<ReturnType<typeof aRefusedLead>>) =>
    entries().map(({ event_id, outcome }) => `${event_id}: ${outcome}`);

  it('has its entry and its credit in one transaction, counts as given up, and keeps its claims', async () => {
    const world = await aRefusedLead();
    const claims = world.claims();
    expect(await world.dial()).toBe('refused');
    expect(world.call()).toMatchObject({ status: 'failed', ended_reason: 'platform answered 400', cost: 0 });
    expect(outcomesOf(world)).toEqual(['evt_1: call queued', 'evt_1.dial: refused_by_platform']);
    expect(world.entries()[1]).toMatchObject({ source: 'dial', reason: expect.stringMatching(/refused this call/) });
    expect([world.claims(), world.credit()]).toEqual([claims, { available: CREDIT, held: 0 }]);
    expect(world.counted).toEqual(['LeadGivenUp']);
    // Otherwise a CRM that edits a lead after each failed call would have it refused again and again.
    expect(await world.process(aCrmAEvent({ event_id: 'evt_2' }))).toBe('already_called');
  });

  it('is called once after a retry, which frees the claims of the refused call', async () => {
    const world = await aRefusedLead();
    await world.dial();
    world.dialing = { kind: 'accepted', platformId: 'p1' };
    expect(await world.retry('refused_by_platform')).toBe(1);
    const [retried] = world.queued.splice(0);
    for (const expected of ['call queued', 'decided_before'])
      expect(retried && (await world.process(retried.message))).toBe(expected);
    expect(await world.dial('evt_1.dial')).toBe('accepted');
    expect([world.rung.length, await world.retry('refused_by_platform')]).toEqual([1, 0]);
    expect(world.claims().every((claim) => claim.endsWith('= evt_1.dial'))).toBe(true);
  });

  it('frees no claim of another event or of a call that was dialed', async () => {
    const world = await aRefusedLead();
    await world.dial();
    await world.retry('refused_by_platform');
    const [retried] = world.queued.splice(0);
    world.putCall({ ...world.call(), ended_reason: 'customer-busy' });
    expect(retried && (await world.process(retried.message))).toBe('already_called');
  });
});
