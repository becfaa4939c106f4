import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { tables } from '../../lib/tables.ts';
import { moveClock } from '../../local/cloud.ts';
import { LOCAL_SENDER } from '../../local/mail.ts';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { untilNoError } from '../support/runner/until-no-error.ts';
import { type Program, runProgram, startProgram } from './support/programs.ts';
import { type RunningService, runningService } from './support/running-service.ts';
import { close, listen } from './support/servers.ts';
import { renameFunction, synthesizeVersion } from './support/versions.ts';

const START_SECONDS = 240;
const NO_SEED = '--no-seed';
/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9';

const folders: string[] = [];
const started: Program[] = [];
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  folders.push(folder);
  return folder;
}

/** Starts the program of `npm start`. */
function start(folder: string, environment: Record<string, string> = {}, ...args: string[]): Program {
  const program = startProgram(['bin/local.ts', ...args], { PORT: '0', LOCAL_FOLDER: folder, ...environment });
  started.push(program);
  return program;
}

const environmentFileOf = (folder: string) => join(folder, 'environment.json');

/** Waits until the start is complete. @returns its environment file */
const environmentOf = (folder: string) =>
  untilNoError(() => JSON.parse(readFileSync(environmentFileOf(folder), 'utf8')), START_SECONDS);

async function freePort(): Promise<string> {
  const server = http.createServer();
  const { port } = new URL(await listen(server));
  await close(server);
  return port;
}

/** Expects one line for the user, without a stack trace. */
function expectOneSentence(text: string, sentence: RegExp): void {
  expect(text.trim().split('\n')).toEqual([expect.stringMatching(sentence)]);
}

async function expectSilence(...addresses: string[]): Promise<void> {
  for (const address of addresses) await expect(fetch(address)).rejects.toThrow();
}

/** The start that most tests share, because each takes half a minute. It deploys while the first tests run. */
const folder = newFolder();
const service = start(folder);

describe('npm start', () => {
  let occupied: http.Server;
  let occupiedPort: string;
  beforeAll(async () => {
    occupied = http.createServer();
    occupiedPort = new URL(await listen(occupied)).port;
  });
  afterAll(() => close(occupied));

  // These starts fail before the local cloud starts, which takes seconds.
  it.each<[string, () => Record<string, string>, RegExp]>([
    ['its port is in use', () => ({ PORT: occupiedPort }), /^Port \d+ is in use: free it, or set PORT/],
    [
      "the emulator's port is in use",
      () => ({ EMULATOR_PORT: occupiedPort }),
      /^Port \d+ .* is in use: .*EMULATOR_PORT/,
    ],
    ['a port is invalid', () => ({ PORT: 'eighty' }), /^PORT must be a port number/],
    [
      'the address of another help desk has a path',
      () => ({ AWS_ENDPOINT_URL: NOWHERE, HELP_DESK_API_URL: 'http://127.0.0.1:9000/api/v1' }),
      /^HELP_DESK_API_URL must be an origin without a path, such as /,
    ],
    [
      'the address of another help desk has no protocol',
      () => ({ AWS_ENDPOINT_URL: NOWHERE, HELP_DESK_API_URL: 'desk.zoho.in' }),
      /^HELP_DESK_API_URL must be an origin without a path, such as /,
    ],
  ])('says how to fix it if %s', async (_what, environment, sentence) => {
    const { printed, ended } = start(newFolder(), environment(), NO_SEED);
    expect(await ended).toBe(1);
    expectOneSentence(printed.error, sentence);
  });

  it('stops the cloud on Ctrl-C, even while it deploys the service', async () => {
    const ownFolder = newFolder();
    const port = await freePort();
    const { child, printed, ended } = start(ownFolder, { EMULATOR_PORT: port }, NO_SEED);
    await untilNoError(() => expect(printed.out).toContain('The language model (simulator)'), START_SECONDS);
    expect((await fetch(`http://127.0.0.1:${port}/_ministack/health`)).status).toBe(200);
    child.kill('SIGINT');
    expect([await ended, printed.error]).toEqual([0, '']);
    expect(existsSync(environmentFileOf(ownFolder))).toBe(false);
    await expectSilence(`http://127.0.0.1:${port}`);
  });
});

