import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { ChannelReport } from '../../../shared/operations/connections/check-watch-channels.ts';
import type { StoredEntry } from '../../../shared/stores/connections/activity.ts';
import { aCrmBConnection, CRM_B_OWNER, connectsOften } from '../../support/connections/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../../support/leads/leads.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, eventually, inTime, now, runSchedule, voice, workersAreIdle } from '../../support/stack/stack.ts';

beforeAll(async () => {
  await crmB.reset();
  await crmB.settings({ ...connectsOften, futureToleranceSeconds: 3_600 });
});
afterAll(async () => {
  await crmB.reset();
});

describe('a call that ends at 23:58 IST and is written into CRM-B at 00:03', () => {
  it('starts no second call if the CRM counts our writes as changes, but a person’s edit starts one', async () => {
    await crmB.settings({ relatedMovesModifiedTime: true });
    await passTimeUntilIst('23:57');
    const connected = await aCrmBConnection();
    const phone = aPhoneNumber();
    for (const route of ['POST /crm/v8/Calls', 'POST /crm/v8/Leads/{id}/Notes'])
      await crmB.fault({ route, kind: 'too-many-requests', times: null });
    await passTimeUntilIst('23:58');
    const leadId = await crmB.createLead({ Last_Name: 'Iyer', Mobile: phone }, { owner: CRM_B_OWNER });
    const [first] = await activityOf(connected, 1);
    expect(first).toMatchObject({ outcome: 'call queued' });
    const callId = first?.call_id ?? '';
    const call = () => stores.calls.get(callId);
    const ended = await eventually(call, (found) => found?.crm_b_sync_error !== undefined);
    expect(ended).toMatchObject({ status: 'completed', crm_b_sync: 'pending' });
    const dayBefore = istDay(now());

    await passTimeUntilIst('00:03');
    expect(istDay(now())).not.toBe(dayBefore);
    await crmB.clearFaults();
    await inTime(call, (found) => found?.crm_b_sync === 'done', { seconds: 60, most: 20 });
    const [callLog, note, ...others] = [...(await crmB.calls(leadId)), ...(await crmB.notes(leadId))];
    expect(others).toEqual([]);
    for (const written of [callLog, note]) {
      expect(istDay(new Date(written?.createdAt ?? 0))).not.toBe(dayBefore);
      expect(written?.trigger).toEqual([]);
    }
    // The CRM notifies of the new lead, but not of our writes.
    await crmB.untilIdle();
    await workersAreIdle();
    const notifications = async () => (await crmB.notifications()).filter(({ ids }) => ids.includes(leadId));
    expect((await notifications()).map(({ operation }) => operation)).toEqual(['insert']);
    expect(await stores.activity.list(connected.connectionId)).toHaveLength(1);

    // The lead changed without a notification: the check considers the channel silent and catches up.
    await passTimeUntilIst('00:40');
    const check = () => runSchedule<ChannelReport>('check-watch-channels');
    expect((await check()).silent).toBe(1);
    // On a busy machine a run may not reach the lead, or may not report it: the next run catches up.
    const again = async () => {
      const found = await stores.activity.list(connected.connectionId);
      if (found.length < 2) await check();
      return found;
    };
    await inTime(again, ({ length }) => length >= 2, { seconds: 15 * 60, most: 4 });
    const entries = await activityOf(connected, 2);
    expect(outcomesOf(entries)).toEqual({ webhook: ['call queued'], 'catch-up': ['already_called'] });
    expect((await voice.calls(phone)).length).toBe(1);

    // A person's edit on a new day, with a notification, must lead to a call.
    await crmB.editLead(leadId, { City: 'Pune' });
    const after = await activityOf(connected, 3);
    expect(outcomesOf(after)).toEqual({ webhook: ['call queued', 'call queued'], 'catch-up': ['already_called'] });
    expect(new Set(after.flatMap(({ outcome, call_id }) => (outcome === 'call queued' ? [call_id] : []))).size).toBe(2);
    expect((await notifications()).map(({ operation }) => operation)).toEqual(['insert', 'update']);
  });
});

const outcomesOf = (entries: readonly StoredEntry[]): Record<string, string[]> => {
  const bySource = Object.groupBy(entries, ({ source }) => source);
  return Object.fromEntries(
    Object.entries(bySource).map(([source, some = []]) => [source, some.map(({ outcome }) => outcome)]),
  );
};
