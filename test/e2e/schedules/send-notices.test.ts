import { showOrganization, updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import type { NoticeReport } from '../../../shared/operations/notices/send-notices.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg } from '../../support/organizations/orgs.ts';
import { mailsTo } from '../../support/stack/mails.ts';
import { runSchedule } from '../../support/stack/stack.ts';

const run = () => runSchedule<NoticeReport>('send-notices');

describe('send-notices', () => {
  it('e-mails the chosen roles once, with its own rights', async () => {
    const org = await anOrg({ credits: 42 });
    const [owner, viewer] = [await aMember(org, 'owner'), await aMember(org, 'viewer')];
    const asOwner = await acting(owner);
    const { revision, mail_from } = showOrganization.answer.parse((await asOwner(showOrganization)).body);
    expect(mail_from).toMatch(/^notices@/);
    const body = { revision, warn_below: 100, notices: { low_credit: ['viewer', 'owner'] } };
    expect(await asOwner(updateOrganization, { body })).toMatchObject({
      status: 200,
      body: { notices: { low_credit: ['viewer', 'owner'], broken_connection: ['admin', 'owner'] } },
    });
    expect(await run()).toMatchObject({ mail: 'on', failed: 0, refused: 0, complete: true });
    const [mail, ...others] = await mailsTo(owner.email);
    expect([mail?.Source, others]).toEqual([mail_from, []]);
    expect(mail?.Subject).toBe('Low credit: 42 credits left (Test org)');
    await run();
    expect(await mailsTo(viewer.email)).toHaveLength(1);
    expect(await mailsTo(owner.email)).toHaveLength(1);
  });
});
