import { aFinishedCall } from '../support/calls/finished-call.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { coveredStops } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('the keyboard alone', () => {
  it('reaches pages, explains a lead, and moves through a list', async () => {
    const org = await anOrg();
    const [older, newer] = [await aFinishedCall(org), await aFinishedCall(org)];
    const { page } = await aVisitor([noSession]);
    await page.goto('/account');
    await signIn(page, await aMember(org, 'viewer'));
    await heading(page, 'Account').waitFor();

    await page.setViewportSize({ width: 1280, height: 500 });
    expect(await coveredStops(page)).toEqual([]);

    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'What to search' });
    await box.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.keyboard.type('cred');
    await page.getByRole('option', { name: 'Calls' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await heading(page, 'Credit').waitFor();
    await box.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('+919999900000');
    await page.getByRole('option', { name: 'Why was “+919999900000” not called?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/^No event about the number \+91 99999 00000 is in Activity/).waitFor();

    await page.keyboard.press('Escape');
    await heading(page, 'Leads').focus();
    await page.keyboard.press('/');
    expect(await page.evaluate<string>('document.activeElement.type')).toBe('search');
    await heading(page, 'Leads').focus();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('cell', { name: 'Completed' }).first().waitFor();
    const calls = [newer, older].map(({ call_id }) => call_id);
    const links = await page.locator('tbody a').all();
    const shown = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(shown.map((href) => href?.split('/').at(-1)).sort()).toEqual(calls.sort());
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    // The page behind a link is read while the focus stays on it.
    const prefetch = page.waitForResponse(
      (response) => new URL(response.url()).pathname === `/api/dashboard${shown[0]}`,
    );
    await page.keyboard.press('k');
    await prefetch;
    await page.keyboard.press('Enter');
    await heading(page, /^Call to/).waitFor();
    expect(new URL(page.url()).pathname).toBe(shown[0]);
  });
});
