import { readFile } from 'node:fs/promises';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { callbackReceiver } from '../support/after-call/callback-receiver.ts';
import { anAcceptedCall, endAcceptedCalls } from '../support/calls/accepted-call.ts';
import { aFinishedCall } from '../support/calls/finished-call.ts';
import { aMember } from '../support/dashboard/dashboard.ts';
import { crowd } from '../support/organizations/crowded-org.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { filesBucket, s3, secondsAgo } from '../support/stack/stack.ts';
import { aVisitor, describeInBrowser } from './support/browser.ts';
import { aHeardCall } from './support/heard-call.ts';
import { press } from './support/keyboard.ts';
import { heading, signIn } from './support/sign-in.ts';

afterAll(endAcceptedCalls);

/** A client's system that is down at first. */
const downReceiver = await callbackReceiver();
const address = downReceiver.address();
downReceiver.stop();

const noSession = { status: 401, path: /\/session\/refresh$/ };

describeInBrowser('the calls', () => {
  it('show the next step while the list is empty, are filtered by the address, and open their transcript', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession]);
    await page.goto('/calls?status=bogus&from=2026-02-30');
    await signIn(page, await aMember(org, 'viewer'));
    await page.getByText('No call yet').waitFor();
    await page.getByText('/v1/calls/outbound').waitFor();

    const phone_number = aPhoneNumber();
    const call = await aFinishedCall(org, 'Asha: Namaste <b>Meera</b>.\nMeera: Saturday would suit me.', {
      phone_number,
      created_at: secondsAgo(60),
    });
    await aFinishedCall(org, undefined, { status: 'busy', duration: 0 });
    // The page shows it without a reload.
    await page.getByRole('cell', { name: 'Busy' }).waitFor();
    await page.getByLabel('Status').selectOption('completed');
    await page.getByRole('cell', { name: 'Busy' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?status=completed');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      press(page.getByRole('button', { name: 'Export CSV' })),
    ]);
    const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1);
    expect(rows.map((row) => row.split(',').at(-1))).toEqual([call.call_id]);
    await page.getByLabel('Result').selectOption('partial');
    await page.getByText('The filters: status Completed, result Partial.').waitFor();
    await press(page.getByRole('button', { name: 'Clear the filters' }));

    await press(page.getByRole('link', { name: phone_number.slice(-5) }));
    await heading(page, /^Call to/).waitFor();
    await page.getByText('Namaste <b>Meera</b>.').waitFor();
    await page.getByText('Saturday would suit me.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/calls/${call.call_id}`);
    await page.getByText('There was no conversation to record').waitFor();
    // A hint about a missing right takes no more room than the allowed action.
    const [analyze, more] = await Promise.all(
      ['Analyze again', 'More'].map((name) => page.getByRole('button', { name, exact: true }).boundingBox()),
    );
    if (!analyze || !more) throw new Error('a button is not shown');
    expect(Math.round(more.x - analyze.x - analyze.width)).toBe(8);
  });

  it('are filtered by a day that is typed, as soon as it is complete', async () => {
    const org = await anOrg();
    await aFinishedCall(org, undefined, { created_at: secondsAgo(60) });
    const { page } = await aVisitor([noSession]);
    await page.goto('/calls');
    await signIn(page, await aMember(org, 'viewer'));
    await page.getByRole('cell', { name: 'Completed' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(...new URL(request.url()).searchParams.getAll('to')));

    const to = page.getByLabel('To (day in India)');
    await to.focus();
    // Month, day and year, as this browser's language orders them.
    await page.keyboard.type('11052025', { delay: 20 });
    await page.getByText('No call matches').waitFor();
    expect(await to.inputValue()).toBe('2025-11-05');
    expect(new URL(page.url()).search).toBe('?to=2025-11-05');
    expect([...new Set(asked)]).toEqual(['2025-11-05T18:29:59.999Z']);

    // Without its month, the day stays as it was, and returns to the field.
    const status = page.getByLabel('Status');
    await status.focus();
    await to.focus();
    await page.keyboard.press('Backspace');
    expect(await to.inputValue()).toBe('');
    await status.focus();
    expect([await to.inputValue(), new URL(page.url()).search]).toEqual(['2025-11-05', '?to=2025-11-05']);
    await press(page.getByRole('button', { name: 'Clear the filter', exact: true }));
    await page.getByRole('cell', { name: 'Completed' }).waitFor();
    expect(await to.inputValue()).toBe('');
  });

  it('do not claim a search for a new filter while the former rows are shown', async () => {
    const org = await anOrg();
    await crowd(org, { calls: 60, events: 0, numbers: 0, connections: [], days: 20 });
    const { page } = await aVisitor([noSession]);
    await page.goto('/calls');
    await signIn(page, await aMember(org, 'viewer'));
    await page.getByRole('button', { name: 'Load more' }).waitFor();
    await page.route('**/calls?status=busy*', () => {});
    await page.getByLabel('Status').selectOption('busy');
    await page.locator('table[aria-busy="true"]').waitFor();
    expect(await page.getByText('Searched back to').count()).toBe(0);
  });

  it('take no more time for a further page than for the second one, however many are shown', async () => {
    const org = await anOrg();
    await crowd(org, { calls: 700, events: 0, numbers: 0, connections: [], days: 20 });
    const { page, context } = await aVisitor([noSession]);
    await page.goto('/calls');
    await signIn(page, await aMember(org, 'viewer'));
    const rows = page.getByRole('main').locator('tbody tr');
    const devTools = await context.newCDPSession(page);
    await devTools.send('Performance.enable');
    const scriptSeconds = async () => {
      const { metrics } = await devTools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
    };
    const seconds: number[] = [];
    for (let shown = 50; shown <= 600; shown += 50) {
      await rows.nth(shown - 1).waitFor();
      const before = await scriptSeconds();
      await press(page.getByRole('button', { name: 'Load more' }));
      await rows.nth(shown).waitFor();
      seconds.push((await scriptSeconds()) - before);
    }
    const [second = 0, ...further] = seconds;
    // The least of the last ones: a refresh of the list may coincide with another one.
    expect(Math.min(...further.slice(-4))).toBeLessThan(3 * second);
  });

  it('are played and followed line by line, stopped while they are live, and their callbacks sent again', async () => {
    const org = await anOrg();
    const { page } = await aVisitor([noSession, { status: 404, path: /\/recording$/ }]);
    const heard = await aHeardCall(org, address);
    await page.goto(`/calls/${heard.call_id}`);
    await signIn(page, await aMember(org, 'member'));

    // It plays, and the spoken line is marked.
    await press(page.getByRole('button', { name: 'Play', exact: true }));
    const spoken = page.locator('[aria-current="true"]');
    await spoken.filter({ hasText: 'Yes?' }).waitFor();
    await press(page.getByRole('button', { name: 'Pause' }));
    await press(page.getByRole('button', { name: /^Play from .*Saturday/ }));
    await spoken.filter({ hasText: 'Saturday' }).waitFor();
    await page.waitForFunction("document.querySelector('audio').currentTime >= 20");
    await press(page.getByRole('button', { name: 'Pause' }));
    const position = page.getByLabel('Position in the recording');
    await position.focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft');
    await spoken.filter({ hasText: 'Yes?' }).waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    // The client's system is still down at the first attempt by hand.
    const callbacks = page.getByRole('table', { name: 'Callbacks' });
    await press(callbacks.getByRole('button', { name: 'Send again' }));
    await callbacks.getByText('the server refused the connection (ECONNREFUSED) · sent manually').waitFor();
    await callbacks.getByText('Failed', { exact: true }).waitFor();
    const receiver = await callbackReceiver(Number(new URL(address).port));
    await press(callbacks.getByRole('button', { name: 'Send again' }));
    await callbacks.getByText('answered 204 · sent manually').waitFor();
    await callbacks.getByText('Delivered').waitFor();
    receiver.stop();
    expect(receiver.at(address)).toHaveLength(1);

    await s3.send(new DeleteObjectCommand({ Bucket: await filesBucket(), Key: heard.recording?.key }));
    await press(page.getByRole('button', { name: 'Download the recording' }));
    await page.getByText('This call has no recording, or it was removed.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/calls/${heard.call_id}`);

    const credit = page.getByRole('link', { name: /credits available/ });
    const whole = await credit.textContent();
    const { callId } = await anAcceptedCall(org);
    await page.goto('/calls?phase=live');
    await page.getByRole('link', { name: /Live.*1/ }).waitFor();
    await page.goto(`/calls/${callId}`);
    expect(await credit.textContent()).not.toBe(whole);
    await press(page.getByRole('button', { name: 'Stop the call' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Stop the call' }));
    await page.getByRole('status').getByText('Canceled').waitFor();
    await page.getByText('Stop requested').waitFor();
    // The bell updates before its next regular read.
    await credit.filter({ hasText: whole ?? '' }).waitFor({ timeout: 30_000 });
  });
});
