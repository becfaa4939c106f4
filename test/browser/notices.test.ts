import { done } from '../support/admin/cli.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber, postCall } from '../support/rest/rest.ts';
import { mailsTo } from '../support/stack/mails.ts';
import { passTime, runSchedule } from '../support/stack/stack.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const MINUTE = 60;

describeInBrowser('when credit runs out', () => {
  it('a person sees low credit in the dashboard and by e-mail, follows the link, and gets the all-clear', async () => {
    const org = await anOrg({ credits: 0.5 });
    const member = await aMember(org, 'owner');
    const { page } = await aVisitor([noSession]);
    await page.goto('/settings/notifications');
    await signIn(page, member);
    await heading(page, 'Notifications').waitFor();
    await press(page.getByLabel('A broken connection: e-mail to every admin'), 'Space');
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText('The settings are saved.').first().waitFor();
    expect(await page.getByLabel('A broken connection: e-mail to every admin').isChecked()).toBe(false);

    const refused = await postCall(org, { assistant_id: org.assistantId, phone_number: aPhoneNumber() });
    expect(refused.body).toMatchObject({ error: 'insufficient_credits' });
    await page.getByRole('button', { name: '1 thing needs you' }).waitFor();
    await runSchedule('send-notices');
    const [mail] = await mailsTo(member.email);
    const [link = ''] = /http\S+\/credit/.exec(mail?.BodyText ?? '') ?? [];
    await page.goto(link);
    await heading(page, 'Credit').waitFor();

    await done('org', 'credit', '--org', org.orgId, '--amount', '500');
    await page.reload();
    await page.getByRole('button', { name: 'Nothing needs you' }).waitFor();
    // The session would end in half an hour.
    await page.close();
    await runSchedule('send-notices');
    await passTime(31 * MINUTE);
    await runSchedule('send-notices');
    const subjects = (await mailsTo(member.email)).map(({ Subject }) => Subject);
    expect(subjects.slice(1)).toEqual([expect.stringMatching(/^Enough credit again: 500.5 credits/)]);
  });
});
