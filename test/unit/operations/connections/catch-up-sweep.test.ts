import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { LeadIds } from '../../../../shared/integrations/crm-b/coql.ts';
import { checkWatchChannels } from '../../../../shared/operations/connections/check-watch-channels.ts';
import { sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';
import { aWatchedConnection } from '../../support/watched-connection.ts';
import { aGrant, ist } from '../../support/worlds/items.ts';

const SUNDAY = '2026-03-01';
const QUARTER = 15 * 60;
const DOWN: LeadIds = { kind: 'unavailable', reason: 'status 503' };
const OPTED_IN = { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'No Answer' };

/** A connection that has opted in, at the time of the sweep, while CRM-B is down. */
async function aSundayOutage(change: Partial<Connection> = {}) {
  const world = aWatchedConnection({ trigger_owner_user_id: '7', settings: OPTED_IN, ...change });
  world.now = ist(SUNDAY, '08:50');
  await checkWatchChannels(world.deps);
  world.now = ist(SUNDAY, '09:00');
  let answer: (after?: string) => LeadIds = () => DOWN;
  const queries: string[] = [];
  const run = { timeLeftMs: () => 800_000 };
  const deps = {
    ...world.deps,
    timeLeftMs: () => run.timeLeftMs(),
    leadsWithDisposition: async (_access: object, { after }: { after?: string }) => {
      queries.push(world.now);
      return answer(after);
    },
  };
  const report = await sundaySweep(deps);
  return Object.assign(world, {
    report,
    queries,
    run,
    /** Runs the check of the channels once. */
    check: () => checkWatchChannels(deps),
    sweep: () => sundaySweep(deps),
    crmSays: (next: typeof answer) => {
      answer = next;
    },
    /** Lets quarters of an hour pass, each with a check of the channels. */
    quarters: async (count: number) => {
      for (let quarter = 0; quarter < count; quarter += 1) {
        world.pass(QUARTER);
        await checkWatchChannels(deps);
      }
    },
    swept: () => world.queued.map(({ message }) => message).filter(({ source }) => source === 'sunday-sweep'),
  });
}

const IDS = [7, 6, 5, 4, 3, 2, 1, 0].map((before) => String(5_725_767_000_000_524_157n - BigInt(before) * 1_000n));

/** CRM-B with eight leads in pages of three, of which it answers those up to a lead. */
function pages(world: Awaited<ReturnType<typeof aSundayOutage>>, fail: () => LeadIds = () => DOWN) {
  let last = -1;
  world.crmSays((after = '0') => {
    const page = IDS.filter((id) => BigInt(id) > BigInt(after)).slice(0, 3);
    const end = page.at(-1) ?? '';
    if (IDS.indexOf(end) > last) return fail();
    return { kind: 'found', ids: page, ...(end !== IDS.at(-1) && { next: end }) };
  });
  return {
    reach: (index: number) => {
      last = index;
    },
  };
}

const indexes = ({ swept }: Awaited<ReturnType<typeof aSundayOutage>>) =>
  swept().map(({ lead }) => IDS.indexOf(lead.lead_id ?? ''));

describe('the leads of a Sunday sweep whose CRM-B is down', () => {
  it('are queued once by the check of the channels when it answers again, six hours later', async () => {
    const world = await aSundayOutage();
    expect(world.report).toMatchObject({ failed: 0, swept: 0, reasons: { conn_1: 'status 503' } });
    await world.quarters(24);
    expect(world.swept()).toEqual([]);
    world.crmSays((after) => (after ? { kind: 'found', ids: ['9'] } : { kind: 'found', ids: ['7', '8'], next: '8' }));
    await world.quarters(4);
    expect(world.swept().map(({ lead }) => lead.lead_id)).toEqual(['7', '8', '9']);
    expect(world.swept()).toMatchObject(Array(3).fill({ sunday_rnr_retry: true, event: 'sunday_retry' }));
    expect([world.row().missed_sweep, world.counted]).toEqual([undefined, []]);
  });

  it('have the same events as those of a sweep on that day', async () => {
    const world = await aSundayOutage();
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.quarters(1);
    await world.sweep();
    const [first, second] = world.swept().map(({ event_id }) => event_id);
    expect(first).toBe(second);
  });

  it('delay no other work on the connection if they are too many for a run', async () => {
    const world = await aSundayOutage();
    world.crmSays(() => {
      throw new Error('the run has no time left');
    });
    world.loseChannels();
    await world.quarters(1);
    expect([world.channels().length, world.row().missed_sweep]).toEqual([
      1,
      expect.objectContaining({ at: expect.any(String) }),
    ]);
  });

  it('are not queued again at each check if CRM-B keeps failing at a later page', async () => {
    const world = await aSundayOutage();
    const { reach } = pages(world);
    reach(2);
    await world.quarters(4);
    expect(indexes(world)).toEqual([0, 1, 2]);
    reach(4);
    await world.quarters(4);
    reach(7);
    await world.quarters(4);
    // The stored point is not exact, so the last lead before it may be queued again, as the same event.
    expect(indexes(world)).toEqual([0, 1, 2, 2, 3, 4, 4, 5, 6, 7]);
    expect(world.row().missed_sweep).toBeUndefined();
  });

  it('are queued by several checks if they are too many for one', async () => {
    const world = await aSundayOutage();
    const { reach } = pages(world);
    reach(7);
    // Enough time for one page.
    world.run.timeLeftMs = () => (world.swept().length < 3 ? 800_000 : 50_000);
    world.pass(QUARTER);
    expect(await world.check()).toMatchObject({ failed: 0, caught_up: 3 });
    world.run.timeLeftMs = () => 800_000;
    await world.quarters(1);
    expect(indexes(world)).toEqual([0, 1, 2, 2, 3, 4, 5, 6, 7]);
  });

  it('are found from the first one again if the settings or the grant change', async () => {
    for (const change of [{ revision: 5 }, { grant: aGrant({ id: 'grant-2' }) }]) {
      const world = await aSundayOutage();
      const { reach } = pages(world);
      reach(2);
      await world.quarters(1);
      world.change(change);
      reach(7);
      await world.quarters(1);
      expect(indexes(world)).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });

  it('are not named on the connection, because it outlives an erasure of the lead', async () => {
    const world = await aSundayOutage();
    pages(world).reach(2);
    await world.quarters(1);
    const stored = JSON.stringify(world.row());
    expect(IDS.filter((id) => stored.includes(id))).toEqual([]);
  });

  it('are given up after twelve hours, with an alarm', async () => {
    const world = await aSundayOutage();
    await world.quarters(48);
    expect(world.counted).toEqual(['LeadGivenUp']);
    const line = 'the leads of a Sunday sweep are given up: the CRM did not answer for twelve hours';
    expect(world.warnings()).toContain(line);
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.quarters(4);
    expect([world.swept(), world.counted]).toEqual([[], ['LeadGivenUp']]);
  });

  it('stay recorded as given up, so that people see it, until another sweep or the end of the opt-in', async () => {
    const world = await aSundayOutage();
    await world.quarters(52);
    const record = { at: ist(SUNDAY, '09:00'), given_up_at: ist(SUNDAY, '21:00') };
    expect(world.row().missed_sweep).toEqual(record);
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.sweep();
    expect(world.row().missed_sweep).toBeUndefined();
    world.change({ missed_sweep: record, settings: {} });
    await world.quarters(1);
    expect([world.row().missed_sweep, world.counted]).toEqual([undefined, ['LeadGivenUp']]);
  });

  it('are given up even if CRM-B answers no request at all', async () => {
    const world = await aSundayOutage();
    world.answers.set('list', DOWN);
    await world.quarters(47);
    expect(world.counted).toEqual([]);
    await world.quarters(2);
    expect(world.counted).toEqual(['LeadGivenUp']);
  });

  it.each([
    ['refused', 'OAUTH_SCOPE_MISMATCH'],
    ['unknown', 'a list that cannot be read'],
    ['unavailable', 'status 503'],
  ])('are queued even if the list of the channels stays %s (%s)', async (kind, reason) => {
    const world = await aSundayOutage();
    world.answers.set('list', { kind, reason });
    await world.quarters(1);
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.quarters(4);
    expect(world.swept().map(({ lead }) => lead.lead_id)).toEqual(['7']);
    // One query each at 09:00, 09:15 and 09:30, and none after the sweep.
    expect([world.queries.length, world.row().missed_sweep, world.counted]).toEqual([3, undefined, []]);
  });

  it('are not queried if the list fails and the breaker of the connection is open', async () => {
    const world = await aSundayOutage();
    world.answers.set('list', DOWN);
    const crm_breaker = { failures: 9, lead_id: 'ab12', opened_at: world.now, not_before: ist(SUNDAY, '09:20') };
    world.change({ crm_breaker });
    await world.quarters(1);
    expect(world.queries).toEqual([ist(SUNDAY, '09:00')]);
    await world.quarters(1);
    expect(world.queries).toEqual([ist(SUNDAY, '09:00'), ist(SUNDAY, '09:30')]);
  });

  it.each(['list', 'leadsChanged'])('are queued even if the visit fails before (%s)', async (request) => {
    const world = await aSundayOutage();
    world.loseChannels();
    world.answers.set(request, new Error('the key is not available'));
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    world.pass(QUARTER);
    expect(await world.check()).toMatchObject({ failed: 1, caught_up: 1 });
    expect(world.warnings()).toContain('work on a connection failed: the key is not available');
    await world.quarters(4);
    expect([world.swept().length, world.row().missed_sweep]).toEqual([1, undefined]);
  });

  it('are given up in time even if each visit fails', async () => {
    const world = await aSundayOutage();
    world.answers.set('list', new Error('the key is not available'));
    await world.quarters(47);
    expect(world.counted).toEqual([]);
    await world.quarters(2);
    expect(world.counted).toEqual(['LeadGivenUp']);
  });

  it('wait for a new consent if the grant turns out to be gone at the query', async () => {
    const world = await aSundayOutage();
    world.crmSays(() => ({ kind: 'refused', reason: 'invalid_code', needsConsent: true }));
    world.pass(QUARTER);
    expect(await world.check()).toMatchObject({ needs_reconnect: 1, failed: 0 });
    expect(world.warnings()).toContain('a connection needs a new consent: invalid_code');
    expect([world.row().missed_sweep?.at, world.counted]).toEqual([ist(SUNDAY, '09:00'), []]);
    world.change({ reconnect_needed: { at: world.now, reason: 'invalid_code' } });
    await world.quarters(4);
    world.change({ grant: aGrant({ id: 'grant-2', granted_at: world.now }) }, 'reconnect_needed');
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.quarters(1);
    expect([world.swept().length, world.row().missed_sweep]).toEqual([1, undefined]);
  });

  it('are not queried, but given up in time, if the list shows that the grant is gone', async () => {
    const world = await aSundayOutage();
    world.answers.set('list', { kind: 'reconnect_needed', reason: 'invalid_code' });
    await world.quarters(49);
    expect([world.queries.length, world.counted]).toEqual([1, ['LeadGivenUp']]);
  });

  it('are not queued if the connection opts out meanwhile', async () => {
    const world = await aSundayOutage();
    world.change({ settings: {} });
    world.crmSays(() => ({ kind: 'found', ids: ['7'] }));
    await world.quarters(2);
    expect([world.swept(), world.row().missed_sweep, world.counted]).toEqual([[], undefined, []]);
  });

  it('are not reported as given up if the connection opts out while CRM-B is down', async () => {
    const world = await aSundayOutage();
    world.answers.set('list', DOWN);
    await world.quarters(46);
    world.change({ auto_call: false });
    await world.quarters(3);
    const givenUp = world.warnings().filter((warning) => warning.includes('given up'));
    expect([world.row().missed_sweep, world.counted, givenUp]).toEqual([undefined, [], []]);
  });

  it('are not queued later if CRM-B refuses the query', async () => {
    const world = await aSundayOutage();
    world.crmSays(() => ({ kind: 'refused', reason: 'INVALID_QUERY' }));
    await world.quarters(2);
    expect([world.row().missed_sweep, world.warnings().at(-1)]).toEqual([
      undefined,
      expect.stringContaining('INVALID_QUERY'),
    ]);
  });
});
