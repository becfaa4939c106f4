import type { Page } from 'playwright-core';
import { aMember } from '../support/dashboard.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { now } from '../support/stack.ts';
import { findingsOn, withAxe } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const conflict = { status: 409, path: /\/organization$/ };

/** Comes back to the tab after a minute, when what it shows is read again. */
const lookAgain = (page: Page) =>
  page.evaluate(`{
    const clock = Date.now;
    Date.now = () => clock() + 60_000;
    window.dispatchEvent(new Event('visibilitychange'));
  }`);

describeInBrowser('an admin', () => {
  it('learns who changed the organization meanwhile, and loses nothing; replaces the callback secret', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const { page, context } = await aVisitor([noSession, conflict]);
    await withAxe(context);
    await page.goto('/settings/organization');
    await signIn(page, admin);
    await heading(page, 'Organization').waitFor();
    await page.getByLabel('Name').fill('Acme');
    const stored = await stores.organizations.get(org.orgId);
    if (!stored) throw new Error('no organization');
    const by = { updated_at: now().toISOString(), updated_by: 'arun@example.com' };
    const other = { name: 'Other', revision: (stored.revision ?? 0) + 1, ...by };
    await stores.transact({ org: stores.organizations.updating(stored, other) });
    await lookAgain(page);
    await page.getByText(/^Changed .* by arun@example.com$/).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    await press(page.getByRole('link', { name: 'Callbacks' }));
    await page.getByRole('dialog').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Stay here' }));
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText('arun@example.com changed these settings meanwhile').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Save mine over it' }));
    await page.getByText('The settings are saved.').first().waitFor();
    expect((await stores.organizations.get(org.orgId))?.name).toBe('Acme');

    await press(page.getByRole('link', { name: 'Callbacks' }));
    await press(page.getByRole('button', { name: 'Replace…' }));
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Replace secret' }));
    const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Done' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(`whsec_…${secret.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(secret);
  });
});
