import { activityExpiry } from '../../shared/domain/connections/activity.ts';
import { istDay } from '../../shared/domain/time/ist-day.ts';
import { anAcceptedCall } from '../support/accepted-call.ts';
import { aMember } from '../support/dashboard.ts';
import { aHelpDeskConnection } from '../support/help-desk.ts';
import { aConnection } from '../support/leads.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { now } from '../support/stack.ts';
import { findingsOn, withAxe } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { aHeardCall } from './support/heard-call.ts';
import { pages } from './support/pages.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
/** Pages of one thing have rows of their own below. */
const inside = Object.entries(pages).filter(([, { isOutside, ids }]) => !isOutside && !ids);
const outside = Object.keys(pages).filter((path) => pages[path]?.isOutside);

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

/** A bar in each chart. */
const aDayWithCalls = (org: TestOrg) =>
  stores.transact({
    usage: stores.usage.counting({ org_id: org.orgId, call_id: 'call_1' }, istDay(now()), {
      completed: 1,
      units: 1_000,
    }),
  });

describeInBrowser('every page', () => {
  it('meets WCAG 2.2 AA in both themes, at full and at phone width', async () => {
    const org = await anOrg();
    const person = await aMember(org, 'owner');
    const { page, context } = await aVisitor([noSession]);
    await withAxe(context);
    const found: string[] = [];
    const look = async (what: string) => {
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const findings = await findingsOn(page);
        found.push(...findings.map((one) => `${what} ${width} px ${one}`));
      }
    };
    for (const path of outside) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await look(path);
    }
    await page.goto('/sign-in');
    await signIn(page, person);
    for (const [path, { title }] of [...inside, ['/no-such-page', { title: /not|no page/i }] as const]) {
      await page.goto(path);
      await heading(page, title).waitFor();
      await look(path);
    }
    await aDayWithCalls(org);
    await page.goto('/');
    await page.getByRole('group', { name: 'Calls by outcome: show as' }).getByText('Table').click();
    await page.getByRole('table', { name: 'Calls by outcome' }).waitFor();
    await look('a chart as a table');
    await page.getByRole('button', { name: /needs? you/ }).click();
    await page.getByRole('menuitem').first().waitFor();
    await look('the bell');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('98200');
    await page.getByRole('option').first().waitFor();
    await look('the palette');
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
    const { callId } = await anAcceptedCall(org);
    await page.goto(`/calls/${callId}`);
    await page.getByRole('button', { name: 'Stop the call' }).click();
    await page.getByRole('dialog').waitFor();
    await look('the dialog that stops a call');
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
