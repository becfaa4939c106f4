import { aMember } from '../support/dashboard.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, postCall, request } from '../support/rest.ts';
import { findingsOn, withAxe } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('an admin', () => {
  it('creates a key, sees its value once, and revokes it by typing its name', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const { page, context } = await aVisitor([noSession]);
    await withAxe(context);
    await page.goto('/developers/keys');
    await signIn(page, admin);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('backend');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const shown = dialog.getByText(/^svc_live_/);
    const value = (await shown.textContent()) ?? '';
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByText(new RegExp(`Bearer ${value}.*"assistant_id": "${org.assistantId}"`)).waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText('You have not stored the key').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    expect(await shown.textContent()).toBe(value);
    await dialog.getByLabel('I have stored the key').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(value);

    const ask = () => request('GET', '/v1/calls/any', { headers: { authorization: `Bearer ${value}` } });
    expect((await ask()).status).toBe(404);
    await page.getByRole('button', { name: /Revoke backend/ }).click();
    await dialog.getByLabel('Type “backend” to confirm').fill('backend');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('The key backend is revoked.').first().waitFor();
    expect((await ask()).status).toBe(401);
  });

  it('imports numbers after a check that names the bad lines, and removes one with a reason', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const { page, context } = await aVisitor([noSession]);
    await withAxe(context);
    await page.goto('/do-not-call');
    await signIn(page, await aMember(org, 'admin'));
    await heading(page, 'Do not call').waitFor();
    await page.getByRole('button', { name: 'Import a file' }).click();
    const dialog = page.getByRole('dialog');
    const buffer = Buffer.from(`name,phone\nMeera,${phone_number}\nAsha,nobody\nRavi,098765 43210\n`);
    await dialog.getByLabel('File').setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer });
    await dialog.getByText('Line 3: nobody').waitFor();
    await dialog.getByLabel('Column of the numbers').selectOption('1: name');
    await dialog.getByText('Line 2: Meera').waitFor();
    await dialog.getByLabel('Column of the numbers').selectOption('2: phone');
    await dialog.getByText('Line 3: nobody').waitFor();
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toEqual([]);
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Import 2' }).click();
    await dialog.getByText('2 numbers added.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const call = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    expect((await call()).status).toBe(403);

    await page.getByLabel('Search by the beginning of a number').fill(phone_number.slice(3));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('button', { name: /Remove \+919876543210/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Remove ${phone_number}` }).click();
    await dialog.getByLabel('Reason').fill('A mistake.');
    expect(await findingsOn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove the number' }).click();
    await page.getByText(`${phone_number} may be called again.`).first().waitFor();
    expect((await call()).status).toBe(202);
  });
});
