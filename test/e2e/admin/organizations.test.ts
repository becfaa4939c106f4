import { resumeDialing } from '../../../shared/operations/calls/pause-dialing.ts';
import { runCollected } from '../../support/admin/admin.ts';
import { type Body, cli, done, refusals, refused } from '../../support/admin/cli.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import {
  anOrg,
  changeOrg,
  expectBalancedBooks,
  OPERATOR,
  operating,
  stores,
  type TestOrg,
} from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../../support/rest/rest.ts';
import { environment, now, voice, workersAreIdle } from '../../support/stack/stack.ts';

/** The sums of an organization's ledger as the CLI shows it, in credits. */
async function ledgerSums(orgId: string): Promise<{ amount: number; held: number }> {
  const { entries } = await done('org', 'ledger', '--org', orgId);
  const sum = (column: string) => entries.reduce((total: number, entry: Body) => total + entry[column], 0);
  return { amount: Number(sum('amount').toFixed(3)), held: Number(sum('held').toFixed(3)) };
}

let org: TestOrg;
beforeAll(async () => {
  org = await anOrg({ credits: 100 });
});
// Runs even after a failure, which must not stop the other suites.
afterAll(() => resumeDialing(operating, OPERATOR));

describe('admin org', () => {
  it('creates, shows and changes an organization', async () => {
    const created = await done(
      ...['org', 'create', '--name', 'Acme', '--credits', '12.345', '--rate', '0.5', '--region', 'AE'],
      ...['--platform-numbers', '+918012345678,+9108012345679'],
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
      countries: ['AE'],
      rates: {},
      rate_limits: { requests_per_minute: 600, outbound_per_minute: 60 },
      voice_number_id: null,
      callback_secret_hint: expect.stringMatching(/^.{4}$/),
      suspended: false,
      max_live_calls: null,
      max_wait_minutes: null,
      daily_limit: null,
      retention: { recordings: null, transcripts: null, calls: null, activity: null },
      email_notices: { low_credit: ['admin', 'owner'], broken_connection: ['admin', 'owner'] },
    });
    const of = ['--org', created.org_id];
    expect(await done('org', 'show', ...of)).toEqual({ ...created, spent_today: 0 });
    expect(await ledgerSums(created.org_id)).toEqual({ amount: 12.345, held: 0 });

    const changed = await done(
      ...['org', 'update', ...of, '--name', 'Acme 2', '--rate', '2', '--platform-numbers', '', '--credits', '20'],
      ...['--countries', 'US,AE', '--rates', 'US=2.505'],
      ...['--region', 'IN', '--requests-per-minute', '7', '--outbound-per-minute', '3'],
      ...[
        '--voice-number-id',
        'number-1',
        '--max-live-calls',
        '4',
        '--max-wait-minutes',
        '30',
        '--daily-limit',
        '99.5',
      ],
      ...['--email-low-credit', 'owner,member', '--email-broken-connection', 'none'],
      ...['--retention-recordings', '90', '--retention-transcripts', 'forever'],
      ...['--retention-calls', '365', '--retention-activity', '30'],
    );
    expect(changed).toEqual({
      ...created,
      name: 'Acme 2',
      rate: 2,
      balance: 20,
      available: 20,
      platform_numbers: [],
      default_region: 'IN',
      countries: ['IN', 'US', 'AE'],
      rates: { US: 2.505 },
      rate_limits: { requests_per_minute: 7, outbound_per_minute: 3 },
      voice_number_id: 'number-1',
      max_live_calls: 4,
      max_wait_minutes: 30,
      daily_limit: 99.5,
      retention: { recordings: 90, transcripts: 'forever', calls: 365, activity: 30 },
      email_notices: { low_credit: ['member', 'owner'], broken_connection: [] },
    });
    expect(await ledgerSums(created.org_id)).toEqual({ amount: 20, held: 0 });
    const none = ['--max-live-calls', 'none', '--voice-number-id', 'none', '--retention-recordings', 'none'];
    expect(await refused('org', 'update', ...of, '--retention-recordings', '31')).toMatchObject({
      error: 'invalid_value',
    });
    expect(await done('org', 'update', ...of, ...none)).toMatchObject({
      retention: { recordings: null, transcripts: 'forever', calls: 365, activity: 30 },
      max_live_calls: null,
      voice_number_id: null,
      max_wait_minutes: 30,
    });

    const { entries } = await done('audit', 'list', ...of);
    const actors = entries.map(({ actor }: Body) => ({ kind: actor.kind, isIdentified: /^arn:aws:/.test(actor.arn) }));
    expect(actors.length).toBeGreaterThan(1);
    expect(actors).toEqual(actors.map(() => ({ kind: 'operator', isIdentified: true })));
  });

  it('creates an organization without credit, adds some, and takes back available credit only', async () => {
    const { org_id: orgId, rate } = await done('org', 'create', '--name', 'Poor', '--credits', '0');
    const of = ['--org', orgId];
    expect([rate, await done('org', 'ledger', ...of)]).toEqual([1, { entries: [] }]);
    await done('org', 'credit', ...of, '--amount', '5', '--reason', 'first payment');
    expect(await done('org', 'credit', ...of, '--amount', '0.125', '--reason', 'goodwill')).toMatchObject({
      balance: 5.125,
    });
    expect(await done('org', 'credit', ...of, '--amount', '-1')).toMatchObject({ balance: 4.125, available: 4.125 });
    expect(await refused('org', 'credit', ...of, '--amount', '-4.126')).toMatchObject({
      error: 'insufficient_credits',
      available: 4.125,
    });
    const paid = ['org', 'credit', ...of, '--amount', '2', '--reference', 'invoice 7'];
    expect([await done(...paid), await done(...paid)]).toMatchObject([{ balance: 6.125 }, { balance: 6.125 }]);
    const other = await refused('org', 'credit', ...of, '--amount', '3', '--reference', 'invoice 7');
    expect(other).toMatchObject({ error: 'reference_used', amount: 2 });
    const { entries } = await done('org', 'ledger', ...of);
    expect(entries.map(({ kind, amount, held, reason }: Body) => [kind, amount, held, reason])).toEqual([
      ['top_up', 2, 0, null],
      ['top_up', -1, 0, null],
      ['top_up', 0.125, 0, 'goodwill'],
      ['top_up', 5, 0, 'first payment'],
    ]);
    expect((await done('org', 'ledger', ...of, '--limit', '1')).entries).toEqual(entries.slice(0, 1));
    expect(await ledgerSums(orgId)).toEqual({ amount: 6.125, held: 0 });
    await expectBalancedBooks(orgId);
  });

  it('replaces the callback secret; the old one signs for another day and is then dropped', async () => {
    const { orgId } = await anOrg();
    const of = ['--org', orgId];
    const { secret: first } = await done('org', 'callback-secret', ...of);
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: second } = await done('org', 'callback-secret', ...of, '--rotate');
    expect(second).not.toBe(first);
    expect(await done('org', 'callback-secret', ...of)).toEqual({ secret: second });
    expect((await done('org', 'show', ...of)).callback_secret_hint).toBe(second.slice(-4));

    const stored = (await stores.organizations.get(orgId))?.callback_secrets ?? [];
    expect(stored.map(({ hint }) => hint)).toEqual([second.slice(-4), first.slice(-4)]);
    expect(JSON.stringify(stored)).not.toContain(second);
    const hours = (Date.parse(stored[1]?.until ?? '') - now().getTime()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);

    const expired = stored.map((one, index) => (index === 0 ? one : { ...one, until: now().toISOString() }));
    await changeOrg(orgId, { callback_secrets: expired });
    const { secret: third } = await done('org', 'callback-secret', ...of, '--rotate');
    const hints = (await stores.organizations.get(orgId))?.callback_secrets.map(({ hint }) => hint);
    expect(hints).toEqual([third.slice(-4), second.slice(-4)]);
  });

  it('suspends an organization, whose calls wait, and dials them at once when it is resumed', async () => {
    const own = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy', ringSeconds: 1 });
    await done('dialing', 'pause');
    const callId = await placeCall(own, { phone_number });
    await workersAreIdle();
    expect(await done('org', 'suspend', '--org', own.orgId)).toMatchObject({ suspended: true });
    await done('dialing', 'resume');
    await workersAreIdle();
    expect(await readCall(own, callId)).toMatchObject({ status: 'queued' });
    expect(await done('org', 'resume', '--org', own.orgId)).toMatchObject({ suspended: false });
    expect(await endOf(own, callId)).toMatchObject({ status: 'busy' });
    expect(await voice.rings(phone_number)).toBe(1);
  });

  it('shows tables and sentences on a terminal, and writes refusals only to standard error', async () => {
    const ledger = await cli('org', 'ledger', '--org', org.orgId);
    expect(ledger).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^at +kind +amount .* API key +address/),
      stderr: '',
    });
    const missing = await cli('org', 'show', '--org', 'org0');
    expect(missing).toEqual({ code: 1, stdout: '', stderr: 'Organization org0 does not exist.\n' });
  });

  it('refuses unknown organizations, keys and assistants, and creates none', async () => {
    const unknown = ['show', 'suspend', 'resume', 'ledger', 'callback-secret'].map((name) => ['org', name]);
    unknown.push(['org', 'credit', '--amount', '1'], ['org', 'update', '--name', 'x'], ['key', 'list']);
    unknown.push(['key', 'create', '--name', 'x'], ['assistant', 'list'], ['assistant', 'create', '--name', 'x']);
    unknown.push(['call', 'list'], ['connection', 'list'], ['connection', 'create', '--type', 'crm-a']);
    const codes = await refusals(unknown.map((args) => [...args, '--org', 'org0']));
    expect(codes).toEqual(unknown.map(() => 'org_not_found'));
    expect(
      await refusals([
        ['key', 'revoke', '--key', 'key_none'],
        ['assistant', 'show', '--assistant', 'asst_none'],
        ['assistant', 'update', '--assistant', 'asst_none', '--name', 'x'],
      ]),
    ).toEqual(['key_not_found', 'assistant_not_found', 'assistant_not_found']);
    expect(await stores.organizations.get('org0')).toBeUndefined();
  });
});

