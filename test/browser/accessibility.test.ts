import { activityExpiry } from '../../shared/domain/connections/activity.ts';
import { aMember } from '../support/dashboard.ts';
import { aHelpDeskConnection } from '../support/help-desk.ts';
import { aConnection } from '../support/leads.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { now } from '../support/stack.ts';
import { findingsOn, withAxe } from './support/axe.ts';
import { aVisitor, describeInBrowser, heading, signIn } from './support/browser.ts';
import { aHeardCall } from './support/heard-call.ts';

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
  ['/developers/callbacks', 'Callbacks'],
  ['/settings/organization', 'Organization'],
  ['/settings/notifications', 'Notifications'],
  ['/credit', 'Credit'],
  ['/connections', 'Connections'],
  ['/do-not-call', 'Do not call'],
  ['/no-such-page', /not|no page/i],
];

/** A lead that came in from CRM-A and belongs to another owner. */
async function aSkippedLead(org: TestOrg): Promise<void> {
  const { connection } = await aConnection({}, org);
  const at = now().toISOString();
  await stores.activity.record({
    connection_id: connection.connection_id,
    event_id: 'evt_1',
    org_id: org.orgId,
    at,
    source: 'webhook',
    event: 'new_lead',
    test: true,
    lead_id: 'lead-1',
    phone_masked: '+91*******210',
    owner_id: 'R. Das',
    outcome: 'owner_mismatch',
    reason: 'The lead belongs to another owner.',
    payload_keys: ['ProspectID', 'Phone'],
    expires_at: activityExpiry(at),
  });
}

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
    const { call_id } = await aHeardCall(org, 'https://client.example/hook');
    await page.goto('/calls');
    await page.getByRole('cell', { name: 'Completed' }).waitFor();
    await look('/calls with a call');
    await page.goto(`/calls/${call_id}`);
    await page.getByRole('button', { name: /^Play from .*Yes/ }).waitFor();
    await look('/calls/ID');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Never call this number' }).click();
    await page.getByRole('dialog').waitFor();
    await look('the dialog of a call');
    await page.goto(`/assistants/${org.assistantId}`);
    for (const name of ['Script', 'Voice & limits', 'Knowledge', 'Analysis']) {
      await page.getByRole('tab', { name }).click();
      await look(`/assistants/ID, ${name}`);
    }
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').waitFor();
    await look('the deletion of an assistant');
    const helpDesk = await aHelpDeskConnection(org, {
      priority_mapping: { field: 'lead_intent', values: { a: 'High' } },
    });
    await page.goto(`/connections/${helpDesk.connection_id}`);
    await page.getByLabel('Preview of a ticket').waitFor();
    await look('/connections/ID');
    await aSkippedLead(org);
    await page.goto('/leads?ask=lead-1');
    await page.getByText('If it came in now: the same.').waitFor();
    await page.getByRole('cell', { name: /^Other owner/ }).waitFor();
    await look('/leads with an answer');
    await page.goto('/settings/members');
    await page.getByRole('button', { name: 'Invite a person' }).first().click();
    await page.getByRole('dialog').waitFor();
    await look('the invitation');
    expect(found).toEqual([]);
  });
});
