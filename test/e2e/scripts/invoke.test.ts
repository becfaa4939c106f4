import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, placeCall } from '../../support/rest/rest.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'invoke-'));
});
afterEach(() => {
  child?.kill('SIGTERM');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(name: string, event: object, ...flags: string[]) {
  const file = join(folder, 'event.json');
  writeFileSync(file, JSON.stringify(event));
  const started = spawn(process.execPath, ['scripts/invoke.ts', name, file, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child = started;
  const output = { out: '', error: '' };
  started.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  started.stderr.setEncoding('utf8').on('data', (text: string) => (output.error += text));
  return { output, ended: once(started, 'close').then(([code]) => code as number | null) };
}

describe('npm run invoke', () => {
  it('runs a route with the settings of the deployed function and prints its answer', async () => {
    const org = await anOrg();
    const id = await placeCall(org, { phone_number: aPhoneNumber() });
    const headers = { authorization: `Bearer ${org.apiKey}` };
    const { output, ended } = start('get-call', { headers, pathParameters: { id } });
    expect([await ended, output.error]).toEqual([0, '']);
    expect(output.out).toContain('"statusCode": 200');
    expect(output.out).toContain(id);
  });

  it('gives the body of a message to the worker of a queue as a batch of one', async () => {
    const { output, ended } = start('dial-call', { call_id: 'call_unknown' });
    expect([await ended, output.error]).toEqual([0, '']);
    expect(output.out).toContain('"batchItemFailures": []');
  });

  it('waits for a debugger with --inspect', async () => {
    const { output, ended } = start('dial-call', { call_id: 'call_unknown' }, '--inspect', '--port', '0');
    const isWaiting = () => /Debugger listening on ws:\/\/127\.0\.0\.1:/.test(output.error);
    const end = Date.now() + 60_000;
    while (!isWaiting() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isWaiting()).toBe(true);
    expect(output.out).toBe('');
    child?.kill('SIGTERM');
    await ended;
  });

  it('names the existing functions if the name is wrong', async () => {
    const { output, ended } = start('dial-cal', {});
    expect(await ended).toBe(2);
    expect(output.error).toContain('dial-call, ');
  });
});