describe('admin key', () => {
  const get = async (key: string) => (await request('GET', '/v1/calls/call_none', { key })).status;

  it('creates a key, lists keys without values, and revokes a key at once', async () => {
    const of = ['--org', org.orgId];
    const created = await done('key', 'create', ...of, '--name', 'reader', '--permissions', 'calls:read');
    const { key_id, api_key, permissions } = created;
    expect(permissions).toEqual(['calls:read']);
    expect(await get(api_key)).toBe(404);

    const list = await done('key', 'list', ...of);
    expect(list.keys.map((key: Body) => key.key_id)).toEqual(expect.arrayContaining([key_id, org.keyId]));
    expect(JSON.stringify(list)).not.toMatch(/key_hash|svc_live_/);

    const revoked = await done('key', 'revoke', '--key', key_id);
    expect(revoked).toMatchObject({ key_id, revoked_at: expect.any(String) });
    expect(JSON.stringify(revoked)).not.toMatch(/key_hash/);
    expect(await get(api_key)).toBe(401);
    expect(await done('key', 'revoke', '--key', key_id)).toEqual(revoked);
  });

  it('gives a new key the default permissions, and shows its value on a terminal, too', async () => {
    const { code, stdout } = await cli('key', 'create', '--org', org.orgId, '--name', 'person');
    expect(code).toBe(0);
    expect(stdout).toMatch(/calls:write, assistants:read/);
    expect(stdout).toMatch(new RegExp(`^ {2}svc_live_${org.orgId}_\\S+$`, 'm'));
  });
});

