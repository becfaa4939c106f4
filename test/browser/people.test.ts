import { removeMember } from '../../shared/messages/dashboard/people.ts';
import { aMember, ask, tokensOf } from '../support/dashboard/dashboard.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };

/** The actions that a viewer may not perform, by page. */
const refused = [
  ['Assistants', 'New assistant'],
  ['Connections', 'Connect CRM-A', 'Connect CRM-B', 'Connect Help desk'],
  ['Do not call', 'Add a number', 'Import a file'],
  ['API keys', 'Create a key'],
  ['Callbacks', 'Reveal…', 'Replace…'],
  ['Organization', 'Save settings'],
  ['Notifications', 'Save settings'],
  ['Members', 'Invite a person'],
] as const;

describeInBrowser('a person', () => {
  it('joins by an invitation, sees the reason why a viewer may not act, and is signed out after the removal', async () => {
    const owner = await aMember(await anOrg(), 'owner');
    const email = `meera-${owner.userId.slice(0, 8)}@example.com`;
    const { page } = await aVisitor([noSession, { status: 409, path: /\/members$/ }]);
    await page.goto('/settings/members');
    await signIn(page, owner);
    await press(page.getByRole('button', { name: 'Invite a person' }).first());
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByLabel('Name').fill('Meera Rao');
    await dialog.getByRole('radio', { name: /^Viewer/ }).press('Space');
    await press(dialog.getByRole('button', { name: 'Invite' }));
    await dialog.getByText('It is shown only once.').waitFor();
    const shown = dialog.getByText(/^[\w-]{16}$/);
    const password = (await shown.textContent()) ?? '';
    await press(dialog.getByLabel('I have stored the password'), 'Space');
    await press(dialog.getByRole('button', { name: 'Done' }));
    await page.getByRole('cell', { name: new RegExp(email) }).waitFor();

    const guest = await aVisitor([noSession, { status: 403, path: /\/api\/dashboard\// }]);
    await guest.page.goto('/');
    await guest.page.getByLabel('E-mail address').fill(email);
    await guest.page.getByLabel('Password', { exact: true }).fill(password);
    await press(guest.page.getByRole('button', { name: 'Sign in' }));
    await guest.page.getByLabel('New password', { exact: true }).fill('a long new password');
    await press(guest.page.getByRole('button', { name: 'Save and sign in' }));
    await guest.page.getByRole('button', { name: /account of Meera Rao/ }).waitFor();
    const isRefused = async (name: string) => {
      const button = guest.page.getByRole('main').getByRole('button', { name });
      // The reason shows on focus, too.
      await button.and(guest.page.locator('[aria-disabled="true"]')).focus();
      await guest.page
        .getByText(/^(Only admins and owners may do this|Viewers may only read)/)
        .last()
        .waitFor();
    };
    for (const [link, ...buttons] of refused) {
      await press(guest.page.getByRole('link', { name: link, exact: true }));
      for (const name of buttons) await isRefused(name);
    }
    await press(guest.page.getByRole('link', { name: 'Assistants', exact: true }));
    await press(guest.page.getByRole('link', { name: 'Asha' }));
    await isRefused('Insert a variable into the first message');
    await press(guest.page.getByRole('tab', { name: 'Analysis' }));
    await isRefused('Add a field');
    await press(guest.page.getByRole('link', { name: 'Members', exact: true }));
    await guest.page.getByText('Only admins and owners see the members.').waitFor();
    await guest.page.getByRole('link', { name: 'Organization', exact: true }).click();
    expect(await guest.page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    await guest.page.goBack();

    await press(page.getByRole('button', { name: 'Actions for Meera Rao' }));
    await press(page.getByRole('menuitem', { name: 'Send the invitation again…' }));
    await press(dialog.getByRole('button', { name: 'Send again' }));
    await dialog.getByText('A person who has signed in needs no invitation').waitFor({ timeout: 5_000 });

    const { access } = await tokensOf({ ...owner, email, password: 'a long new password' });
    const { sub } = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString());
    const removed = await ask(removeMember, { token: (await tokensOf(owner)).access }, { id: sub });
    expect(removed.status).toBe(204);
    await guest.page.reload();
    await heading(guest.page, 'Sign in').waitFor();
    expect(await heading(guest.page, 'Members').count()).toBe(0);
  });
});
