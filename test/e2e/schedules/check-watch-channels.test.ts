import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import type { ChannelReport } from '../../../shared/operations/connections/check-watch-channels.ts';
import { aCrmBConnection, CRM_B_OWNER, type CrmBConnection, connectsOften } from '../../support/connections/crm-b.ts';
import { channelsOf, connectionNow, expectOneChannel } from '../../support/connections/watch-channels.ts';
import { activityOf, passTimeUntilIst } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, eventually, now, passTime, runSchedule, workersAreIdle } from '../../support/stack/stack.ts';

const MINUTE = 60;
const DAY = 86_400;
const check = () => runSchedule<ChannelReport>('check-watch-channels');

const healthOf = async (connected: CrmBConnection) => connectionHealth(await connectionNow(connected)).status;

/** A new lead at the CRM that qualifies for the connection. */
const aLead = () =>
  crmB.createLead({ Last_Name: 'Rao', First_Name: 'Asha', Mobile: aPhoneNumber() }, { owner: CRM_B_OWNER });

const delivered = (connected: CrmBConnection, after: string) =>
  eventually(
    () => connectionNow(connected),
    ({ last_delivery_at }) => (last_delivery_at ?? '') > after,
  );

/** Waits for this many entries. @returns all entries, and the lead ids of all calls, sorted */
async function activityAndCalls(connected: CrmBConnection, entries: number) {
  const activity = await activityOf({ connection: connected.connection }, entries);
  await workersAreIdle();
  const calls = await stores.calls.listOfOrg(connected.orgId, { limit: 100 });
  const later = await stores.activity.list(connected.connectionId);
  expect(later.length).toBe(activity.length);
  return { activity: later, calls: calls.map(({ lead }) => lead?.lead_id).sort() };
}

beforeAll(async () => {
  // Far from midnight IST, so that no test crosses a day by chance.
  await passTimeUntilIst('10:00');
});
beforeEach(async () => {
  await workersAreIdle();
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('check-watch-channels', () => {
  it('finds the channel of a new connection active, and its connection healthy', async () => {
    const connected = await aCrmBConnection();
    const { channel } = await expectOneChannel(connected);
    expect(await check()).toMatchObject({ complete: true, failed: 0 });
    const { connection } = await expectOneChannel(connected);
    expect(connection.channel).toEqual(channel);
    expect(connection.channel_check).toMatchObject({ status: 'active' });
    expect(await healthOf(connected)).toBe('healthy');
  });

  it('rearms an expired channel and catches up on the missed leads once, however often it runs', async () => {
    const connected = await aCrmBConnection({}, await anOrg({ limits: { max_live_calls: 0 } }));
    const { channel, token } = await expectOneChannel(connected);
    await passTime(6 * DAY + MINUTE);
    expect(await channelsOf(connected)).toEqual([]);
    const leads = [await aLead(), await aLead()];
    await passTime(MINUTE);
    await check();
    const renewed = await expectOneChannel(connected);
    expect(renewed.channel.id).not.toBe(channel.id);
    expect(renewed.token).not.toBe(token);
    await check();

    const { activity, calls } = await activityAndCalls(connected, 2);
    expect(calls).toEqual([...leads].sort());
    expect(activity).toHaveLength(2);
    for (const entry of activity)
      expect(entry).toMatchObject({ source: 'catch-up', event: 'new_lead', outcome: 'call queued' });
    expect((await connectionNow(connected)).catch_up_from).toBeUndefined();
  });

  it('detects an active channel that delivers nothing, rearms it and calls the leads of the gap', async () => {
    const connected = await aCrmBConnection({}, await anOrg({ limits: { max_live_calls: 0 } }));
    const { channel } = await expectOneChannel(connected);
    const heard = await aLead();
    await delivered(connected, '');
    await passTime(2 * MINUTE);

    await crmB.silence(channel.id);
    const missed = await aLead();
    await crmB.editLead(heard, { Company: 'Edited' });
    await check();
    expect(await expectOneChannel(connected)).toMatchObject({ channel: { id: channel.id } });

    await passTime(16 * MINUTE);
    expect(await healthOf(connected)).toBe('healthy');
    await check();
    const { channel: next } = await expectOneChannel(connected);
    expect(next.id).not.toBe(channel.id);
    expect(await healthOf(connected)).toBe('silent');
    await check();

    const { activity, calls } = await activityAndCalls(connected, 3);
    expect(calls).toEqual([heard, missed].sort());
    const outcomes = activity.map(({ source, lead_id, outcome }) => [source, lead_id, outcome]);
    expect(outcomes.sort()).toEqual(
      [
        ['webhook', heard, 'call queued'],
        ['catch-up', missed, 'call queued'],
        ['catch-up', heard, 'already_called'],
      ].sort(),
    );

    const before = now().toISOString();
    await aLead();
    await delivered(connected, before);
    await eventually(
      () => healthOf(connected),
      (status) => status === 'healthy',
    );
  });
});