/** The last test ends the service. */
describe('a started service', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the first test states the form of the file
  let environment: any;
  let running: RunningService;
  beforeAll(async () => {
    environment = await environmentOf(folder);
    running = await runningService(environment, environmentFileOf(folder));
  });
  const withEnvironment = () => ({ CALLING_SERVICE_ENVIRONMENT: environmentFileOf(folder) });
  const times = (pattern: RegExp) => service.printed.out.match(pattern)?.length ?? 0;

  it('writes its environment file when it is ready', async () => {
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
    const authorization = `Bearer ${environment.api_key}`;
    expect((await fetch(`${environment.base_url}/v1/calls/x`, { headers: { authorization } })).status).toBe(404);
  });

  it('prints the address of the dashboard with a user who can sign in there', async () => {
    const { dashboard_url, dashboard_user } = environment;
    const { email, password } = dashboard_user;
    expect(service.printed.out).toContain(`Dashboard: ${dashboard_url}  ${email}  ${password}\n`);
    const headers = { origin: dashboard_url, 'x-dashboard': '1', 'content-type': 'application/json' };
    const body = JSON.stringify({ email, password });
    const session = await fetch(`${dashboard_url}/api/dashboard/session`, { method: 'POST', headers, body });
    expect(await session.json()).toMatchObject({ access_token: expect.any(String) });
    expect(await (await fetch(dashboard_url)).text()).toContain('<script type="module"');
  });

  it('makes a call by REST, a call for a lead of each CRM, and their tickets', async () => {
    await untilNoError(() => {
      expect(times(/ {2}call\.finished$/gm)).toBe(3);
      expect(times(/CRM-B: POST \/crm\/v8\/(Calls|Leads\/\d+\/Notes) -> 201$/gm)).toBe(2);
      // Both leads make a request, which becomes a ticket with all its follow-ups.
      expect(times(/Help desk: POST \/api\/v1\/tickets\/\d+\/(associateTag|attachments|comments) -> 200$/gm)).toBe(6);
    }, START_SECONDS);
    const lead = /A lead of CRM-B: (\S+)/.exec(service.printed.out)?.[1] ?? '';
    expect(await (await fetch(lead)).text()).toMatch(/Call_Duration.*Note_Content/s);
    const pages = [...service.printed.out.matchAll(/A ticket: (\S+)$/gm)].map(([, url = '']) => url);
    expect(pages).toHaveLength(2);
    const tickets = (await Promise.all(pages.map(async (url) => (await fetch(url)).text()))).join('\n');
    for (const text of [
      'callback — +919812345670',
      'complaint — +919812345671',
      'voice-assistant',
      '.wav',
      'AI: Namaste',
    ])
      expect(tickets).toContain(text);
  });

  it('suggests a command that sends a lead of CRM-A', async () => {
    const [, suggested = ''] = /npm run simulate:crm-a -- (new-lead .+)/.exec(service.printed.out) ?? [];
    const args = ['local/simulators/crm-a/main.ts', ...suggested.trim().split(' ')];
    expect((await runProgram(args, withEnvironment())).out).toMatch(/^200 \{"received":true\}\nlead /);
  });

  it('has consents to CRM-B and the help desk, and pages of their leads and tickets', async () => {
    expect(service.printed.out).not.toMatch(/(CRM-B|The help desk) is /);
    const { connection_id } = environment.connections.help_desk;
    const shown = await runProgram(
      ['bin/admin.ts', 'connection', 'show', '--connection', connection_id, '--json'],
      withEnvironment(),
    );
    expect(JSON.parse(shown.out)).toMatchObject({
      type: 'help-desk',
      settings: { departmentId: expect.any(String), orgId: expect.any(String) },
      health: { status: 'healthy' },
    });
    for (const page of [`${environment.simulators.crm_b}/leads`, `${environment.simulators.help_desk}/tickets`]) {
      expect(service.printed.out).toContain(page);
      expect((await fetch(page)).status).toBe(200);
    }
    // A new connection leads to the consent page.
    expect((await crmBControl(environment.simulators.crm_b).settings({})).consent).toBe('page');
  });

  it('writes each e-mail into a file, and announces it', async () => {
    const { emulator_url: endpoint, region, credentials } = environment;
    const ses = new SESv2Client({ endpoint, region, credentials });
    const content = (Data: string) => ({ Data });
    await ses.send(
      new SendEmailCommand({
        FromEmailAddress: LOCAL_SENDER,
        Destination: { ToAddresses: ['a@example.com'] },
        Content: { Simple: { Subject: content('Hello'), Body: { Text: content('Text') } } },
      }),
    );
    const kept = join(folder, 'mail', '0001.txt');
    await untilNoError(() => {
      expect(service.printed.out).toMatch(/An e-mail to a@example.com: Hello {2}\S+0001\.txt$/m);
      expect(readFileSync(kept, 'utf8')).toBe(`From: ${LOCAL_SENDER}\nTo: a@example.com\nSubject: Hello\n\nText\n`);
    }, START_SECONDS);
  });

  /** The modules find the service through the file in this variable. */
  async function searchedLogs() {
    process.env.CALLING_SERVICE_ENVIRONMENT = environmentFileOf(folder);
    try {
      const [{ allLogs }, { logsRevealNothing }] = await Promise.all([
        import('../support/logs/logs.ts'),
        import('../support/logs/logs-reveal-nothing.ts'),
      ]);
      await logsRevealNothing();
      return await allLogs();
    } finally {
      delete process.env.CALLING_SERVICE_ENVIRONMENT;
    }
  }

  it('has logged no personal data, no secret and no word of a call', async () => {
    const logs = await searchedLogs();
    for (const name of ['place-call', 'process-lead', 'sync-crm-b', 'create-ticket'] as const)
      expect(logs.get(name)).toContain('"level":"INFO"');
  });

  describe('whose deployment is replaced', () => {
    let before: Awaited<ReturnType<RunningService['deployer']['deployed']>>;
    let first: string;
    beforeAll(async () => {
      before = await running.deployer.deployed();
      first = await running.placeCall('+919812345681');
      await running.untilCompleted(first);
    });

    it('can use another LocalStack-compatible cloud, CRM-B and help desk, which survive Ctrl-C', async () => {
      const ownFolder = newFolder();
      const { emulator_url, credentials } = environment;
      const { child, printed, ended } = start(
        ownFolder,
        {
          AWS_ENDPOINT_URL: emulator_url,
          AWS_ACCESS_KEY_ID: credentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
          ZOHO_ACCOUNTS_URL: NOWHERE,
          CRM_B_API_URL: NOWHERE,
          HELP_DESK_API_URL: NOWHERE,
        },
        NO_SEED,
      );
      const own = await environmentOf(ownFolder);
      expect(own.emulator_url).toBe(emulator_url);
      // It does not know the lead owners and the consents of another CRM-B, nor the departments of another help desk.
      expect(own.connections.crm_b).toEqual({ connection_id: expect.stringMatching(/^conn_/) });
      expect(own.connections).not.toHaveProperty('help_desk');
      expect(own.simulators).toEqual({ voice: expect.any(String), model: expect.any(String) });

      const signalled = performance.now();
      child.kill('SIGINT');
      child.kill('SIGTERM');
      expect([await ended, printed.error]).toEqual([0, '']);
      // The promise is 15 seconds; the machine may be busy.
      expect(performance.now() - signalled).toBeLessThan(30_000);
      expect(existsSync(environmentFileOf(ownFolder))).toBe(false);
      await expectSilence(own.base_url, own.simulators.voice, own.simulators.model);
      expect((await fetch(`${emulator_url}/_ministack/health`)).status).toBe(200);
    });

    it('is deployed again with another context and other functions, and back, and calls continue', async () => {
      const { base_url, region } = environment;
      const { deployer, readCall, placeCall, untilCompleted, analyze } = running;
      const publicUrl = async () => (await deployer.outputs('edge')).PublicUrl;
      /** SQS refuses the names of deleted queues for a minute. */
      const moveMinutesAhead = (minutes: number) =>
        moveClock({ clockFile: environment.clock_file, url: environment.emulator_url }, minutes * 61);

      // This version has no public address, no function on the connections' stream, and one route less. The functions
      // of a route, a queue, a stream and a schedule have other names.
      const synthesized = await synthesizeVersion({ region }, ['report-switch-off', 'analyze-call']);
      const renamed = Object.entries({
        'get-call': 'look-at-call',
        'schedule-release': 'plan-release',
        'publish-call-events': 'tell-of-calls',
        'check-connections': 'look-over-connections',
      }).reduce((version, [from, to]) => renameFunction(version, from, to), synthesized);
      expect(await analyze(first)).not.toBe(404);
      await deployer.deploy(renamed);
      expect(await publicUrl()).toContain('execute-api');
      expect(await readCall(first)).toMatchObject({ status: 'completed' });
      expect(await analyze(first)).toBe(404);

      // docs/deploy.md, "Go back to a former version". The other stacks stay, although they have other functions.
      await moveMinutesAhead(1);
      await deployer.deploy(before, ['workers', 'api', 'dashboard', 'observability']);
      expect(await analyze(first)).not.toBe(404);
      await untilCompleted(await placeCall('+919812345682'));

      // docs/architecture.md, "The stacks", permits these deletions.
      for (const part of ['observability', 'pages', 'dashboard', 'workers'] as const) await deployer.delete(part);
      await moveMinutesAhead(2);
      expect(await (await fetch(environment.dashboard_url)).text()).toContain('<script type="module"');
      const second = await placeCall('+919812345684');
      expect(await readCall(second)).toMatchObject({ status: 'queued' });
      await deployer.deploy(before);
      expect(await publicUrl()).toBe(base_url);
      // Its dial message waited for the workers.
      await untilCompleted(second);
      await untilCompleted(await placeCall('+919812345683'));
    });
  });

  it('is not changed by a second start in the same folder', async () => {
    const second = start(folder, {}, NO_SEED);
    expect(await second.ended).toBe(1);
    expectOneSentence(
      second.printed.error,
      /^The service is already running at http:.*: stop it first, or set LOCAL_FOLDER/,
    );
    expect((await fetch(`${environment.base_url}/v1/calls/x`)).status).toBe(401);
  });

  it('continues on tables that were restored to an earlier time, and calls no person again who was called since', async () => {
    // The emulator does not apply the policy of the audit log.
    const restorable = Object.keys(tables).filter((name) => name !== 'audit');
    const { admin, untilIdle, placeCall, untilCompleted, deliver, rings } = running;
    const [client, lead, later] = ['+919812345691', '+919812345692', '+919812345693'];
    const rang = (phone: string) => untilNoError(async () => expect(await rings(phone)).toBe(1), START_SECONDS);
    await running.keepTables();
    const before = await placeCall('+919812345690', 'before');
    await untilCompleted(before);
    await untilIdle();
    await admin({}, 'dialing', 'pause');
    const to = new Date().toISOString().replace(/\.\d+/, '');
    const { restored } = await admin({}, 'stage', 'restore', '--to', to, '--tables', restorable.join(','));
    // Everything below happens after the time to which the tables are restored.
    await admin({}, 'dialing', 'resume');
    const since = await placeCall(client, 'since');
    await deliver(2, lead);
    await rang(lead);
    await untilCompleted(since);
    await untilIdle();
    await admin({}, 'dialing', 'pause');

    await running.deployOn(restored);
    expect(await admin(restored, 'stage', 'reconcile')).toMatchObject({ calls_copied: 2 });
    await admin(restored, 'schedule', 'run', 'recover-calls');
    await admin(restored, 'dialing', 'resume');
    expect(await running.readCall(before)).toMatchObject({ status: 'completed' });
    expect(await placeCall(client, 'since')).toBe(since);
    await deliver(2, lead);
    await deliver(3, later);
    await rang(later);
    const after = await placeCall('+919812345694', 'after');
    // The event comes from the stream of the restored table.
    await untilNoError(
      () => expect(service.printed.out).toMatch(new RegExp(`${after}  call\\.finished$`, 'm')),
      START_SECONDS,
    );
    await untilIdle();
    expect([await rings(client), await rings(lead)]).toEqual([1, 1]);
    expect(await running.stored({}, after)).toBeUndefined();
    expect(await running.stored(restored, after)).toMatchObject({ status: 'completed' });
  });

  // A deployment that removes a function removes its log.
  it('has still logged no personal data, no secret and no word of a call after these deployments and starts', async () => {
    expect((await searchedLogs()).get('dial-call')).toContain('"level":"INFO"');
  });

  it('prints one sentence and stops everything if its emulator dies', async () => {
    process.kill(environment.emulator_pid, 'SIGKILL');
    expect(await service.ended).toBe(1);
    expectOneSentence(
      service.printed.error,
      /^The local cloud ended unexpectedly: read .*emulator\.log, then start again\.$/,
    );
    expect(existsSync(environmentFileOf(folder))).toBe(false);
    const { base_url, simulators } = environment;
    await expectSilence(base_url, simulators.voice, simulators.crm_b, simulators.help_desk);
  });
});
