import { done } from '../../support/admin/cli.ts';
import { aCrmBConnection, CRM_B_OWNER, connectsOften } from '../../support/connections/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, now, workersAreIdle } from '../../support/stack/stack.ts';

const settings = {
  sunday_rnr_retry: 'true',
  disposition_crm_field: 'Call_Disposition',
  disposition_value: "Didn't answer",
};
const COQL = 'POST /crm/v8/coql';
const DAY_MS = 24 * 3_600_000;

// Far from midnight IST: the sweep of another day has different events.
beforeAll(() => passTimeUntilIst('10:00'));
beforeEach(async () => {
  await workersAreIdle();
  await crmB.reset();
  await crmB.settings(connectsOften);
});

/** Leads that send no notifications. */
const quietLeads = (count: number, fields: object = {}, owner = CRM_B_OWNER) =>
  crmB.putLeads(
    Array.from({ length: count }, () => ({
      fields: { Last_Name: 'Rao', Mobile: aPhoneNumber(), Call_Disposition: "Didn't answer", ...fields },
      owner,
      quiet: true,
    })),
  );

const sweep = (asOf = now()) => done('schedule', 'run', 'sunday-sweep', '--as-of', asOf.toISOString());

describe('sunday-sweep', () => {
  it('calls the owner’s leads of the disposition again, and only once, however often it runs', async () => {
    // Their calls are never dialed.
    const connected = await aCrmBConnection({ settings }, await anOrg({ limits: { max_live_calls: 0 } }));
    const ids = await quietLeads(3);
    await quietLeads(1, { Call_Disposition: 'Interested' });
    await quietLeads(1, {}, '554000000000102');

    expect(await sweep()).toMatchObject({ failed: 0, complete: true });
    const entries = await activityOf(connected, 3, 45);
    expect(entries).toMatchObject(
      Array(3).fill({ source: 'sunday-sweep', event: 'sunday_retry', outcome: 'call queued', test: false }),
    );
    expect(entries.map(({ lead_id }) => lead_id).sort()).toEqual(ids);

    await sweep();
    await workersAreIdle();
    expect(await stores.activity.list(connected.connectionId)).toHaveLength(3);

    // A sweep of another day within 20 hours has different events and causes no second retry.
    await sweep(new Date(now().getTime() + DAY_MS));
    const all = await activityOf(connected, 6, 45);
    expect(all.filter(({ outcome }) => outcome === 'retried_recently')).toHaveLength(3);
  });

  it('sweeps the others if one CRM cannot be reached, and the next check of the channels queues its leads', async () => {
    const busy = await aCrmBConnection({ settings: { ...settings, disposition_value: 'Busy' } });
    const right = await aCrmBConnection({ settings });
    await quietLeads(1);
    await quietLeads(1, { Call_Disposition: 'Busy' });
    await crmB.fault({ route: COQL, kind: 'too-many-requests', containing: 'Busy' });
    const reasons = { [busy.connectionId]: 'too many requests' };
    expect(await sweep()).toMatchObject({ failed: 0, complete: true, reasons });
    expect(await activityOf(right, 1, 45)).toMatchObject([{ outcome: 'call queued' }]);
    const health = async () => (await done('connection', 'show', '--connection', busy.connectionId)).health;
    expect(await health()).toMatchObject({ missed_sweep: { at: expect.any(String), given_up_at: null } });
    await done('schedule', 'run', 'check-watch-channels');
    expect(await activityOf(busy, 1, 45)).toMatchObject([{ source: 'sunday-sweep', outcome: 'call queued' }]);
    expect(await health()).not.toHaveProperty('missed_sweep');
  });
});