describe('admin assistant', () => {
  it('creates, shows, lists and changes an assistant', async () => {
    const analysis_schema = { type: 'object', properties: { budget: { type: 'number' } } };
    const definition = { name: 'From file', prompt: 'P', success_criteria: 'visit agreed', analysis_schema };
    const file = aFile('definition.json', JSON.stringify(definition));
    const created = await done(
      ...['assistant', 'create', '--org', org.orgId, '--name', 'Neha', '--language', 'hi', '--file', file],
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
});

describe('admin --stage', () => {
  it('names the deployment command if the stage does not exist', async () => {
    const { emulator_url, credentials } = environment;
    const variables = {
      AWS_ENDPOINT_URL: emulator_url,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const ours = process.env;
    process.env = { ...ours, ...variables };
    const show = ['org', 'show', '--org', org.orgId, '--stage', 'nowhere', '--region', 'us-east-1'];
    const ran = await runCollected(show).finally(() => {
      process.env = ours;
    });
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/not deployed in us-east-1.*cdk deploy/),
    });
  });
});

describe('admin user', () => {
  it('invites a person by address and role, and shows the first password of the local cloud', async () => {
    const invitation = ['user', 'invite', '--org', org.orgId, '--email', `Asha.${org.orgId}@clinic.example`] as const;
    const invited = await done(...invitation, '--role', 'viewer');
    expect(invited).toMatchObject({
      email: `asha.${org.orgId}@clinic.example`,
      name: `Asha.${org.orgId}`,
      role: 'viewer',
      temporary_password: expect.stringMatching(/.{12}/),
    });
    expect((await done('user', 'list', '--org', org.orgId)).users).toMatchObject([{ user_id: invited.user_id }]);
    expect((await refused('user', 'invite', '--org', org.orgId, '--email', 'nonsense')).error).toBe('invalid_value');
  });
});
