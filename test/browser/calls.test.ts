import { aMember } from '../support/dashboard.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { anOrg } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { secondsAgo } from '../support/stack.ts';
import { aVisitor, describeInBrowser, heading, signIn } from './support/browser.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('the calls', () => {
  it('are empty with the next step, then filtered by the address, and lead to what was said', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession]);
    await page.goto('/calls');
    await signIn(page, await aMember(org, 'viewer'));
    await page.getByText('No call yet').waitFor();
    await page.getByText('/v1/calls/outbound').waitFor();

    const phone_number = aPhoneNumber();
    const call = await aFinishedCall(org, 'Asha: Namaste <b>Meera</b>.\nMeera: Saturday would suit me.', {
      phone_number,
      created_at: secondsAgo(60),
    });
    await aFinishedCall(org, undefined, { status: 'busy', duration: 0 });
    // It shows by itself.
    await page.getByRole('cell', { name: 'Busy' }).waitFor();
    await page.getByLabel('Status').selectOption('completed');
    await page.getByRole('cell', { name: 'Busy' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?status=completed');
    await page.getByLabel('Result').selectOption('partial');
    await page.getByText('The filters: status Completed, result Partly.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();

    await page.getByRole('link', { name: phone_number.slice(-5) }).click();
    await heading(page, /^Call to/).waitFor();
    await page.getByText('Namaste <b>Meera</b>.').waitFor();
    await page.getByText('Saturday would suit me.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/calls/${call.call_id}`);
    await page.getByText('There is no recording').waitFor();
  });
});
