import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { signOut } from '../../shared/messages/dashboard/session.ts';
import { aMember } from '../support/dashboard.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { passTime } from '../support/stack.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const unauthorized = (path: RegExp) => ({ status: 401, path });
/** Every visit asks whether a session exists. */
const noSession = unauthorized(/\/session\/refresh$/);

describeInBrowser('a session', () => {
  it('begins by a password, survives a reload and is there in a second tab', async () => {
    const person = await aMember(await anOrg(), 'admin');
    const { page, context } = await aVisitor([noSession, unauthorized(/\/session$/)]);
    await page.goto('/settings/members');
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill('a wrong password');
    await press(page.getByRole('button', { name: 'Sign in' }));
    await page
      .getByText(/e-mail address or .*password .*(wrong|not right|do not match|does not)/i)
      .first()
      .waitFor();
    await signIn(page, person);
    // It goes on to where the person wanted to be.
    await heading(page, 'Members').waitFor();
    await page.reload();
    await heading(page, 'Members').waitFor();
    const tab = await context.newPage();
    await tab.goto('/account');
    await heading(tab, 'Account').waitFor();
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toMatch(/eyJ/);
  });

  it('ends in every tab by a sign-out', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { page, context } = await aVisitor([noSession]);
    await page.goto('/');
    await signIn(page, person);
    const tab = await context.newPage();
    await tab.goto('/account');
    await heading(tab, 'Account').waitFor();
    await press(page.getByRole('button', { name: /account of/ }));
    await press(page.getByRole('menuitem', { name: 'Sign out' }));
    await heading(page, 'Sign in').waitFor();
    await heading(tab, 'Sign in').waitFor();
  });

  it('that ends while somebody types asks for the password over the page, and loses nothing', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { page, context } = await aVisitor([noSession, unauthorized(/\/me$/)]);
    await page.goto('/');
    await signIn(page, person);
    await page.goto('/account');
    await page.getByLabel('Name', { exact: true }).fill('Meera Rao');
    // Another browser of the person's signs out everywhere.
    const other = await aVisitor([noSession]);
    await other.page.goto('/account');
    await signIn(other.page, person);
    await press(other.page.getByRole('button', { name: /Sign out everywhere/ }));
    await press(other.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }));
    await heading(other.page, 'Sign in').waitFor();
    await passTime(2);
    await press(page.getByRole('button', { name: /^Save/ }).first());
    const dialog = page.getByRole('dialog', { name: 'Please sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await press(dialog.getByRole('button', { name: 'Sign in' }));
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText(/saved/i).first().waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Meera Rao');
    expect((await stores.members.get(person.userId))?.name).toBe('Meera Rao');
    expect((await context.cookies()).map(({ httpOnly, sameSite, path }) => [httpOnly, sameSite, path])).toEqual([
      [true, 'Strict', `${DASHBOARD_PATH}${signOut.path}`],
    ]);
  });

  it('goes on after the access token has expired', async () => {
    const person = await aMember(await anOrg(), 'admin');
    const { page } = await aVisitor([noSession, unauthorized(/\/members$|\/me$/)]);
    await page.goto('/');
    await signIn(page, person);
    await passTime(700);
    await press(page.getByRole('link', { name: 'Members', exact: true }));
    await page.getByRole('cell', { name: new RegExp(person.email) }).waitFor();
  });
});
