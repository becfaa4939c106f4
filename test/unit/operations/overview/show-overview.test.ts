import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { ActivityEntry, Outcome } from '../../../../shared/domain/connections/activity.ts';
import { toCredits } from '../../../../shared/domain/organizations/credit.ts';
import { countUnderWay } from '../../../../shared/operations/calls/under-way.ts';
import { showOverview } from '../../../../shared/operations/overview/show-overview.ts';
import { callSearch } from '../../../../shared/stores/calls/call-search.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { type Contents, clientOf } from '../../support/worlds/database.ts';
import { aConnection, aGrant, anAssistant, anOrg, ist, MONDAY, ORG } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const NOON = ist(MONDAY, '12:00');

function overviewWorld(contents: Contents = {}) {
  const world = aWorld({ organizations: [anOrg()], ...contents });
  world.now = NOON;
  const calls = { ...world.common.calls, ...callSearch(clientOf(world.send), 'calls') };
  const deps = { ...world.common, calls, log: world.common.warn };
  const end = (day: string, counts: Record<string, number>) =>
    world.common.transact({ usage: world.stores.usage.counting(aCall(), day, counts) });
  return Object.assign(world, {
    end,
    show: (days = 7) => showOverview(deps, ORG, days),
    tabs: () => countUnderWay(deps, ORG),
  });
}

const anEntry = (event_id: string, outcome: Outcome, over: Partial<ActivityEntry> = {}): ActivityEntry => ({
  connection_id: 'conn_1',
  event_id,
  org_id: ORG,
  at: ist(MONDAY, '10:00'),
  source: 'webhook',
  event: 'new_lead',
  test: false,
  lead_id: event_id.split('.')[0] as string,
  outcome,
  reason: 'r',
  payload_keys: [],
  expires_at: 4_000_000_000,
  ...over,
});

/** A connected CRM-B whose channel works. */
const working = aConnection({
  grant: aGrant(),
  assistant_id: 'asst_1',
  trigger_owner_user_id: 'owner-1',
  channel: { id: '1', armed_at: NOON, expires_at: ist(MONDAY, '23:00') },
});

