import type { Locator, Page } from 'playwright-core';
import { updateConnection } from '../../shared/messages/dashboard/connections.ts';
import { updateOrganization } from '../../shared/messages/dashboard/organization.ts';
import { aHelpDeskConnection } from '../support/connections/help-desk.ts';
import { acting, aMember } from '../support/dashboard/dashboard.ts';
import { aConnection } from '../support/leads/leads.ts';
import { anOrg, changeOrg, stores } from '../support/organizations/orgs.ts';
import { now } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const conflict = { status: 409, path: /\/organization$/ };

/** Returns to the tab after a minute, so that its data is refreshed. */
const returnToTab = (page: Page) =>
  page.evaluate(`{
    const clock = Date.now;
    Date.now = () => clock() + 60_000;
    window.dispatchEvent(new Event('visibilitychange'));
  }`);

/** Returns whether all of it is visible without scrolling. */
async function isInView(thing: Locator): Promise<boolean> {
  const { y, height } = (await thing.boundingBox()) ?? { y: -1, height: 0 };
  return y >= 0 && y + height <= (thing.page().viewportSize()?.height ?? 0);
}

/** Returns the distances of two texts from the left, in the first element of this kind that contains both. */
const leftsOf = (page: Page, kind: 'li' | 'dd', texts: readonly [string, string]) =>
  page.evaluate<[number, number]>(`${JSON.stringify(texts)}.map((text, _, texts) => {
    const element = [...document.querySelectorAll('main ${kind}')].find(({ textContent }) =>
      texts.every((one) => textContent.includes(one)));
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode().textContent !== text);
    const range = document.createRange();
    range.selectNode(walker.currentNode);
    return range.getBoundingClientRect().left;
  })`);

