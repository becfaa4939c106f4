import type { RenewalReport } from '../../shared/operations/connections/renew-watch-channels.ts';
import { aCrmBConnection, connectsOften } from '../support/crm-b.ts';
import { crmB, now, passTime, runSchedule } from '../support/stack.ts';
import { channelsOf, connectionNow, expectOneChannel } from '../support/watch-channels.ts';

const DAY = 86_400;
const renew = () => runSchedule<RenewalReport>('renew-watch-channels');
const daysLeft = (at: string) => (Date.parse(at) - now().getTime()) / 1000 / DAY;

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('renew-watch-channels', () => {
  it('ignores a young channel, and extends an old one by six days with the same token', async () => {
    const connected = await aCrmBConnection();
    const first = await expectOneChannel(connected);
    expect(daysLeft(first.channel.expires_at)).toBeCloseTo(6, 1);
    await renew();
    expect(await expectOneChannel(connected)).toMatchObject({ channel: first.channel, token: first.token });

    await passTime(3 * DAY + 3600);
    expect(await renew()).toMatchObject({ complete: true, failed: 0 });
    const renewed = await expectOneChannel(connected);
    expect(renewed).toMatchObject({
      token: first.token,
      channel: { id: first.channel.id, armed_at: first.channel.armed_at },
    });
    expect(daysLeft(renewed.channel.expires_at)).toBeCloseTo(6, 1);
    const [atCrm] = await channelsOf(connected);
    expect(atCrm).toMatchObject({ events: ['create', 'edit'], relatedActions: false });
  });

  it('rearms a channel that the CRM has lost', async () => {
    const connected = await aCrmBConnection();
    const { channel } = await expectOneChannel(connected);
    await passTime(4 * DAY);
    await crmB.loseChannel(channel.id);
    await renew();
    expect((await expectOneChannel(connected)).channel.id).not.toBe(channel.id);
  });

  it('renews the others when one is refused, and retries that one', async () => {
    const [one, other] = [await aCrmBConnection(), await aCrmBConnection()];
    await passTime(3 * DAY + 3600);
    const before = (await connectionNow(one)).channel;
    await crmB.fault({
      route: 'PATCH /crm/v8/actions/watch',
      kind: 'item-error',
      error: 'INTERNAL_ERROR',
      status: 202,
      containing: one.connectionId,
    });
    expect((await renew()).refused).toBeGreaterThan(0);
    expect((await connectionNow(one)).channel).toEqual(before);
    expect(daysLeft((await expectOneChannel(other)).channel.expires_at)).toBeCloseTo(6, 1);
    await renew();
    expect(daysLeft((await expectOneChannel(one)).channel.expires_at)).toBeCloseTo(6, 1);
  });
});
