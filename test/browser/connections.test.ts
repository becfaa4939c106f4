import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { connectsOften } from '../support/connections/crm-b.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { leadBody } from '../support/leads/leads.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { crmB, db, environment, named } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const vendor = environment.simulators.crm_b_accounts;

describeInBrowser('an admin', () => {
  it('connects CRM-A, sees its first lead, chooses its owner, and sends a test event', async () => {
    const admin = await aMember(await anOrg(), 'admin');
    const { page } = await aVisitor([noSession]);
    await page.goto('/connections');
    await signIn(page, admin);
    await press(page.getByRole('button', { name: 'Connect CRM-A' }));
    const dialog = page.getByRole('dialog');
    const token = (await dialog.getByText(/^[\w-]{43}$/).textContent()) ?? '';
    const address = (await dialog.getByText(/\/api\/webhooks\/crm-a\//).textContent()) ?? '';
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByLabel('I have pasted it into both webhooks'), 'Space');
    await press(dialog.getByRole('button', { name: 'Done' }));
    await heading(page, 'CRM-A').waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByLabel('Assistant').selectOption({ index: 1 });
    await press(page.getByRole('button', { name: 'Save' }));
    await page.getByText('Waiting for the first delivery').waitFor();

    const delivered = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crma-webhook-token': token },
      body: JSON.stringify(leadBody({ OwnerId: 'owner-7' })),
    });
    expect(delivered.status).toBe(200);
    await page.getByText('Other owner').waitFor();
    await press(page.getByRole('button', { name: 'Use this owner' }));
    await press(page.getByRole('button', { name: 'Save' }));
    await page.getByRole('status').filter({ hasText: 'Healthy' }).waitFor();
    await page.reload();
    // Applies even if the list arrives after the connection.
    await page.locator('option:checked', { hasText: 'Asha' }).waitFor({ state: 'attached' });

    await page.getByLabel('Phone').fill(aPhoneNumber());
    await press(page.getByRole('button', { name: 'Send test event' }));
    await page.getByRole('status').filter({ hasText: 'Called' }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
  });

  it('sees a connection of a newer version by its type, here and in the overview, without actions', async () => {
    const org = await anOrg();
    const key = { connection_id: 'conn_ofnewerversion' };
    const TableName = named.table('connections');
    const newer = { ...key, org_id: org.orgId, type: 'brand-new', created_at: '2026-11-26T06:00:00Z', auto_call: true };
    await db.send(new PutCommand({ TableName, Item: newer }));
    try {
      const { page } = await aVisitor([noSession]);
      await page.goto('/connections');
      await signIn(page, await aMember(org, 'admin'));
      const card = page.getByRole('region', { name: 'brand-new' });
      await card.getByText('Of a newer version').waitFor();
      // The only button is the time, which has a tip.
      expect(await card.getByRole('button').or(card.getByRole('link')).allTextContents()).toEqual([
        expect.stringContaining('Nov'),
      ]);
      await page.getByRole('button', { name: 'Connect CRM-A' }).waitFor();
      expect(await findingsOn(page)).toEqual([]);
      await page.goto('/');
      await page.getByRole('listitem').filter({ hasText: 'brand-new' }).waitFor();
    } finally {
      await db.send(new DeleteCommand({ TableName, Key: key }));
    }
  });

  it('denies and then gives the consent to CRM-B on the vendor’s page, chooses the owner, and disconnects', async () => {
    await crmB.settings({ ...connectsOften, consent: 'page' });
    const admin = await aMember(await anOrg(), 'admin');
    const { page } = await aVisitor([noSession], [vendor]);
    await page.goto('/connections');
    await signIn(page, admin);
    await press(page.getByRole('button', { name: 'Connect CRM-B' }));
    const consent = page.getByRole('button', { name: 'Go to Zoho’s consent page' });
    await consent.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(consent);
    const callback = page.waitForRequest(/\/api\/oauth\/crm-b\/callback/);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('The consent was denied on the vendor’s page.').waitFor();
    await page.goto((await callback).url());
    await page.getByText('or its page was opened twice').waitFor();
    await heading(page, 'CRM-B').waitFor();
    await press(consent);
    await page.getByRole('button', { name: 'Accept' }).click();
    // The address only selects one of our own sentences. The connection needs a confirmation here.
    await page.getByText('asha@example.com').waitFor();
    // The page offers no other consent.
    expect(await consent.count()).toBe(0);
    await page.getByRole('status').filter({ hasText: 'Not connected' }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Confirm' }));
    await page.getByText('The consent is given.').waitFor();
    await page.getByLabel('Lead owner').selectOption({ index: 1 });
    await page.getByLabel('From', { exact: true }).fill('09:00');
    await page.getByText('a call window needs a start and an end').waitFor();
    await page.getByLabel('Until').fill('21:00');
    await press(page.getByRole('button', { name: 'Save' }));
    await page.getByText('Saved.').waitFor();

    // Another person consents with another CRM, which needs an explicit confirmation, and is refused here.
    await crmB.user('998', { name: 'Mallory', email: 'mallory@example.com', org: 'Strangers' });
    await press(page.getByRole('button', { name: 'More for CRM-B' }));
    await press(page.getByRole('menuitem', { name: 'New consent' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Go to Zoho’s consent page' }));
    await page.locator('select[name=user]').selectOption('998');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('A different organization').waitFor();
    await press(page.getByRole('button', { name: 'Confirm' }));
    const action = page.getByRole('dialog').getByRole('button', { name: 'Connect it' });
    await action.waitFor();
    expect(await action.getAttribute('aria-disabled')).toBe('true');
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
    await press(page.getByRole('button', { name: 'Refuse' }));
    await page.getByText('The consent is refused, and revoked at Zoho.').waitFor();

    await press(page.getByRole('button', { name: 'More for CRM-B' }));
    await press(page.getByRole('menuitem', { name: 'Disconnect' }));
    await page.getByRole('dialog').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }));
    await page.getByText('The access is revoked at Zoho.').waitFor();
    await consent.waitFor();
    expect(await page.getByLabel('Until').inputValue()).toBe('21:00');
  });
});
