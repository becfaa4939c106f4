import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { functionNames, functionRow } from '../../lib/functions.ts';
import { topUpEntry } from '../../shared/domain/organizations/ledger-entry.ts';
import { putSecret } from '../../shared/stores/secrets.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../support/rest.ts';
import {
  client,
  db,
  environment,
  environmentFile,
  eventually,
  freshWorkers,
  named,
  now,
  secrets,
  sqs,
  voice,
  workersAreIdle,
} from '../support/stack.ts';
import { SIMULATED_SPEED } from '../support/start-stack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = process.execPath;

type Ran = { code: number | null; stdout: string; stderr: string };
type Options = { input?: string; environment?: Record<string, string> };

/** Runs a program as an operator's shell does, with the running stack as its local cloud. */
async function run(command: string, args: string[], { input = '', environment: more }: Options = {}): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: root,
    env: {
      ...process.env,
      CALLING_SERVICE_ENVIRONMENT: environmentFile,
      // Compiled once for all runs: a hundred of them, on few cores.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      ...more,
    },
  });
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return text;
  };
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

const cli = (args: string[], options?: Options): Promise<Ran> => run(node, ['bin/admin.ts', ...args], options);

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; the tests say what is in them.
type Body = any;

/** Runs a command with --json. Everything on standard output must be one JSON document. */
async function ask(args: string[], options?: Options): Promise<{ code: number | null; body: Body }> {
  const { code, stdout, stderr } = await cli([...args, '--json'], options);
  try {
    return { code, body: JSON.parse(stdout) };
  } catch {
    throw new Error(`${args.join(' ')} ended with ${code} and wrote no JSON:\n${stdout}\n${stderr}`);
  }
}

