import { aMember } from '../support/dashboard.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { anOrg } from '../support/orgs.ts';
import { findingsOn, withAxe } from './support/axe.ts';
import { aVisitor, describeInBrowser, heading, signIn } from './support/browser.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const themes = ['light', 'dark'] as const;
const pages: [path: string, title: string | RegExp][] = [
  ['/', /^Good /],
  ['/calls', 'Calls'],
  ['/assistants', 'Assistants'],
  ['/leads', 'Leads'],
  ['/settings/members', 'Members'],
  ['/settings/audit', 'Audit log'],
  ['/account', 'Account'],
  ['/developers/keys', 'API keys'],
  ['/credit', 'Credit'],
  ['/do-not-call', 'Do not call'],
  ['/no-such-page', /not|no page/i],
];

describeInBrowser('every page', () => {
  it.each(themes)('meets WCAG 2.2 AA in the %s theme, at full and at phone width', async (colorScheme) => {
    const org = await anOrg();
    const person = await aMember(org, 'owner');
    const { page, context } = await aVisitor([noSession]);
    await withAxe(context);
    await page.emulateMedia({ colorScheme });
    const found: string[] = [];
    const look = async (what: string) => {
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        found.push(...(await findingsOn(page)).map((one) => `${what} ${width} px: ${one}`));
      }
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await page.goto('/sign-in/reset');
    await page.getByLabel('E-mail address').waitFor();
    await look('/sign-in/reset');
    await page.goto('/sign-in');
    await page.getByLabel('E-mail address').waitFor();
    await look('/sign-in');
    await signIn(page, person);
    for (const [path, title] of pages) {
      await page.goto(path);
      await heading(page, title).waitFor();
      await look(path);
    }
    const { call_id } = await aFinishedCall(org, 'Asha: Namaste.\nMeera: Yes?', { callback_status: 'failed' });
    await page.goto('/calls');
    await page.getByRole('cell', { name: 'Completed' }).waitFor();
    await look('/calls with a call');
    await page.goto(`/calls/${call_id}`);
    await page.getByText('Namaste.').waitFor();
    await look('/calls/ID');
    await page.goto(`/assistants/${org.assistantId}`);
    for (const name of ['Script', 'Voice & limits', 'Knowledge', 'Analysis']) {
      await page.getByRole('tab', { name }).click();
      await look(`/assistants/ID, ${name}`);
    }
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').waitFor();
    await look('the deletion of an assistant');
    await page.goto('/settings/members');
    await page.getByRole('button', { name: 'Invite a person' }).first().click();
    await page.getByRole('dialog').waitFor();
    await look('the invitation');
    expect(found).toEqual([]);
  });
});