describe('the overview', () => {
  it('has every day of the range, and the days that the credit lasts at the present pace', async () => {
    const world = overviewWorld({ organizations: [anOrg({ available: 42_000, warn_below: 50_000 })] });
    await world.end('2026-02-27', { completed: 2, seconds: 90, units: 6_000, analyzed_success: 1 });
    await world.end('2026-03-01', { busy: 1 });
    await world.end(MONDAY, { completed: 1, units: 40_000 });
    const { usage, pace, attention, unread } = await world.show(7);
    expect(usage?.map(({ day }) => day)).toEqual([
      '2026-02-24',
      '2026-02-25',
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      MONDAY,
    ]);
    expect(usage?.[3]).toMatchObject({ completed: 2, seconds: 90, units: 6_000, analyzed_success: 1, busy: 0 });
    // 6 credits on the three days from the first call until yesterday.
    expect(pace).toBe(2_000);
    expect(attention).toEqual([{ kind: 'low_credit', available: 42, warn_below: 50 }]);
    expect(unread).toEqual([]);
    expect((await world.show(90)).usage).toHaveLength(90);
  });

  it('shows the rest of a limited day, and warns once a usual call no longer fits', async () => {
    const rate = anOrg().rate;
    const limited = overviewWorld({ organizations: [anOrg({ daily_limit: 20 * rate })] });
    const spend = (minutes: number) =>
      limited.common.transact({ spend: limited.stores.usage.committing(ORG, MONDAY, minutes * rate) });
    await spend(10);
    expect(await limited.show()).toMatchObject({ spentToday: 10 * rate, attention: [] });
    await spend(1);
    const [warning] = (await limited.show()).attention;
    expect(warning).toEqual({ kind: 'daily_limit', limit: toCredits(20 * rate), spent: toCredits(11 * rate) });
    expect((await overviewWorld().show()).spentToday).toBeUndefined();
  });

  it('counts live, waiting and scheduled calls like the tabs of the calls, and names a call that waits too long', async () => {
    const waiting = (call_id: string, at: string, over: Partial<Call> = {}) =>
      aCall({ call_id, created_at: at, dial_after: at, ...over });
    const world = overviewWorld();
    world.putCall(aReservedCall({ call_id: 'call_reserved' }));
    world.putCall(aClaimedCall({ call_id: 'call_talks', status: 'in_progress' }));
    world.putCall(waiting('call_new', ist(MONDAY, '11:55')));
    const turn = (of: string, at: string) => ({ waiting_org: ORG, waiting_turn: `${of}#${at}` });
    const put = (call: Call, more: object) => world.put('calls', { ...call, ...more });
    put(waiting('call_new', ist(MONDAY, '11:55')), turn('1-rest', ist(MONDAY, '11:55')));
    put(waiting('call_old', ist(MONDAY, '11:45')), turn('2-lead', ist(MONDAY, '11:45')));
    world.putCall(
      waiting('call_later', ist(MONDAY, '09:00'), {
        status: 'scheduled',
        unfinished: 'scheduled',
      }),
    );
    world.putCall(waiting('call_other', NOON, { org_id: 'org_other', status: 'scheduled', unfinished: 'scheduled' }));
    const { now, attention } = await world.show();
    const count = (number: number) => ({ count: number, is_cut: false });
    expect(now).toEqual({ live: count(4), waiting: count(2), scheduled: count(1) });
    expect(now).toEqual(await world.tabs());
    expect(attention).toEqual([{ kind: 'waiting_call', call_id: 'call_old' }]);
  });

  it('shows the outcomes of today’s leads, and the leads stopped since yesterday began in India', async () => {
    const activity = [
      anEntry('evt_1', 'call queued'),
      anEntry('evt_2', 'owner_mismatch'),
      anEntry('evt_9', 'insufficient_credits', { at: ist('2026-03-01', '00:00') }),
      anEntry('evt_8', 'insufficient_credits', { at: ist('2026-02-28', '23:59') }),
    ];
    const world = overviewWorld({ connections: [working], activity });
    const what = { connection_id: 'conn_1', type: 'crm-b', outcome: 'insufficient_credits' };
    const stopped = { kind: 'leads_not_called', ...what, leads: 1, since: '2026-03-01' };
    expect(await world.show()).toMatchObject({
      leads: { leads: 2, called: 1, waiting: 0, not_called: 1, outcomes: { owner_mismatch: 1 }, isAll: true },
      attention: [stopped],
    });
    // The database of the tests has pages of three entries.
    for (const id of ['evt_3', 'evt_4']) world.put('activity', anEntry(id, 'call queued'));
    expect((await world.show()).leads).toMatchObject({ leads: 3, isAll: false });
  });

  it('lists the tasks for a person: connections, settings, callbacks', async () => {
    const world = overviewWorld({
      connections: [
        {
          ...working,
          reconnect_needed: { at: NOON, reason: 'consent was revoked' },
          settings: { call_window_start: '09:00' },
        },
        aConnection({ connection_id: 'conn_2', type: 'crm-a', token_hash: 'h', last_delivery_at: NOON }),
        aConnection({ connection_id: 'conn_3', type: 'help-desk' }),
      ],
    });
    for (const index of [1, 2])
      world.putCall(
        aCall({ call_id: `call_${index}`, status: 'completed', callback_status: 'failed', unfinished: 'ended' }),
      );
    const crmB = { connection_id: 'conn_1', type: 'crm-b' };
    expect((await world.show()).attention).toEqual([
      { kind: 'broken_connection', ...crmB, status: 'needs_reconnect', reason: 'consent was revoked' },
      { kind: 'incomplete_connection', connection_id: 'conn_2', type: 'crm-a', lacks: 'assistant' },
      { kind: 'setting_without_effect', ...crmB, sentence: expect.stringMatching(/^Leads are called at any hour/) },
      { kind: 'failed_callbacks', calls: 2 },
    ]);
  });

  it('marks the first steps as done once their results exist, and shows no steps after some calls', async () => {
    const world = overviewWorld();
    expect(await world.show()).toMatchObject({
      steps: { assistant: false, tried: false, source: false, call: false, callback: false },
    });
    world.put('assistants', anAssistant());
    world.put('connections', working);
    const ended = { status: 'completed', unfinished: 'ended' } as const;
    world.putCall(aCall({ ...ended, lead: aCalledLead() }));
    // A callback without a successful attempt was not received.
    const told = { ...ended, call_id: 'call_told', callback_url: 'https://client.example/hook' };
    world.putCall(aCall({ ...told, callback_status: 'failed' }));
    expect(await world.show()).toMatchObject({
      steps: { assistant: true, tried: true, source: true, call: true, callback: false },
    });
    world.putCall(aCall({ ...told, callback_status: 'delivered' }));
    expect((await world.show()).steps).toMatchObject({ callback: true });
    for (let index = 0; index < 20; index += 1) world.putCall(aCall({ call_id: `call_${index}` }));
    expect((await world.show()).steps).toBeUndefined();
  });

  it('shows the other parts if one cannot be read, and names that part', async () => {
    const places = {
      usage: ['usage', 'usage'],
      connections: ['connections', 'connections'],
      organizations: ['credit', 'org'],
      unfinished: ['now', 'now'],
    } as const;
    for (const [place, [part, member]] of Object.entries(places)) {
      const world = overviewWorld({ connections: [working] });
      world.hooks.before = (_operation, input) => {
        const { TableName, IndexName } = input as { TableName?: string; IndexName?: string };
        if (TableName === place || IndexName === place) throw new Error('throttled');
      };
      const overview = await world.show();
      expect([place, overview.unread, overview[member]]).toEqual([place, [part], undefined]);
      const all = ['usage', 'org', 'connections', 'now'] as const;
      for (const other of all.filter((one) => one !== member)) expect(overview[other]).toBeDefined();
    }
  });
});