async function done(...args: string[]): Promise<Body> {
  const { code, body } = await ask(args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${JSON.stringify(body)}`);
  return body;
}

/** @returns what a refused command answers. */
async function refused(...args: string[]): Promise<Body> {
  const { code, body } = await ask(args);
  expect([args, code]).toEqual([args, 1]);
  expect(body).toMatchObject({ error: expect.any(String), message: expect.stringMatching(/\S/) });
  return body;
}

/** The sums of an org's ledger as the CLI tells it, in credits. */
async function sums(orgId: string): Promise<{ amount: number; held: number }> {
  const { entries } = await done('org', 'ledger', '--org', orgId);
  const sum = (column: string) => entries.reduce((total: number, entry: Body) => total + entry[column], 0);
  return { amount: Number(sum('amount').toFixed(3)), held: Number(sum('held').toFixed(3)) };
}

let folder: string;
let org: TestOrg;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'admin-'));
  org = await anOrg({ credits: 100 });
});
afterAll(async () => {
  // A test that failed in between must not stop the other suites.
  await stores.slots.resume();
  await voice.settings({ speed: SIMULATED_SPEED });
  await rm(folder, { recursive: true, force: true });
});

describe('admin org', () => {
  it('creates, shows and changes an org', async () => {
    const created = await done(
      ...['org', 'create', '--name', 'Acme', '--credits', '12.345', '--rate', '0.5', '--region', 'AE'],
      ...['--platform-numbers', '+918012345678,+918012345679'],
    );
    expect(created).toEqual({
      org_id: expect.stringMatching(/^org[0-9a-f]{16}$/),
      name: 'Acme',
      balance: 12.345,
      held: 0,
      available: 12.345,
      rate: 0.5,
      platform_numbers: ['+918012345678', '+918012345679'],
      default_region: 'AE',
      rate_limits: { requests_per_minute: 600, outbound_per_minute: 60 },
      voice_number_id: null,
      callback_secret_hint: expect.stringMatching(/^.{4}$/),
      suspended: false,
      max_live_calls: null,
      max_wait_minutes: null,
    });
    const of = ['--org', created.org_id];
    expect(await done('org', 'show', ...of)).toEqual(created);
    expect(await sums(created.org_id)).toEqual({ amount: 12.345, held: 0 });

    const changed = await done(
      ...['org', 'update', ...of, '--name', 'Acme 2', '--rate', '2', '--platform-numbers', '', '--credits', '20'],
      ...[
        '--region',
        'IN',
        '--requests-per-minute',
        '7',
        '--outbound-per-minute',
        '3',
        '--voice-number-id',
        'number-1',
      ],
      ...['--max-live-calls', '4', '--max-wait-minutes', '30'],
    );
    const settings = {
      name: 'Acme 2',
      rate: 2,
      platform_numbers: [],
      default_region: 'IN',
      rate_limits: { requests_per_minute: 7, outbound_per_minute: 3 },
      voice_number_id: 'number-1',
      max_live_calls: 4,
      max_wait_minutes: 30,
    };
    expect(changed).toEqual({ ...created, ...settings, balance: 20, available: 20 });
    expect(await sums(created.org_id)).toEqual({ amount: 20, held: 0 });
    expect(await done('org', 'update', ...of, '--max-live-calls', 'none', '--voice-number-id', 'none')).toMatchObject({
      max_live_calls: null,
      voice_number_id: null,
      max_wait_minutes: 30,
    });
  });

  it('creates one without credit, with no entry in its ledger', async () => {
    const { org_id, rate } = await done('org', 'create', '--name', 'Poor', '--credits', '0');
    expect(rate).toBe(1);
    expect(await done('org', 'ledger', '--org', org_id)).toEqual({ entries: [] });
  });

  it('adds credit and takes back what is available, no more', async () => {
    const { orgId } = await anOrg({ credits: 5 });
    const of = ['--org', orgId];
    expect(await done('org', 'credit', ...of, '--amount', '0.125', '--reason', 'goodwill')).toMatchObject({
      balance: 5.125,
    });
    expect(await done('org', 'credit', ...of, '--amount', '-1')).toMatchObject({ balance: 4.125, available: 4.125 });
    expect(await refused('org', 'credit', ...of, '--amount', '-4.126')).toMatchObject({
      error: 'insufficient_credits',
      available: 4.125,
    });
    const { entries } = await done('org', 'ledger', ...of);
    expect(entries.map(({ kind, amount, held, reason }: Body) => [kind, amount, held, reason])).toEqual([
      ['top_up', -1, 0, null],
      ['top_up', 0.125, 0, 'goodwill'],
      ['top_up', 5, 0, 'opening credit'],
    ]);
    expect((await done('org', 'ledger', ...of, '--limit', '1')).entries).toEqual(entries.slice(0, 1));
    expect(await sums(orgId)).toEqual({ amount: 4.125, held: 0 });
    await expectBalancedBooks(orgId);
  });

  it('replaces the callback secret; the old one signs along for a day and is dropped then', async () => {
    const { orgId } = await anOrg();
    const of = ['--org', orgId];
    const { secret: first } = await done('org', 'callback-secret', ...of);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: second } = await done('org', 'callback-secret', ...of, '--rotate');
    expect(second).not.toBe(first);
    expect(await done('org', 'callback-secret', ...of)).toEqual({ secret: second });
    expect((await done('org', 'show', ...of)).callback_secret_hint).toBe(second.slice(-4));

    const kept = (await stores.organizations.get(orgId))?.callback_secrets ?? [];
    expect(kept.map(({ hint }) => hint)).toEqual([second.slice(-4), first.slice(-4)]);
    expect(JSON.stringify(kept)).not.toContain(second);
    const hours = (Date.parse(kept[1]?.until ?? '') - now().getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);

    const expired = kept.map((one, index) => (index === 0 ? one : { ...one, until: now().toISOString() }));
    await stores.organizations.update(orgId, { callback_secrets: expired });
    const { secret: third } = await done('org', 'callback-secret', ...of, '--rotate');
    const hints = (await stores.organizations.get(orgId))?.callback_secrets.map(({ hint }) => hint);
    expect(hints).toEqual([third.slice(-4), second.slice(-4)]);
  });

  it('suspends: calls wait, and resume has them dialed at once', async () => {
    const own = await anOrg();
    const phone_number = await aBusyNumber();
    const [callId = ''] = await whilePaused(() => placeCall(own, { phone_number }));
    expect(await done('org', 'suspend', '--org', own.orgId)).toMatchObject({ suspended: true });
    await done('dialing', 'resume');
    await workersAreIdle();
    expect(await readCall(own, callId)).toMatchObject({ status: 'queued' });
    expect(await done('org', 'resume', '--org', own.orgId)).toMatchObject({ suspended: false });
    expect(await endOf(own, callId)).toMatchObject({ status: 'busy' });
    expect(await voice.rings(phone_number)).toBe(1);
  });

  it('refuses bad values and unknown orgs, and changes nothing', async () => {
    const of = ['--org', org.orgId];
    const before = await done('org', 'show', ...of);
    const bad: string[][] = [
      ['create', '--name', 'x', '--credits', '1.2345'],
      ['create', '--name', 'x', '--credits', '-1'],
      ['create', '--name', 'x', '--credits', 'many'],
      ['create', '--name', ' ', '--credits', '1'],
      ['update', ...of, '--name', 'changed', '--rate', '-1'],
      ['update', ...of, '--name', 'changed', '--platform-numbers', '+918012345678,08012345678'],
      ['update', ...of, '--name', 'changed', '--region', 'India'],
      ['update', ...of, '--credits', '7', '--max-live-calls', '0'],
      ['update', ...of, '--credits', '7', '--max-wait-minutes', '1.5'],
      ['update', ...of, '--name', 'changed', '--requests-per-minute', '0'],
      ['credit', ...of, '--amount', '1e3'],
      ['credit', ...of, '--amount', '0'],
      ['ledger', ...of, '--limit', '10001'],
      ['ledger', ...of, '--limit', '0'],
    ];
    const answers = await inTurn(bad, 4, (args) => refused('org', ...args));
    expect(answers.map(({ error }) => error)).toEqual(bad.map(() => 'invalid_value'));
    expect(await done('org', 'show', ...of)).toEqual(before);
    await expectBalancedBooks(org.orgId);

    const unknown = ['show', 'suspend', 'ledger', 'callback-secret'].map((verb) => [verb, '--org', 'org0']);
    unknown.push(['credit', '--org', 'org0', '--amount', '1'], ['update', '--org', 'org0', '--name', 'x']);
    const missing = await inTurn(unknown, 4, (args) => refused('org', ...args));
    expect(missing.map(({ error }) => error)).toEqual(unknown.map(() => 'org_not_found'));
    expect(await stores.organizations.get('org0')).toBeUndefined();
  });

  it('writes a large ledger whole into a pipe whose reader is slow', async () => {
    const { orgId } = await anOrg({ credits: 0 });
    const start = now().getTime();
    const batches = Array.from({ length: 200 }, (_, batch) =>
      Array.from({ length: 25 }, (_, index) => {
        const at = new Date(start + batch * 25 + index).toISOString();
        return topUpEntry(
          orgId,
          'many',
          index % 2 ? -1_001 : 1_001,
          at,
          'one of very many entries, so that it is long',
        );
      }),
    );
    await inTurn(batches, 10, (entries) => {
      const puts = entries.map((Item) => ({ PutRequest: { Item } }));
      return db.send(new BatchWriteCommand({ RequestItems: { [named.table('credit-ledger')]: puts } }));
    });
    // By the entry that `npm run admin` starts: a process in between must not cut it short either.
    const command = `"${node}" local/install.mjs bin/admin.ts org ledger --org ${orgId} --limit 10000 --json | (sleep 1; cat)`;
    const { stdout } = await run('sh', ['-c', command]);
    expect(stdout.length).toBeGreaterThan(500_000);
    const { entries } = JSON.parse(stdout);
    expect(entries).toHaveLength(5_000);
    expect(new Set(entries.map(({ entry }: Body) => entry)).size).toBe(5_000);
    expect(entries[0].at > entries[4_999].at).toBe(true);
  });
});

describe('admin key', () => {
  it('creates, lists without values, and revokes at once', async () => {
    const of = ['--org', org.orgId];
    const { key_id, api_key, permissions } = await done(
      'key',
      'create',
      ...of,
      '--name',
      'reader',
      '--permissions',
      'calls:read',
    );
    expect(permissions).toEqual(['calls:read']);
    expect((await request('GET', '/v1/calls/call_none', { key: api_key })).status).toBe(404);

    const list = await done('key', 'list', ...of);
    expect(list.keys.map((key: Body) => key.key_id)).toEqual(expect.arrayContaining([key_id, org.keyId]));
    expect(JSON.stringify(list)).not.toMatch(/key_hash|svc_live_/);

    const revoked = await done('key', 'revoke', '--key', key_id);
    expect(revoked).toMatchObject({ key_id, revoked_at: expect.any(String) });
    expect(JSON.stringify(revoked)).not.toMatch(/key_hash/);
    expect((await request('GET', '/v1/calls/call_none', { key: api_key })).status).toBe(401);
    expect(await done('key', 'revoke', '--key', key_id)).toEqual(revoked);
  });

  it('gives a new key the usual permissions, and shows its value to people, too', async () => {
    const { code, stdout } = await cli(['key', 'create', '--org', org.orgId, '--name', 'person']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/calls:write, assistants:read/);
    expect(stdout).toMatch(new RegExp(`^ {2}svc_live_${org.orgId}_\\S+$`, 'm'));
  });

  it('refuses unknown permissions, orgs and keys', async () => {
    const before = (await stores.apiKeys.listOfOrg(org.orgId)).length;
    const create = ['key', 'create', '--name', 'x'];
    const answers = await Promise.all([
      refused(...create, '--org', org.orgId, '--permissions', 'calls:read,calls:delete'),
      refused(...create, '--org', org.orgId, '--permissions', ','),
      refused(...create, '--org', 'org0'),
      refused('key', 'list', '--org', 'org0'),
      refused('key', 'revoke', '--key', 'key_none'),
    ]);
    const codes = ['invalid_value', 'invalid_value', 'org_not_found', 'org_not_found', 'key_not_found'];
    expect(answers.map(({ error }) => error)).toEqual(codes);
    expect(await stores.apiKeys.listOfOrg(org.orgId)).toHaveLength(before);
  });
});

describe('admin assistant', () => {
  const definition = async (content: unknown) => {
    const file = join(folder, `${Math.random()}.json`);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return ['--file', file];
  };

  it('creates, shows, lists and changes', async () => {
    const analysis_schema = { type: 'object', properties: { budget: { type: 'number' } } };
    const file = await definition({
      name: 'From file',
      prompt: 'P',
      success_criteria: 'visit agreed',
      analysis_schema,
    });
    const created = await done(
      'assistant',
      'create',
      '--org',
      org.orgId,
      '--name',
      'Neha',
      '--language',
      'hi',
      ...file,
    );
    expect(created).toMatchObject({
      assistant_id: expect.stringMatching(/^asst_/),
      org_id: org.orgId,
      name: 'Neha',
      prompt: 'P',
      language: 'hi',
      voice: null,
      transfer_number: null,
      max_duration_seconds: 600,
      success_criteria: 'visit agreed',
      analysis_schema,
      knowledge_base: [],
    });
    const { assistant_id } = created;
    expect(await done('assistant', 'show', '--assistant', assistant_id)).toEqual(created);
    const changed = await done(
      ...['assistant', 'update', '--assistant', assistant_id, '--max-duration', '3600', '--voice', 'Neha'],
      ...['--first-message', 'Hi!', '--transfer-number', '+918012345678', '--prompt', 'Q'],
    );
    expect(changed).toEqual({
      ...created,
      max_duration_seconds: 3600,
      voice: 'Neha',
      first_message: 'Hi!',
      transfer_number: '+918012345678',
      prompt: 'Q',
    });
    expect((await done('assistant', 'list', '--org', org.orgId)).assistants).toEqual(expect.arrayContaining([changed]));
    const bare = await done(
      ...['assistant', 'update', '--assistant', assistant_id, '--transfer-number', 'none', '--voice', 'none'],
    );
    expect(bare).toMatchObject({ transfer_number: null, voice: null, prompt: 'Q' });
  });

  it('refuses what is wrong or unknown, and changes nothing', async () => {
    const update = ['update', '--assistant', org.assistantId];
    const before = await stores.assistants.listOfOrg(org.orgId);
    const bad = [
      [...update, '--name', 'x', '--max-duration', '9'],
      [...update, '--name', 'x', '--max-duration', '3601'],
      [...update, '--max-duration', 'ten'],
      [...update, '--name', 'x', '--transfer-number', '08012345678'],
      [...update, ...(await definition({ name: 'x', tone: 'warm' }))],
      [...update, ...(await definition({ analysis_schema: { type: 'array' } }))],
      [...update, ...(await definition('{"name": '))],
      [...update, '--file', join(folder, 'none.json')],
      ['create', '--org', org.orgId],
    ];
    const answers = await inTurn(bad, 4, (args) => refused('assistant', ...args));
    expect(answers.map(({ error }) => error)).toEqual(bad.map(() => 'invalid_value'));
    expect(answers[4].message).toContain('tone');
    expect(await refused('assistant', 'show', '--assistant', 'asst_none')).toMatchObject({
      error: 'assistant_not_found',
    });
    expect(await stores.assistants.listOfOrg(org.orgId)).toEqual(before);
  });
});

describe('admin dialing and call', () => {
  it('pauses the stage, cancels a waiting call, resumes, hangs a live one up, and tells what became of them', async () => {
    const phone_number = aPhoneNumber();
    // Every command is a process of its own: the call must last until it is hung up.
    await voice.settings({ speed: 3 });
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 1_200 });
    let live = '';
    try {
      expect(await done('dialing', 'pause')).toMatchObject({ paused: true });
      const waiting = await placeCall(org, { phone_number: aPhoneNumber() });
      live = await placeCall(org, { phone_number });
      await workersAreIdle();
      expect(await done('org', 'show', '--org', org.orgId)).toMatchObject({ balance: 100, held: 20, available: 80 });
      expect(await refused('call', 'hangup', '--call', waiting)).toMatchObject({ error: 'not_live' });
      expect(await done('call', 'cancel', '--call', waiting)).toMatchObject({
        id: waiting,
        status: 'canceled',
        ended_reason: 'canceled_by_operator',
        cost: 0,
      });
      expect(await refused('call', 'cancel', '--call', waiting)).toMatchObject({ error: 'already_ended' });
      expect(await readCall(org, live)).toMatchObject({ status: 'queued' });
      expect(await sums(org.orgId)).toEqual({ amount: 100, held: 10 });
    } finally {
      expect(await done('dialing', 'resume')).toMatchObject({ paused: false });
    }

    await eventually(
      () => readCall(org, live),
      ({ status }) => status === 'in_progress',
    );
    const canceling = await refused('call', 'cancel', '--call', live);
    expect(canceling).toMatchObject({ error: 'already_dialed', message: expect.stringContaining('hangup') });
    expect(await done('call', 'hangup', '--call', live)).toMatchObject({ id: live });
    await voice.settings({ speed: SIMULATED_SPEED });
    await endOf(org, live);
    expect(await refused('call', 'hangup', '--call', live)).toMatchObject({ error: 'already_ended' });

    const shown = await eventually(
      () => done('call', 'show', '--call', live),
      ({ recording, analysis_state }) => recording.state !== 'pending' && analysis_state !== 'pending',
    );
    expect(shown).toMatchObject({
      ...(await readCall(org, live)),
      org_id: org.orgId,
      created_at: expect.any(String),
      dial_by: expect.any(String),
      scheduled_for: null,
      attempts: 1,
      crm_b: null,
      analysis_state: 'done',
      analysis_error: null,
      analysis_is_cut: false,
      analyzed_at: expect.any(String),
      lead_intent: expect.any(String),
      do_not_call: false,
      transcript: expect.stringContaining('Namaste'),
      recording: { state: 'stored', key: expect.stringContaining(live), error: null },
      callbacks: [],
    });

    const { calls } = await done('call', 'list', '--org', org.orgId);
    expect(calls.map(({ id }: Body) => id)[0]).toBe(live);
    const canceled = await done('call', 'list', '--org', org.orgId, '--status', 'canceled', '--limit', '1');
    expect(canceled.calls.map(({ status }: Body) => status)).toEqual(['canceled']);
    await expectBalancedBooks(org.orgId);
  });

  it('shows each attempt of a callback, and when the next one is due', async () => {
    const callId = await placeCall(org, { phone_number: await aBusyNumber() });
    await endOf(org, callId);
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const callback = { call_id: callId, org_id: org.orgId, url: 'https://example.com', body: '{}', created_at: at(0) };
    await stores.callbacks.create({
      ...callback,
      webhook_id: 'one',
      type: 'call.ringing',
      state: 'pending',
      attempts: [
        { at: at(1), status_code: 500 },
        { at: at(3), error: 'timeout' },
      ],
      next_attempt_at: at(9),
      expires_at: 9_999_999_999,
    });
    await stores.callbacks.create({
      ...callback,
      webhook_id: 'two',
      type: 'call.dialing',
      state: 'delivered',
      attempts: [{ at: at(2), status_code: 204 }],
      expires_at: 9_999_999_999,
    });
    expect((await done('call', 'show', '--call', callId)).callbacks).toEqual([
      { type: 'call.ringing', at: at(1), status_code: 500, error: null, next_attempt_at: null },
      { type: 'call.dialing', at: at(2), status_code: 204, error: null, next_attempt_at: null },
      { type: 'call.ringing', at: at(3), status_code: null, error: 'timeout', next_attempt_at: at(9) },
    ]);
  });

  it('refuses unknown calls, orgs and values', async () => {
    const answers = await Promise.all([
      ...['show', 'cancel', 'hangup'].map((verb) => refused('call', verb, '--call', 'call_none')),
      refused('call', 'list', '--org', 'org0'),
      refused('call', 'list', '--org', org.orgId, '--status', 'lost'),
      refused('call', 'list', '--org', org.orgId, '--limit', '0'),
    ]);
    const callNotFound = ['call_not_found', 'call_not_found', 'call_not_found'];
    const codes = [...callNotFound, 'org_not_found', 'invalid_value', 'invalid_value'];
    expect(answers.map(({ error }) => error)).toEqual(codes);
  });
});

describe('admin schedule', () => {
  it('runs a scheduled function now, or as of an instant, and tells its report', async () => {
    const [report, past] = await Promise.all([
      done('schedule', 'run', 'recover-calls'),
      done('schedule', 'run', 'recover-calls', '--as-of', '2026-01-01T10:00:00+05:30'),
    ]);
    for (const one of [report, past]) expect(one).toMatchObject({ looked_at: expect.any(Number), complete: true });
    const answers = await Promise.all([
      refused('schedule', 'run', 'recover-all'),
      refused('schedule', 'run', 'recover-calls', '--as-of', 'yesterday'),
    ]);
    expect(answers.map(({ error }) => error)).toEqual(['invalid_value', 'invalid_value']);
  });
});

describe('admin queue', () => {
  const lay = async (deadLettersOf: string, body: object) => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: named.deadLetters(deadLettersOf) }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
  };
  const deadLetters = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await done('queue', 'list')).queues.map(({ name, dead_letters }: Body) => [name, dead_letters]),
    );

  it('lists every queue with its dead letters, and has them worked on again', async () => {
    // The local cloud has no metrics of its queues: this one is as CloudWatch would have it.
    await new CloudWatchClient(client).send(
      new PutMetricDataCommand({
        Namespace: 'AWS/SQS',
        MetricData: [
          {
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: named.queue('slots') }],
            Value: 42,
            Timestamp: now(),
          },
        ],
      }),
    );
    const { queues } = await done('queue', 'list');
    const aged = queues.filter(({ oldest_age_seconds }: Body) => oldest_age_seconds !== null);
    expect(aged).toEqual([expect.objectContaining({ name: 'slots', oldest_age_seconds: 42 })]);
    const names = queues.map(({ name }: Body) => name);
    expect(names.slice(0, names.indexOf('connections-stream') + 1)).toEqual([
      ...['leads', 'releases', 'dial', 'voice-events', 'slots', 'finish', 'crm-b-sync', 'tickets', 'callbacks'],
      ...[
        'rule-releases',
        'rule-dial',
        'rule-slots',
        'rule-finish',
        'rule-crm-b-sync',
        'rule-tickets',
        'rule-callbacks',
      ],
      ...['calls-stream', 'connections-stream'],
    ]);
    const scheduled = functionNames.filter((name) => functionRow(name).trigger.kind === 'schedule');
    expect(names.slice(names.indexOf('connections-stream') + 1)).toEqual(scheduled);
    expect(queues.find(({ name }: Body) => name === 'dial')).toEqual({
      name: 'dial',
      depth: expect.any(Number),
      in_flight: expect.any(Number),
      delayed: expect.any(Number),
      oldest_age_seconds: null,
      dead_letters: expect.any(Number),
    });

    // Two calls whose dial messages were lost.
    const before = await deadLetters();
    const numbers = await Promise.all([aBusyNumber(), aBusyNumber()]);
    const lost = await whilePaused(...numbers.map((phone_number) => () => placeCall(org, { phone_number })));
    await stores.slots.resume();
    await lay('dial', { call_id: lost[0] });
    await lay('rule-dial', { 'detail-type': 'call.queued', source: 'test', detail: { call_id: lost[1] } });
    await lay('recover-calls', { time: now().toISOString() });
    await lay('connections-stream', { DDBStreamBatchInfo: { batchSize: 1 } });
    const after = await deadLetters();
    expect([after.dial, after['rule-dial']]).toEqual([(before.dial ?? 0) + 1, (before['rule-dial'] ?? 0) + 1]);

    expect(await done('queue', 'redrive', '--queue', 'dial')).toEqual({ moved: { dial: after.dial } });
    const { moved } = await done('queue', 'redrive');
    expect(moved).toMatchObject({
      dial: 0,
      'rule-dial': after['rule-dial'],
      'recover-calls': after['recover-calls'],
      'connections-stream': after['connections-stream'],
    });
    for (const callId of lost) expect(await endOf(org, callId)).toMatchObject({ status: 'busy' });
    expect(await deadLetters()).toMatchObject({ dial: 0, 'rule-dial': 0, 'recover-calls': 0, 'connections-stream': 0 });
    expect(await refused('queue', 'redrive', '--queue', 'nope')).toMatchObject({ error: 'invalid_value' });
  });
});

describe('admin secret', () => {
  const storedValue = async (name: string, VersionStage = 'AWSCURRENT') =>
    (await secrets.send(new GetSecretValueCommand({ SecretId: named.secret(name), VersionStage }))).SecretString ?? '';
  const set = (input: string) => ask(['secret', 'set', '--name', 'voice'], { input });

  it('sets a secret from standard input and shows no value of it', async () => {
    const value = await storedValue('voice');
    const { code, body } = await set(` ${value}\n`);
    expect([code, body.name]).toEqual([0, 'voice']);
    expect(JSON.parse(await storedValue('voice'))).toEqual(JSON.parse(value));

    const list = await done('secret', 'list');
    expect(list.secrets.map(({ name }: Body) => name)).toEqual([
      'voice',
      'crm-b-oauth',
      'help-desk-oauth',
      'voice-webhook-key',
      'recording-link-key',
    ]);
    const current = list.secrets[0].versions.find(({ stages }: Body) => stages.includes('AWSCURRENT'));
    expect(current.version_id).toBe(body.version_id);
    for (const secret of [...Object.values(JSON.parse(value)), await storedValue('voice-webhook-key')])
      expect(JSON.stringify([body, list])).not.toContain(secret);
  });

  it('refuses what its readers could not use, without repeating it', async () => {
    const before = await storedValue('voice');
    const bad = ['', 'sk-hidden', '"sk-hidden"', '{"api_key": 5}', '{"api_key": "sk-hidden", "phone": "sk-hidden"}'];
    for (const { code, body } of await Promise.all([...bad, '{"api_key": " "}'].map(set))) {
      expect([code, body.error]).toEqual([1, 'invalid_value']);
      expect(body.message).not.toContain('sk-hidden');
    }
    expect(await refused('secret', 'set', '--name', 'other')).toMatchObject({ error: 'invalid_value' });
    expect(await storedValue('voice')).toBe(before);
  });

  it('replaces the webhook key; the one before stays readable', async () => {
    const before = await storedValue('voice-webhook-key');
    try {
      const { code, stdout } = await cli(['secret', 'rotate', '--name', 'voice-webhook-key']);
      const key = await storedValue('voice-webhook-key');
      expect([code, key.length, await storedValue('voice-webhook-key', 'AWSPREVIOUS')]).toEqual([0, 64, before]);
      expect(key).not.toBe(before);
      expect(stdout).not.toContain(key);
    } finally {
      // What other suites sign with, so that a second rotation could not end it.
      await putSecret(secrets, named.secret('voice-webhook-key'), before);
      await freshWorkers('dial-call');
    }
  });
});

describe('admin', () => {
  it('ends with 2 on wrong usage, and with 0 on help', async () => {
    const wrong = [
      ['org', 'show'],
      ['org', 'show', '--org'],
      ['org', 'show', '--org', org.orgId, '--colour', 'red'],
      ['org', 'show', '--org', org.orgId, 'more'],
      ['org', 'update', '--org', org.orgId],
      ['assistant', 'update', '--assistant', org.assistantId],
      ['org', 'bogus'],
      ['bogus'],
      ['schedule', 'run'],
      ['org'],
    ];
    await inTurn(wrong, 4, async (args) => {
      const { code, body } = await ask(args);
      expect([args, code, body.error]).toEqual([args, 2, 'wrong_usage']);
    });
    const { code, stdout, stderr } = await cli(['bogus']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('unknown command');
    expect(await cli(['org', 'create', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--rate'),
    });
  });

  it('speaks to people in tables and sentences, and to them alone on standard error', async () => {
    const ledger = await cli(['org', 'ledger', '--org', org.orgId]);
    expect(ledger).toMatchObject({ code: 0, stdout: expect.stringMatching(/^at +kind +amount/), stderr: '' });
    const missing = await cli(['org', 'show', '--org', 'org0']);
    expect(missing).toEqual({ code: 1, stdout: '', stderr: 'There is no org org0.\n' });
  });

  it('says what to do where there is no cloud, or no such stage in it', async () => {
    const show = ['org', 'show', '--org', org.orgId];
    const silent = join(folder, 'silent.json');
    await writeFile(silent, JSON.stringify({ ...environment, emulator_url: 'http://127.0.0.1:1' }));
    const client = {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL: environment.emulator_url,
    };
    const nothing = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_PROFILE: '',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const none = join(folder, 'none');
    const files = { AWS_SHARED_CREDENTIALS_FILE: none, AWS_CONFIG_FILE: none };
    const elsewhere = [...show, '--stage', 'nowhere', '--region', 'us-east-1'];
    const answers = await Promise.all([
      ask(show, { environment: { CALLING_SERVICE_ENVIRONMENT: silent } }),
      ask(show, { environment: { CALLING_SERVICE_ENVIRONMENT: none } }),
      ask(elsewhere, { environment: client }),
      ask(elsewhere, { environment: { ...nothing, ...files } }),
      ask([...show, '--stage', 'Nowhere!']),
    ]);
    expect(answers.map(({ code, body }) => [code, body.error])).toEqual([
      [1, 'unavailable'],
      [1, 'unavailable'],
      [1, 'not_deployed'],
      [1, 'unavailable'],
      [1, 'invalid_value'],
    ]);
    expect(answers[0]?.body.message).toContain('npm start');
    expect(answers[2]?.body.message).toContain('cdk deploy');
  });
});

/** A phone whose call is over soon. */
async function aBusyNumber(): Promise<string> {
  const phone_number = aPhoneNumber();
  await voice.script(phone_number, { behaviour: 'busy', ringSeconds: 1 });
  return phone_number;
}

/**
 * Places calls that nobody dials, not even after the pause, unless somebody asks for it anew. Leaves the stage paused.
 */
async function whilePaused(...placing: (() => Promise<string>)[]): Promise<string[]> {
  await stores.slots.pause(now().toISOString());
  const placed = await Promise.all(placing.map((place) => place()));
  // Their dial messages find the stage paused.
  await workersAreIdle();
  return placed;
}

/** Does the work of all items, some at a time: the machine has few cores. */
async function inTurn<Item, Result>(
  items: Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += width)
    results.push(...(await Promise.all(items.slice(start, start + width).map(work))));
  return results;
}
