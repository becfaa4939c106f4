import { randomUUID } from 'node:crypto';
import { type ActivityEntry, activityExpiry } from '../../shared/domain/connections/activity.ts';
import { newAssistantId } from '../../shared/domain/ids.ts';
import { istDay } from '../../shared/domain/time/ist-day.ts';
import { anAcceptedCall } from '../support/calls/accepted-call.ts';
import { aFinishedCall } from '../support/calls/finished-call.ts';
import { aGrantedConnection } from '../support/connections/crm-b.ts';
import { aHelpDeskConnection } from '../support/connections/help-desk.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { aConnection } from '../support/leads/leads.ts';
import { anOrg, changeOrg, stores, type TestOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { eventually, now } from '../support/stack/stack.ts';
import { findingsOn } from './support/axe.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { type DialogScene, dialogsOf } from './support/dialogs.ts';
import { aHeardCall } from './support/heard-call.ts';
import { pages } from './support/pages.ts';
import { follow, heading, signIn } from './support/sign-in.ts';

const noSession = { status: 401, path: /\/session\/refresh$/ };
/** Pages of a single item have rows of their own below. */
const inside = Object.entries(pages).filter(([, { isOutside, ids }]) => !isOutside && !ids);
const outside = Object.keys(pages).filter((path) => pages[path]?.isOutside);

/** Stores the Activity entry of a lead from CRM-A. */
const aLead = ({ orgId: org_id }: TestOrg, connection_id: string, over: Partial<ActivityEntry>): Promise<unknown> => {
  const at = now().toISOString();
  return stores.activity.record({
    ...{ connection_id, event_id: randomUUID(), org_id, at, source: 'webhook', event: 'new_lead', test: false },
    ...{ lead_id: 'lead-1', phone_masked: '+91*******210', payload_keys: ['ProspectID', 'Phone'] },
    ...{ outcome: 'insufficient_credits', reason: 'The credit does not cover the call.' },
    expires_at: activityExpiry(at),
    ...over,
  });
};

const aFile = { id: 'kb_1', filename: 'prices.txt', path: 'knowledge/none/1.txt', textPreview: 'Two rooms …' };

/** One bar per chart. */
const aDayWithCalls = (org: TestOrg) =>
  stores.transact({
    usage: stores.usage.counting({ org_id: org.orgId, call_id: 'call_1' }, istDay(now()), {
      completed: 1,
      units: 1_000,
    }),
  });

describeInBrowser('every page', () => {
  it('meets WCAG 2.2 AA in both themes, and fits into the window at full and at phone width, even if names and fields are one long word', async () => {
    const org = await anOrg({ assistant: { name: 'W'.repeat(100) } });
    await changeOrg(org.orgId, { name: 'O'.repeat(200) });
    const person = await aMember(org, 'owner');
    const { page } = await aVisitor([noSession]);
    const found: string[] = [];
    const resize = async (what: string, width: number) => {
      await page.setViewportSize({ width, height: 900 });
      const widthOf = () => page.evaluate<number>('document.documentElement.scrollWidth');
      await eventually(widthOf, (pixels) => pixels <= width, 5).catch(() => found.push(`${what} exceeds ${width} px`));
    };
    const check = async (what: string) => {
      // WCAG 2.2, 1.4.10 "Reflow": the width of a window of 1280 px at 400 % zoom.
      await resize(what, 320);
      for (const width of [390, 1440]) {
        await resize(what, width);
        const findings = await findingsOn(page);
        found.push(...findings.map((one) => `${what} ${width} px ${one}`));
      }
    };
    for (const path of outside) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await check(path);
    }
    await page.goto('/account');
    await signIn(page, person);
    await heading(page, 'Account').waitFor();
    for (const [path, { title }] of [...inside, ['/no-such-page', { title: /not|no page/i }] as const]) {
      await follow(page, path);
      await heading(page, title).waitFor();
      await check(path);
    }
    await aDayWithCalls(org);
    await follow(page, '/');
    await page.getByRole('group', { name: 'Calls by outcome: show as' }).getByText('Table').click();
    await page.getByRole('table', { name: 'Calls by outcome' }).waitFor();
    await check('a chart as a table');
    await page.getByRole('button', { name: /needs? you/ }).click();
    await page.getByRole('menuitem').first().waitFor();
    await check('the bell');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('98200');
    await page.getByRole('option').first().waitFor();
    await check('the palette');
    await page.keyboard.press('Escape');
    const request_metadata = { ['k'.repeat(100)]: 'value' };
    const { call_id } = await aHeardCall(org, 'https://client.example/hook', { request_metadata });
    await follow(page, '/calls');
    await page.getByRole('cell', { name: 'Completed' }).waitFor();
    await check('/calls with a call');
    await follow(page, `/calls/${call_id}`);
    await page.getByRole('button', { name: /^Play from .*Yes/ }).waitFor();
    await check('/calls/ID');
    await follow(page, '/developers/callbacks');
    await page.setViewportSize({ width: 320, height: 900 });
    const sendAgain = page.getByRole('button', { name: /^Send again/ });
    const row = page.getByRole('row').filter({ has: sendAgain });
    const [time, button] = await Promise.all([row.locator('time').boundingBox(), row.locator(sendAgain).boundingBox()]);
    if ((time?.x ?? 0) + (time?.width ?? 0) > (button?.x ?? 0))
      found.push('a button covers the first cell of its card');
    await follow(page, `/assistants/${org.assistantId}`);
    await heading(page, /^W+$/).waitFor();
    for (const name of ['Script', 'Voice & limits', 'Knowledge', 'Analysis']) {
      await page.getByRole('tab', { name }).click();
      await check(`/assistants/ID, ${name}`);
    }
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await check('the fields of an analysis as JSON');
    const helpDesk = await aHelpDeskConnection(org, {
      priority_mapping: { field: 'lead_intent', values: { a: 'High' } },
    });
    await follow(page, `/connections/${helpDesk.connection_id}`);
    await page.getByLabel('Preview of a ticket').waitFor();
    await check('/connections/ID');
    const { connectionId } = await aGrantedConnection(org);
    await page.goto(`/connections/${connectionId}`);
    await page.getByText('Last delivery').waitFor();
    await check('/connections/ID of CRM-B');
    const { connection } = await aConnection({}, org);
    const skipped = { outcome: 'owner_mismatch', reason: 'The lead belongs to another owner.' } as const;
    await aLead(org, connection.connection_id, { ...skipped, test: true, owner_id: 'R. Das' });
    await follow(page, '/leads?ask=lead-1');
    await page.getByText('If it arrived now, the result would be the same.').waitFor();
    await page.getByRole('cell', { name: /^Other owner/ }).waitFor();
    await check('/leads with an answer');
    expect(found).toEqual([]);
  });

  it('meets WCAG 2.2 AA in every dialog, menu and error state, too', async () => {
    const org = await anOrg({ assistant: { knowledge_base: [{ ...aFile, uploadedAt: now().toISOString() }] } });
    const [person] = [await aMember(org, 'owner', 'Priya'), await aMember(org, 'admin', 'Rahul')];
    const { connection: crmA } = await aConnection({}, org);
    const { connectionId: crmB } = await aGrantedConnection(org);
    await aLead(org, crmA.connection_id, {});
    await stores.transact({
      number: stores.doNotCall.adding({ org_id: org.orgId, phone: aPhoneNumber(), added_at: now().toISOString() }),
    });
    const { call_id: call } = await aFinishedCall(org);
    const { callId: liveCall } = await anAcceptedCall(org);
    const { page, context } = await aVisitor([
      noSession,
      { status: 404, path: /\/calls\/call_none$|\/knowledge-base\/kb_1$/ },
      { status: 500, path: /\/credit-entries$/ },
    ]);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.goto('/account');
    await signIn(page, person);
    const found: string[] = [];
    const check = async (what: string, part?: string) =>
      void found.push(...(await findingsOn(page, part)).map((one) => `${what}: ${one}`));
    const asha = await stores.assistants.get(org.assistantId);
    if (!asha) throw new Error('no assistant');
    const spareAssistant = newAssistantId();
    await stores.transact({ spare: stores.assistants.adding({ ...asha, assistant_id: spareAssistant, name: 'Tara' }) });
    const things = {
      call,
      liveCall,
      spareAssistant,
      assistant: org.assistantId,
      connections: [crmA.connection_id, crmB],
    };
    let shown: Partial<DialogScene> = { path: '/account' };
    for (const { name, path, address = path, open, stays } of dialogsOf(things)) {
      const isOpen = address === shown.address;
      if (!isOpen && path !== shown.path && !shown.stays) await follow(page, address);
      else if (!isOpen) await page.goto(address);
      if (!isOpen) await page.getByRole('heading', { level: 1 }).waitFor();
      shown = { path, address, stays };
      await open(page);
      await check(`${path}, ${name}`, '[role="dialog"]');
      if (stays) continue;
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    for (const [button, menu] of [
      ['Pages', 'dialog'],
      [/account of/, 'menu'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole(menu).waitFor();
      await check(`what ${button} opens`);
      await page.keyboard.press('Escape');
      await page.getByRole(menu).waitFor({ state: 'detached' });
    }
    await context.setOffline(true);
    await page.getByText(/^You are offline/).waitFor();
    await check('an offline page');
    await context.setOffline(false);
    await page.getByText(/^You are offline/).waitFor({ state: 'detached' });
    await page.goto('/calls/call_none');
    await heading(page, 'No such call').waitFor();
    await check('a call that does not exist');
    const answer = { status: 500, json: { error: 'internal_error', message: 'The service failed.' } };
    await page.route('**/credit-entries*', (route) => route.fulfill(answer));
    await page.goto('/credit');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await check('a part that cannot be read');
    expect(found).toEqual([]);
  });
});
