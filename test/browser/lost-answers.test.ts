import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { hashApiKey } from '../../shared/domain/organizations/api-key.ts';
import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../support/organizations/orgs.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { chooseFiles, press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const lost = { status: 502, path: /\/(assistants|knowledge-base|api-keys)$/ };
const saves = /\/(assistants\/\w+|connections\/\w+|organization)$/;
const lostSave = { status: 502, path: saves };
const refusedSave = { status: 409, path: saves };
const UNAVAILABLE = 'The service is not available right now.';

const folder = mkdtempSync(join(tmpdir(), 'lost-answers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets the next request to a path reach the service, and loses its answer. */
async function loseAnswer(page: Page, path: string, method = 'POST'): Promise<void> {
  let isLost = false;
  await page.route(`**${DASHBOARD_PATH}${path}`, async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.fulfill({ status: 502, body: '' });
  });
}

describeInBrowser('a second click after a lost answer', () => {
  it('creates no second assistant and no second copy of a file', async () => {
    const org = await anOrg();
    const names = async () => (await stores.assistants.listOfOrg(org.orgId)).map(({ name }) => name).sort();
    const { page } = await aVisitor([noSession, lost]);
    await page.goto('/assistants');
    await signIn(page, await aMember(org, 'member'));
    await press(page.getByRole('button', { name: 'New assistant' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Tara');
    await loseAnswer(page, '/assistants');
    await press(dialog.getByRole('button', { name: 'Create the assistant' }));
    await dialog.getByText(UNAVAILABLE).waitFor();
    expect(await names()).toEqual(['Asha', 'Tara']);
    await press(dialog.getByRole('button', { name: 'Create the assistant' }));
    await heading(page, 'Tara').waitFor();
    expect(await names()).toEqual(['Asha', 'Tara']);

    await loseAnswer(page, '/assistants');
    await press(page.getByRole('button', { name: 'Duplicate' }));
    await page.getByText(UNAVAILABLE).waitFor();
    await press(page.getByRole('button', { name: 'Duplicate' }));
    await heading(page, 'Copy of Tara').waitFor();
    expect(await names()).toEqual(['Asha', 'Copy of Tara', 'Tara']);

    const [prices, hours] = ['12" prices.txt', 'hours.txt'].map((name) => join(folder, name)) as [string, string];
    for (const file of [prices, hours]) writeFileSync(file, 'Parking costs 2,000.');
    await press(page.getByRole('tab', { name: 'Knowledge' }));
    await loseAnswer(page, '/assistants/*/knowledge-base');
    await chooseFiles(page.getByLabel('Add files'), prices);
    await page.getByText('12" prices.txt was not added.').waitFor();
    await press(page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('button', { name: 'Read 12" prices.txt' }).waitFor();
    await page.getByText('was not added.').waitFor({ state: 'detached' });
    await loseAnswer(page, '/assistants/*/knowledge-base');
    await chooseFiles(page.getByLabel('Add files'), hours);
    await page.getByText('hours.txt was not added.').waitFor();
    await chooseFiles(page.getByLabel('Add files'), hours);
    await page.getByText('hours.txt is added.').first().waitFor();
    await page.getByText('was not added.').waitFor({ state: 'detached' });
    const copy = (await stores.assistants.listOfOrg(org.orgId)).find(({ name }) => name === 'Copy of Tara');
    expect(copy?.knowledge_base.map(({ filename }) => filename)).toEqual(['12" prices.txt', 'hours.txt']);
  });

  it('shows the value of the API key that the first one created', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession, lost]);
    await page.goto('/developers/keys');
    await signIn(page, await aMember(org, 'admin'));
    await press(page.getByRole('button', { name: 'Create a key' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('backend');
    await loseAnswer(page, '/api-keys');
    await press(dialog.getByRole('button', { name: 'Create the key' }));
    await dialog.getByText(UNAVAILABLE).waitFor();
    // The list already shows it, so that it can be revoked.
    await page.getByRole('row', { name: 'backend', includeHidden: true }).waitFor({ state: 'attached' });
    await press(dialog.getByRole('button', { name: 'Create the key' }));
    const value = (await dialog.getByText(/^svc_live_/).textContent()) ?? '';
    const created = (await stores.apiKeys.listOfOrg(org.orgId)).filter(({ name }) => name === 'backend');
    expect(created.map(({ key_hash }) => key_hash)).toEqual([hashApiKey(value)]);
  });

  it('shows that a change is saved, instead of a conflict with itself', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession, lostSave, refusedSave]);
    await page.goto('/settings/organization');
    await signIn(page, await aMember(org, 'admin'));
    await page.getByLabel('Name', { exact: true }).fill('Acme Labs');
    await loseAnswer(page, '/organization', 'PATCH');
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText(UNAVAILABLE).waitFor();
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText('Your changes are already saved.').waitFor();
    await page.getByText('changed this organization').waitFor({ state: 'detached' });

    await page.goto(`/assistants/${org.assistantId}`);
    await page.getByLabel('Name', { exact: true }).fill('Tara');
    await loseAnswer(page, `/assistants/${org.assistantId}`, 'PATCH');
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('It is not known whether your changes are saved.').waitFor();
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('Your changes are already saved.').waitFor();
    await page.getByText('All changes are saved.').waitFor();

    await page.goto('/credit');
    await press(page.getByRole('button', { name: 'Change…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Credits').fill('40');
    await loseAnswer(page, '/organization', 'PATCH');
    await press(dialog.getByRole('button', { name: 'Save' }));
    await dialog.getByText(UNAVAILABLE).waitFor();
    await press(dialog.getByRole('button', { name: 'Save' }));
    await page.getByText('Threshold saved.').waitFor();
    expect(await stores.organizations.get(org.orgId)).toMatchObject({ name: 'Acme Labs', warn_below: 40_000 });
  });
});
