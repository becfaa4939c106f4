import { queueMessage } from '../support/calls/accepted-call.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg, stores, untilCall } from '../support/organizations/orgs.ts';
import { aPhoneNumber, postCall, request } from '../support/rest/rest.ts';
import { hangUpAt, secondsAgo, voice } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { chooseFiles, press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

/** The platform reports only on request of the test. */
const LONG_SECONDS = 1_000_000;
const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('an admin', () => {
  it('creates a key, sees its value once, places a call with it, and revokes it by typing its name', async () => {
    const phone = aPhoneNumber();
    const admin = await aMember(await anOrg(), 'admin');
    const member = await stores.members.get(admin.userId);
    await stores.transact({ phone: stores.members.updating(member as never, { phone }, []) });
    const { page } = await aVisitor([noSession]);
    await page.goto('/developers/keys');
    await signIn(page, admin);
    await press(page.getByRole('link', { name: 'Callbacks', exact: true }));
    await press(page.getByRole('link', { name: 'API keys', exact: true }));
    await press(page.getByRole('button', { name: 'Create a key' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('backend');
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Create the key' }));
    const shown = dialog.getByText(/^svc_live_/);
    const value = (await shown.textContent()) ?? '';
    expect(await findingsOn(page)).toEqual([]);
    const line = (await dialog.getByText(`Bearer ${value}`).textContent()) ?? '';
    // A key press does not close it.
    await page.keyboard.press('Escape');
    await dialog.getByText('It will not be shown again.').waitFor();
    // Back does not leave it, either.
    await page.goBack();
    await shown.waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByLabel('I have stored the key'), 'Space');
    await press(dialog.getByRole('button', { name: 'Done' }));
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(value);
    // The two default permissions of a key.
    for (const permission of ['calls:write', 'assistants:read'])
      await page.getByRole('row', { name: 'backend' }).getByText(permission, { exact: true }).waitFor();

    // The line is ready to run: it calls the person's own phone.
    const [, body = ''] = /-d '(.*)'$/.exec(line) ?? [];
    await voice.script(phone, { behaviour: 'answer', queueSeconds: LONG_SECONDS });
    const headers = { authorization: `Bearer ${value}` };
    const placed = await request('POST', '/v1/calls/outbound', { headers, body: JSON.parse(body) });
    expect(placed.status).toBe(202);
    const callId = String(placed.body.call_id);
    const { platform_id = '' } = await untilCall(callId, (call) => call.platform_id !== undefined);
    await queueMessage(callId, { kind: 'progress', platform_id, status: 'in_progress' });
    await press(page.getByRole('link', { name: 'Calls', exact: true }));
    await press(page.getByRole('link', { name: /^Live/ }));
    await page.getByRole('cell', { name: 'In progress' }).waitFor();
    await press(page.locator('tbody a').first());
    await page.getByRole('status').getByText('In progress').waitFor();
    const talk = { started_at: secondsAgo(9), ended_at: secondsAgo(0), transcript: 'AI: Namaste.\nUser: Yes?' };
    await queueMessage(callId, {
      kind: 'report',
      platform_id,
      outcome: 'completed',
      reason: 'customer-ended-call',
      ...talk,
    });
    await page.getByRole('status').getByText('Completed').waitFor();
    await page.getByText('Namaste.').first().waitFor();
    // Waits for the report: the simulator reports a hang-up, too, and the first report is final.
    await hangUpAt(phone);
    await press(page.getByRole('link', { name: 'API keys' }));

    const ask = () => request('GET', '/v1/calls/any', { headers });
    expect((await ask()).status).toBe(404);
    await press(page.getByRole('button', { name: /Revoke backend/ }));
    await dialog.getByLabel('Type “backend” to confirm').fill('backend');
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Revoke key' }));
    await page.getByText('The key backend is revoked.').first().waitFor();
    expect((await ask()).status).toBe(401);
    await page.locator('h1:focus').waitFor();
  });

  it('imports numbers after a check that names the bad lines, and removes one with a reason', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const { page } = await aVisitor([noSession]);
    await page.goto('/do-not-call');
    await signIn(page, await aMember(org, 'admin'));
    await heading(page, 'Do not call').waitFor();
    await press(page.getByRole('button', { name: 'Import a file' }));
    const dialog = page.getByRole('dialog');
    const file = { name: 'numbers.csv', mimeType: 'text/csv' };
    await chooseFiles(dialog.getByLabel('File'), { ...file, buffer: Buffer.from('"Client\n') });
    await dialog.getByText('Nothing was added.').waitFor();
    const buffer = Buffer.from(`Client,Ring here\nMeera,${phone_number}\nAsha,nobody\nRavi,098765 43210\n`);
    await chooseFiles(dialog.getByLabel('File'), { ...file, buffer });
    await dialog.getByText('There is no phone number in this column.').waitFor();
    await dialog.getByText('Line 2: Meera').waitFor();
    await dialog.getByLabel('Column with the numbers').selectOption('2: Ring here');
    await dialog.getByText('Line 3: nobody').waitFor();
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toEqual([]);
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Import 2' }));
    await dialog.getByText('2 numbers added.').waitFor();
    await press(dialog.getByRole('button', { name: 'Done' }));
    const call = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    expect((await call()).status).toBe(403);

    const search = page.getByLabel('Search by the beginning of a number');
    await search.fill('Meera');
    await press(page.getByRole('button', { name: 'Search', exact: true }));
    await page.getByText('Enter the digits of a number, 15 at most.').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await search.fill(phone_number.slice(3));
    await press(page.getByRole('button', { name: 'Search', exact: true }));
    await page.getByRole('button', { name: /Remove \+919876543210/ }).waitFor({ state: 'detached' });
    await press(page.getByRole('button', { name: `Remove ${phone_number}` }));
    await dialog.getByLabel('Reason').fill('A mistake.');
    expect(await findingsOn(page)).toEqual([]);
    await press(dialog.getByRole('button', { name: 'Remove the number' }));
    await page
      .getByText(/^\+91 \d{5} \d{5} may be called again/)
      .first()
      .waitFor();
    await page.locator('h1:focus').waitFor();
    expect((await call()).status).toBe(202);
  });
});
