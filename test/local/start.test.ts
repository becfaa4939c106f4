import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = process.execPath;

let folder: string;
let started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The program of `npm start`, in its own folder. */
function start(environment: Record<string, string> = {}, { withSamples = false } = {}) {
  const child = spawn(node, ['bin/local.ts', ...(withSamples ? [] : ['--no-seed'])], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      NODE_OPTIONS: '',
      PORT: '0',
      LOCAL_FOLDER: folder,
      ...environment,
    },
  });
  started.push(child);
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.error += text));
  // Not `exit`, because output may arrive after that event.
  return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

const environmentFile = () => join(folder, 'environment.json');

async function until(isDone: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('not in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function occupiedPort() {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: String(typeof address === 'object' ? address?.port : 0), free: () => server.close() };
}

/** Expects one line for the user, without a stack trace. */
function expectOneSentence(text: string, wanted: RegExp): void {
  expect(text.trim().split('\n')).toEqual([expect.stringMatching(wanted)]);
}

describe('npm start', () => {
  it('writes its environment file when it is ready; Ctrl-C removes it and stops all processes within 15 s', async () => {
    const { child, said, ended } = start();
    await until(() => existsSync(environmentFile()));
    const environment = JSON.parse(readFileSync(environmentFile(), 'utf8'));
    expect(environment).toMatchObject({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      emulator_url: expect.any(String),
      region: 'us-east-1',
      org_id: expect.any(String),
      api_key: expect.stringMatching(/^svc_live_/),
      assistant_id: expect.any(String),
      connections: {
        crm_a: { connection_id: expect.stringMatching(/^conn_/), token: expect.stringMatching(/^[\w-]{43}$/) },
        crm_b: { connection_id: expect.stringMatching(/^conn_/), owner_id: expect.any(String) },
        help_desk: { connection_id: expect.stringMatching(/^conn_/) },
      },
      simulators: { voice: expect.any(String), crm_b: expect.any(String), help_desk: expect.any(String) },
    });
    expect(said.out).not.toMatch(/(CRM-B|The help desk) is /);
    // The suggested command works: CRM-A's lead is accepted.
    const line = /npm run simulate:crm-a -- (new-lead .+)/;
    await until(() => line.test(said.out));
    const lead = spawn(
      node,
      ['local/simulators/crm-a/main.ts', ...(line.exec(said.out)?.[1] ?? '').trim().split(' ')],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_OPTIONS: '', CALLING_SERVICE_ENVIRONMENT: environmentFile() },
      },
    );
    const told = await lead.stdout.toArray();
    expect(Buffer.concat(told).toString('utf8')).toMatch(/^200 \{"received":true\}\nlead /);
    // CRM-B is connected: a lead that is created there becomes a call and gets a call log and a note.
    const crmB = crmBControl(environment.simulators.crm_b);
    const owner = environment.connections.crm_b.owner_id;
    const leadId = await crmB.createLead({ Last_Name: 'Das', Mobile: '98123 45672' }, { owner });
    await until(async () => (await crmB.calls(leadId)).length > 0 && (await crmB.notes(leadId)).length > 0);
    expect(said.out).toContain(`${environment.simulators.crm_b}/leads`);
    // The help desk is connected with its organization, and its tickets have a page.
    const shown = spawn(
      node,
      ['bin/admin.ts', 'connection', 'show', '--connection', environment.connections.help_desk.connection_id, '--json'],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, NODE_OPTIONS: '', CALLING_SERVICE_ENVIRONMENT: environmentFile() },
      },
    );
    expect(JSON.parse(Buffer.concat(await shown.stdout.toArray()).toString('utf8'))).toMatchObject({
      type: 'help-desk',
      settings: { departmentId: expect.any(String), orgId: expect.any(String) },
      health: { status: 'healthy' },
    });
    const tickets = `${environment.simulators.help_desk}/tickets`;
    expect(said.out).toContain(tickets);
    expect((await fetch(tickets)).status).toBe(200);
    // A new connection leads to the consent page.
    expect((await crmB.settings({})).consent).toBe('page');
    const answer = await fetch(`${environment.base_url}/v1/calls/unknown`, {
      headers: { authorization: `Bearer ${environment.api_key}` },
    });
    expect(answer.status).toBe(404);

    const asked = performance.now();
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(30_000);
    expect(existsSync(environmentFile())).toBe(false);
    await expect(fetch(environment.emulator_url)).rejects.toThrow();
    await expect(fetch(environment.simulators.voice)).rejects.toThrow();
    await expect(fetch(tickets)).rejects.toThrow();
    expect(said.error).toBe('');
  });

  it('starts with a call by REST, a lead of each CRM that becomes a call, and their tickets', async () => {
    const { child, said, ended } = start({}, { withSamples: true });
    const times = (pattern: RegExp) => said.out.match(pattern)?.length ?? 0;
    await until(() => times(/ {2}call\.finished$/gm) === 3);
    await until(() => times(/CRM-B: POST \/crm\/v8\/(Calls|Leads\/\d+\/Notes) -> 201$/gm) === 2);
    const page = /A lead of CRM-B: (\S+)/.exec(said.out)?.[1] ?? '';
    const html = await (await fetch(page)).text();
    expect(html).toMatch(/Call_Duration.*Note_Content/s);
    // Both leads make a request, which becomes a ticket with all its follow-ups.
    await until(
      () => times(/Help desk: POST \/api\/v1\/tickets\/\d+\/(associateTag|attachments|comments) -> 200$/gm) === 6,
    );
    const pages = [...said.out.matchAll(/A ticket: (\S+)$/gm)].map(([, url]) => url ?? '');
    expect(pages).toHaveLength(2);
    const shown = (await Promise.all(pages.map(async (url) => (await fetch(url)).text()))).join('\n');
    for (const text of [
      'callback — +919812345670',
      'complaint — +919812345671',
      'voice-assistant',
      '.wav',
      'AI: Namaste',
    ])
      expect(shown).toContain(text);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('leaves a running system alone if it is started a second time in the same folder', async () => {
    const first = start();
    await until(() => existsSync(environmentFile()));
    const second = start();
    expect(await second.ended).toBe(1);
    expectOneSentence(
      second.said.error,
      /^The service is already running at http:.*: stop it first, or set LOCAL_FOLDER/,
    );
    const { base_url } = JSON.parse(readFileSync(environmentFile(), 'utf8'));
    expect((await fetch(`${base_url}/v1/calls/x`)).status).toBe(401);
    first.child.kill('SIGTERM');
    await first.ended;
  });

  it('says what to do if its port is in use', async () => {
    const { port, free } = await occupiedPort();
    const { said, ended } = start({ PORT: port });
    expect(await ended).toBe(1);
    free();
    expectOneSentence(said.error, new RegExp(`^Port ${port} is in use: free it, or set PORT`));
  });

  it("says what to do if the emulator's port is in use", async () => {
    const { port, free } = await occupiedPort();
    const { said, ended } = start({ EMULATOR_PORT: port });
    expect(await ended).toBe(1);
    free();
    expectOneSentence(said.error, new RegExp(`^Port ${port} .*EMULATOR_PORT`));
  });

  it('says what to do if a port is invalid', async () => {
    const { said, ended } = start({ PORT: 'eighty' });
    expect(await ended).toBe(1);
    expectOneSentence(said.error, /^PORT must be a port number/);
  });

  it.each(['http://127.0.0.1:9000/api/v1', 'desk.zoho.in'])(
    'says what to do if the address of another help desk is invalid: %s',
    async (address) => {
      const { said, ended } = start({ HELP_DESK_API_URL: address });
      expect(await ended).toBe(1);
      expectOneSentence(said.error, /^HELP_DESK_API_URL must be an origin without a path, such as /);
    },
  );

  it('ends with one sentence if the emulator dies', async () => {
    const { said, ended } = start();
    await until(() => existsSync(environmentFile()));
    process.kill(JSON.parse(readFileSync(environmentFile(), 'utf8')).emulator_pid, 'SIGKILL');
    expect(await ended).toBe(1);
    expectOneSentence(said.error, /^The local cloud ended unexpectedly: read .*emulator\.log, then start again\.$/);
    expect(existsSync(environmentFile())).toBe(false);
  });

  it('uses another LocalStack-compatible endpoint, CRM-B and help desk if variables name them', async () => {
    const first = start();
    await until(() => existsSync(environmentFile()));
    const { emulator_url } = JSON.parse(readFileSync(environmentFile(), 'utf8'));
    const other = mkdtempSync(join(tmpdir(), 'start-'));
    // It cannot know the lead owners and the consents of another CRM-B.
    const nobody = 'http://127.0.0.1:9';
    const second = start({
      AWS_ENDPOINT_URL: emulator_url,
      LOCAL_FOLDER: other,
      ZOHO_ACCOUNTS_URL: nobody,
      CRM_B_API_URL: nobody,
      HELP_DESK_API_URL: nobody,
    });
    await until(() => existsSync(join(other, 'environment.json')));
    const environment = JSON.parse(readFileSync(join(other, 'environment.json'), 'utf8'));
    expect(environment.emulator_url).toBe(emulator_url);
    expect(environment.connections.crm_b).toEqual({ connection_id: expect.stringMatching(/^conn_/) });
    // It cannot know the departments of another help desk either.
    expect(environment.connections).not.toHaveProperty('help_desk');
    expect(environment.simulators).toEqual({ voice: expect.any(String), model: expect.any(String) });
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect((await fetch(`${emulator_url}/_ministack/health`)).status).toBe(200);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    rmSync(other, { recursive: true, force: true });
  });
});
