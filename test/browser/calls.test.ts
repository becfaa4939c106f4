import { Readable } from 'node:stream';
import { aMember } from '../support/dashboard.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { secondsAgo } from '../support/stack.ts';
import { aVisitor, describeInBrowser, heading, signIn } from './support/browser.ts';

/** A second of silence, as a WAV file. */
function aTone() {
  const samples = Buffer.alloc(8_000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  const file = Buffer.concat([head, samples]);
  return { body: Readable.from([file]), contentType: 'audio/wav', contentLength: file.length };
}

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

    const key = await stores.files.putRecording(call, aTone(), 100_000);
    const heard = await aFinishedCall(org, 'Asha: Namaste.', { recording: { state: 'stored', key } });
    await page.goto(`/calls/${heard.call_id}`);
    await page.getByRole('button', { name: 'Open the recording' }).click();
    const player = page.getByLabel('Recording of the call');
    // Its length is known once the browser has read it from the bucket, which the headers have to allow.
    await player.and(page.locator('audio')).waitFor();
    await page.waitForFunction("document.querySelector('audio').duration === 1");
  });
});