describeInBrowser('an admin', () => {
  it('sees who changed the organization meanwhile, keeps the typed changes, and replaces the callback secret', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const { page } = await aVisitor([noSession, conflict]);
    await page.goto('/settings/organization');
    await signIn(page, admin);
    await heading(page, 'Organization').waitFor();
    await page.getByLabel('Name').fill('Acme');
    const stored = await stores.organizations.get(org.orgId);
    if (!stored) throw new Error('no organization');
    const by = { updated_at: now().toISOString(), updated_by: 'arun@example.com' };
    const other = { name: 'Other', revision: (stored.revision ?? 0) + 1, ...by };
    await stores.transact({ org: stores.organizations.updating(stored, other) });
    await returnToTab(page);
    await page.getByText(/^Changed .* by arun@example.com$/).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    await press(page.getByRole('link', { name: 'Callbacks' }));
    await page.getByRole('dialog').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('button', { name: 'Stay here' }));
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    await press(page.getByRole('button', { name: 'Save settings' }));
    const change = page.getByRole('alert').filter({ hasText: 'arun@example.com changed this organization since' });
    await change.getByText(/^Name: .+ → Other$/).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    expect(await findingsOn(page)).toEqual([]);
    await press(change.getByRole('button', { name: 'Reapply my changes' }));
    expect(await page.getByLabel('Name').inputValue()).toBe('Acme');
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByText('The settings are saved.').first().waitFor();
    expect((await stores.organizations.get(org.orgId))?.name).toBe('Acme');

    await page.getByLabel('Name').fill('Acme Labs');
    const saved = await stores.organizations.get(org.orgId);
    if (!saved) throw new Error('no organization');
    const third = { name: 'Third', revision: (saved.revision ?? 0) + 1, ...by };
    await stores.transact({ org: stores.organizations.updating(saved, third) });
    await press(page.getByRole('button', { name: 'Save settings' }));
    await change.waitFor();
    await press(page.getByRole('button', { name: 'Discard', exact: true }));
    expect(await page.getByLabel('Name').inputValue()).toBe('Third');

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

  it('sees the old value before the new one, also in a script that is written from right to left', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin', 'محمد');
    const [before, after] = ['شركة النور', 'شركة الهدى'] as const;
    await changeOrg(org.orgId, { name: before });
    const { page } = await aVisitor([noSession, conflict]);
    await page.goto('/settings/organization');
    await signIn(page, admin);
    await page.getByLabel('Name').fill('Acme');
    const ask = await acting(admin);
    const revision = (await stores.organizations.get(org.orgId))?.revision ?? 0;
    const { status } = await ask(updateOrganization, { body: { revision, name: after } });
    expect(status).toBe(200);
    await press(page.getByRole('button', { name: 'Save settings' }));
    await page.getByRole('listitem').filter({ hasText: after }).waitFor();
    const [old, recent] = await leftsOf(page, 'li', [before, after]);
    expect(old).toBeLessThan(recent);

    await press(page.getByRole('link', { name: 'Audit log' }));
    await press(page.getByRole('button', { name: 'Discard and leave' }));
    await page.getByRole('row').filter({ hasText: after }).waitFor();
    const [first, second] = await leftsOf(page, 'dd', [before, after]);
    expect(first).toBeLessThan(second);
  });

  it('sees a threshold that another person set meanwhile before replacing it', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession]);
    await page.goto('/credit');
    await signIn(page, await aMember(org, 'admin'));
    await press(page.getByRole('button', { name: 'Change…' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Credits').fill('200');
    const asOther = await acting(await aMember(org, 'admin'));
    const { revision = 0 } = (await stores.organizations.get(org.orgId)) ?? {};
    expect((await asOther(updateOrganization, { body: { revision, warn_below: 300 } })).status).toBe(200);
    await returnToTab(page);
    await press(dialog.getByRole('button', { name: 'Save' }));
    await dialog.getByText(/^It is now 300\. /).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    const threshold = async () => (await stores.organizations.get(org.orgId))?.warn_below;
    expect(await threshold()).toBe(300_000);
    await press(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await threshold()).toBe(200_000);
  });

  it('is directed to a failed save of a long form, and to another person’s changes in it', async () => {
    const org = await anOrg();
    const { connection_id: id } = await aHelpDeskConnection(org);
    const connection = /\/api\/dashboard\/connections\/[^/]+$/;
    const { page } = await aVisitor([noSession, { status: 503, path: connection }, { status: 409, path: connection }]);
    await page.goto(`/connections/${id}`);
    await signIn(page, await aMember(org, 'admin'));
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await page.getByLabel('Tags').fill('a:b');
    await press(page.getByRole('button', { name: 'Set another condition' }));
    await page.getByLabel('Values', { exact: true }).fill('');
    await press(save);
    await press(page.getByRole('link', { name: /^Which calls get a ticket: / }));
    await page.locator('fieldset:focus', { hasText: 'Field of the analysis' }).waitFor();
    await press(page.getByRole('button', { name: 'Use the default' }));
    await page.getByLabel('Tags').fill('voice');
    const refuse = { status: 503, json: { error: 'service_unavailable', message: 'Try again.' } };
    await page.route(connection, (route) =>
      route.request().method() === 'PATCH' ? route.fulfill(refuse) : route.fallback(),
    );
    await press(save);
    const failure = page.locator('form > :focus', { hasText: 'The service' });
    await failure.waitFor();
    expect(await isInView(failure)).toBe(true);
    await page.unroute(connection);

    const asOther = await acting(await aMember(org, 'admin'));
    const { revision = 0 } = (await stores.connections.get(id)) ?? {};
    const body = { revision, settings: { subject_template: 'Call' } };
    expect((await asOther(updateConnection, { body }, { id })).status).toBe(200);
    await press(save);
    const conflict = page.getByRole('alert').filter({ hasText: 'changed this connection since you opened it.' });
    await conflict.waitFor();
    expect(await isInView(conflict)).toBe(true);
    expect(await findingsOn(page)).toEqual([]);
    await press(conflict.getByRole('button', { name: 'Reapply my changes' }));
    expect([await page.getByLabel('Tags').inputValue(), await page.getByLabel('Subject').inputValue()]).toEqual([
      'voice',
      'Call',
    ]);
    await press(save);
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });

    // The router reuses the page for another connection, which must not get this one's form.
    const { connection: other } = await aConnection({ trigger_owner_user_id: 'owner-of-the-other' }, org);
    await page.evaluate(
      `history.pushState({}, '', '/connections/${other.connection_id}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await heading(page, 'CRM-A').waitFor();
    const owner = page.getByLabel('Id of the owner whose leads are called');
    await owner.waitFor();
    expect([await owner.inputValue(), await page.getByLabel('Tags').count()]).toEqual(['owner-of-the-other', 0]);
  });
});
