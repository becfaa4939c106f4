import type { RenewalReport } from '../../../shared/operations/connections/renew-watch-channels.ts';
import { aCrmBConnection, connectsOften } from '../../support/connections/crm-b.ts';
import { channelsOf, expectOneChannel } from '../../support/connections/watch-channels.ts';
import { crmB, now, passTime, runSchedule } from '../../support/stack/stack.ts';

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
});
