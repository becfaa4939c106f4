import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg, changeOrg, untilCall } from '../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall } from '../support/rest/rest.ts';
import { voice } from '../support/stack/stack.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('the overview', () => {
  it('shows placed calls, as bars and as a table, and links to open tasks', async () => {
    const org = await anOrg({ credits: 50 });
    await changeOrg(org.orgId, { warn_below: 60_000 });
    const numbers = [aPhoneNumber(), aPhoneNumber()] as const;
    await voice.script(numbers[0], { behaviour: 'answer', talkSeconds: 61 });
    await voice.script(numbers[1], { behaviour: 'busy', ringSeconds: 1 });
    for (const phone_number of numbers) {
      const id = await placeCall(org, { phone_number });
      await untilCall(id, ({ ended_at }) => ended_at !== undefined);
    }
    const { page, context } = await aVisitor([noSession]);
    await page.goto('/');
    await signIn(page, await aMember(org, 'viewer'));
    await page.getByText('2 calls in 7 days: 50 % answered').first().waitFor();
    await page.getByText('2 credits in 7 days.').waitFor();
    // A separate script draws it, under the page's policy.
    await page.locator('.recharts-bar-rectangle path').first().waitFor();
    await page.getByText('4 of 5 are done.').waitFor();

    await page.getByRole('group', { name: 'Calls by outcome: show as' }).getByLabel('Table').press('Space');
    const days = page.getByRole('table', { name: 'Calls by outcome' }).locator('tbody tr');
    expect(await days.count()).toBe(7);
    // The newest day is first. A midnight in India may lie between the two calls.
    const cells = (await days.locator('td').allInnerTexts()).map(Number);
    expect(cells.filter((figure) => figure > 0)).toEqual([1, 1]);
    await page.getByRole('group', { name: 'Days that the charts show' }).getByLabel('30 days').press('Space');
    await page.getByText('2 calls in 30 days').first().waitFor();
    expect(new URL(page.url()).search).toBe('?days=30');

    await press(page.getByRole('button', { name: '1 thing needs you' }));
    await page.getByRole('menuitem', { name: 'Credit: 48 left' }).waitFor();
    await page.keyboard.press('Escape');
    await press(page.getByRole('main').getByRole('link', { name: 'Credit', exact: true }));
    await heading(page, 'Credit').waitFor();
    await page.getByText('Less than 60 credits are left.').waitFor();
    await page.getByText('2 credits in 30 days.').waitFor();

    await context.setOffline(true);
    await page.getByText(/You are offline. The data shown is from .* IST/).waitFor();
    await page.getByText('Less than 60 credits are left.').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByText('The search did not open. The service cannot be reached.').waitFor({ timeout: 5_000 });
    expect(await heading(page, 'Credit').count()).toBe(1);
    await context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });
});
