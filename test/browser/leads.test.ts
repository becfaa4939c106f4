import type { Page } from 'playwright-core';
import { addCredit } from '../../shared/operations/organizations/add-credit.ts';
import { aGrantedConnection } from '../support/connections/crm-b.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { aConnection, decided, leadBody } from '../support/leads/leads.ts';
import { aQuietLead } from '../support/leads/quiet-lead.ts';
import { decidedForLead } from '../support/leads/scheduled-leads.ts';
import { anOrg, OPERATOR, operating, stores } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { now } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
const IST_AHEAD_MS = 5.5 * 3_600_000;
const HOUR_MS = 3_600_000;

/** A call window that is closed at present. */
function closedWindow() {
  const hour = (ahead: number) => new Date(now().getTime() + IST_AHEAD_MS + ahead * HOUR_MS).getUTCHours();
  const clock = (ahead: number) => `${String(hour(ahead)).padStart(2, '0')}:00`;
  return { call_window_start: clock(2), call_window_end: clock(3) };
}

describeInBrowser('a manager', () => {
  it.each([
    ['leaving the page', false, (page: Page) => page.goBack()],
    ['a stop', true, (page: Page) => press(page.getByRole('button', { name: 'Stop' }))],
  ])('queues no further leads after %s', async (_, mayReopen, leave) => {
    const org = await anOrg({ credits: 0 });
    await decided(await aConnection({}, org), leadBody({ Phone: aPhoneNumber() }));
    const { page } = await aVisitor([noSession]);
    await page.goto('/');
    await signIn(page, await aMember(org, 'admin'));
    await press(page.getByRole('link', { name: 'Leads', exact: true }));
    await press(page.getByRole('button', { name: 'Retry 1 lead…' }));
    const held = Promise.withResolvers<void>();
    const slices = [
      { queued: 50, next: 'x' },
      { queued: 1, next: null },
    ];
    await page.route('**/retries', (route) => held.promise.then(() => route.fulfill({ json: slices.shift() })));
    const requested = page.waitForRequest('**/retries');
    await press(page.getByRole('button', { name: 'Retry leads' }));
    await requested;
    await leave(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    if (mayReopen) await press(page.getByRole('button', { name: 'Retry 1 lead…' }));
    held.resolve();
    await page.getByText('50 leads are being checked again.').first().waitFor({ timeout: 10_000 });
    expect(await page.getByRole('dialog').count()).toBe(mayReopen ? 1 : 0);
  });

  it('sees why each lead was not called, and retries the leads that lacked credit', async () => {
    const org = await anOrg({ credits: 0 });
    const a = await aConnection({}, org);
    const b = await aGrantedConnection(org, { settings: closedWindow() });
    const [others, short, later] = [aPhoneNumber(), aPhoneNumber(), aPhoneNumber()];
    await decided(a, leadBody({ Phone: others, OwnerId: 'R. Das', FirstName: '<b>Meera</b>' }));
    await decided(a, leadBody({ Phone: short }));
    await decidedForLead(b, await aQuietLead(later));

    const { page } = await aVisitor([noSession, { status: 429, path: /\/retries$/ }]);
    await page.goto('/leads');
    await signIn(page, await aMember(org, 'admin'));
    const group = (name: string) => page.getByRole('button', { name });
    for (const name of ['Called 0', 'Waiting 1', 'Skipped 1', 'Needs you 1']) await group(name).waitFor();
    await press(group('Waiting 1'));
    await page.getByRole('cell', { name: 'No credit' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: /^Scheduled/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?group=waiting');
    await press(group('Waiting 1'));
    await page.getByRole('cell', { name: /^No credit/ }).waitFor();

    const ask = async (question: string) => {
      await page.getByLabel('Phone number or lead id').fill(question);
      await page.keyboard.press('Enter');
    };
    await ask(others.slice(3));
    await page.getByText('Not called: it belonged to the owner with the id “R. Das”').waitFor();
    await page.getByText('If it arrived now, the result would be the same.').waitFor();
    await page.getByRole('link', { name: 'Choose whose leads are called' }).first().waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await ask(later);
    await page.getByText('It is called when the call window opens, on').waitFor();
    await ask('+91 99999 00000');
    await page.getByText(/^No event about the number \+91 99999 00000 is in Activity/).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await ask(short);
    await page.getByText('Not called: the credit did not cover the call.').waitFor();

    await addCredit(operating, OPERATOR, { org_id: org.orgId, amount: 100_000 });
    await press(page.getByRole('button', { name: 'Ask', exact: true }));
    await page.getByText('If it arrived now, it would be called.').waitFor();
    await press(page.getByRole('button', { name: 'Retry 1 lead…' }));
    await page.getByRole('dialog').getByText('1 × No credit').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    const slices = [{ json: { queued: 50, next: 'x' } }, { status: 429, json: { error: 'rate_limit_exceeded' } }];
    await page.route('**/retries', (route) => route.fulfill(slices.shift()), { times: slices.length });
    await press(page.getByRole('button', { name: 'Retry leads' }));
    await page.getByRole('dialog').getByText('Too many attempts.').waitFor();
    await page.getByRole('dialog').getByText('50 queued so far.').waitFor({ timeout: 5_000 });
    await press(page.getByRole('button', { name: 'Retry leads' }));
    await page.getByText('1 lead is being checked again.').first().waitFor();
    await page.getByRole('cell', { name: /^Called/ }).waitFor();
    for (const name of ['Called 1', 'Needs you 0']) await group(name).waitFor();
    await page.getByRole('row', { name: 'No credit' }).getByText('Another entry says what happened next.').waitFor();
    await page.getByText(/It (is about to be|is being|was) called/).waitFor();

    // A call that is live has its answer read again every few seconds.
    const held = Promise.withResolvers<void>();
    await page.route('**/lead-events/explanation?*', (route) => held.promise.then(() => route.continue()), {
      times: 1,
    });
    await press(page.getByRole('button', { name: 'Ask', exact: true }));
    await ask(others.slice(3));
    await page.getByRole('button', { name: 'Use this owner' }).waitFor({ timeout: 5_000 });
    held.resolve();
    await press(page.getByRole('button', { name: 'Use this owner' }));
    await page.getByRole('dialog').waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Use this owner' }));
    await page.getByText('Now calls go to leads of the owner with the id “R. Das”.').waitFor();
    expect((await stores.connections.get(a.connection.connection_id))?.trigger_owner_user_id).toBe('R. Das');
  });
});
