import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { DASHBOARD_PATH } from '../../shared/messages/dashboard/route.ts';
import { signOut } from '../../shared/messages/dashboard/session.ts';
import { close, listen } from '../local/support/servers.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../support/organizations/orgs.ts';
import { environment, passTime } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

const unauthorized = (path: RegExp) => ({ status: 401, path });
/** Every visit checks whether a session exists. */
const noSession = unauthorized(/\/session\/refresh$/);
/** A request that a page repeats by itself may find the expired token before the one that a test provokes. */
const noToken = unauthorized(new RegExp(`^${DASHBOARD_PATH}/`));

describeInBrowser('a session', () => {
  it('begins with a password, survives a reload and exists in a second tab', async () => {
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
    // It continues to the page that the person wanted.
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

  it('ends in every tab after a sign-out', async () => {
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

  it('continues in a browser whose person changes the password, and ends in every other one', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { page } = await aVisitor([noSession]);
    const { page: other } = await aVisitor([noSession]);
    for (const each of [page, other]) {
      await each.goto('/account');
      await signIn(each, person);
      await heading(each, 'Account').waitFor();
    }
    await page.getByLabel('Current password', { exact: true }).fill(person.password);
    await page.getByLabel('New password', { exact: true }).fill('a long new password');
    await press(page.getByRole('button', { name: 'Change password' }));
    await page.getByText('Your password is changed.').first().waitFor();
    for (const each of [page, other]) await each.reload();
    await heading(page, 'Account').waitFor();
    await heading(other, 'Sign in').waitFor();
  });

  it('opens a dialog for the password if it ends while a person types, and keeps the typed text', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { page, context } = await aVisitor([noToken]);
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
    await dialog.waitFor();
    expect(await findingsOn(page)).toEqual([]);
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

  it('begins after a problem of the service, and says if there were too many requests', async () => {
    const { page } = await aVisitor([noSession, ...[429, 503].map((status) => ({ status, path: noSession.path }))]);
    await page.goto('/');
    await signIn(page, await aMember(await anOrg(), 'viewer'));
    await heading(page, /./).waitFor();
    const answers: { status: number; headers?: Record<string, string> }[] = [];
    await page.route(`**${DASHBOARD_PATH}/session/refresh`, (route) => {
      const answer = answers.shift();
      return answer ? route.fulfill({ ...answer, body: '' }) : route.fallback();
    });
    answers.push({ status: 503 }, { status: 503 });
    await page.goto('/account');
    await heading(page, 'Account').waitFor();
    answers.push({ status: 429, headers: { 'retry-after': '2' } });
    await page.reload();
    await heading(page, 'The dashboard cannot start').waitFor();
    await page.getByText('Too many attempts.').waitFor();
    await press(page.getByRole('button', { name: 'Try again' }));
    await heading(page, 'Account').waitFor();
  });

  it('continues after the access token has expired', async () => {
    const person = await aMember(await anOrg(), 'admin');
    const { page } = await aVisitor([noToken]);
    await page.goto('/');
    await signIn(page, person);
    await passTime(700);
    await press(page.getByRole('link', { name: 'Members', exact: true }));
    await page.getByRole('cell', { name: new RegExp(person.email) }).waitFor();
  });
});

describeInBrowser('the local cloud', () => {
  it('cannot be reached by another open page', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A game</title>'),
    );
    const game = await listen(server);
    const { dashboard_url, emulator_url, simulators } = environment;
    const targets = [`${dashboard_url}/v1/calls/outbound`, `${emulator_url}/_ministack/health`, simulators.voice];
    // Not a page of `aVisitor`, because its console is full of refusals.
    const foreign = await (await aVisitor()).context.browser()?.newContext();
    const page = (await foreign?.newPage()) as Page;
    const statuses = new Map<string, number>();
    page.on('response', (response) => {
      const { origin } = new URL(response.url());
      if (origin !== game) statuses.set(`${response.request().method()} ${origin}`, response.status());
    });
    await page.goto(game);
    const read = await page.evaluate<string[]>(`(async () => {
      const read = [];
      for (const url of ${JSON.stringify(targets)}) {
        await fetch(url, { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => undefined);
        await fetch(url, { mode: 'no-cors' }).catch(() => undefined);
        await fetch(url).then(() => read.push(url), () => undefined);
        const socket = new WebSocket(url.replace('http', 'ws'));
        await new Promise((done) => {
          socket.onerror = done;
          socket.onopen = () => done(read.push('socket ' + url));
        });
      }
      return read;
    })()`);
    await foreign?.close();
    await close(server);
    expect(read).toEqual([]);
    expect(statuses.size).toBe(2 * targets.length);
    expect(new Set(statuses.values())).toEqual(new Set([403]));
  });
});
