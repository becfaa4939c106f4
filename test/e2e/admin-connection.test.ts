import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { hashWebhookToken } from '../../shared/domain/connections/webhook-token.ts';
import { ask, type Body, cli, cliWith, done, refusals, refused } from '../support/cli.ts';
import { aConnection, activityOf, decided, deliver, leadBody, OWNER, type TestConnection } from '../support/leads.ts';
import { anOrg, expectBalancedBooks, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf } from '../support/rest.ts';
import { environment, eventually, now, queueUrl, sqs, voice } from '../support/stack.ts';

const WAIT = 45; // seconds

const of = ({ connection }: Pick<TestConnection, 'connection'>): string[] => ['--connection', connection.connection_id];
const kept = ({ connection }: Pick<TestConnection, 'connection'>) => stores.connections.get(connection.connection_id);

/** @returns the connection's health as the CLI tells it, once it has this status. */
const healthOf = (connectionId: string, status: string): Promise<Body> =>
  eventually(
    async () => (await done('connection', 'show', '--connection', connectionId)).health,
    (health) => health.status === status,
    WAIT,
  );

describe('admin connection create', () => {
  it('shows the token once, keeps only its hash, and the CRM can deliver to the URL with it', async () => {
    const { orgId, assistantId } = await anOrg();
    const { token, ...created } = await done(
      ...['connection', 'create', '--org', orgId, '--type', 'crm-a', '--settings', '{}'],
      ...['--assistant', assistantId, '--owner', OWNER],
    );
    expect(token).toMatch(/^[\w-]{43}$/);
    const { connection_id } = created;
    expect(created).toEqual({
      connection_id: expect.stringMatching(/^conn_[0-9a-f]{24}$/),
      org_id: orgId,
      type: 'crm-a',
      webhook_url: `${environment.base_url}/api/webhooks/crm-a/${connection_id}`,
      auto_call: true,
      assistant_id: assistantId,
      trigger_owner_user_id: OWNER,
      settings: {},
      created_at: expect.any(String),
      health: {
        status: 'not_connected',
        reason: 'no delivery has come yet',
        checked_at: null,
        last_delivery_at: null,
        channel_expiry: null,
        needs_reconnect: false,
        rejection: null,
        rejected_minutes: 0,
      },
    });
    expect(await done('connection', 'show', '--connection', connection_id)).toEqual(created);
    expect(await done('connection', 'list', '--org', orgId)).toEqual({ connections: [created] });

    const connection = await stores.connections.get(connection_id);
    expect(connection?.token_hash).toBe(hashWebhookToken(token));
    expect(JSON.stringify(connection)).not.toContain(token);

    const answer = await fetch(created.webhook_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-CRMA-Webhook-Token': token },
      body: JSON.stringify(leadBody({ OwnerId: 'somebody else' })),
    });
    expect(answer.status).toBe(200);
    const health = await healthOf(connection_id, 'healthy');
    expect(health).toMatchObject({ reason: null, last_delivery_at: expect.any(String) });
  });

  it('tells the public URL of a stage on AWS as its deployment does', async () => {
    const { connection, org } = await aConnection();
    const stage = ['--stage', 'local', '--region', environment.region];
    const { code, stdout } = await cliWith(
      { AWS_ENDPOINT_URL: environment.emulator_url, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      ...['connection', 'list', '--org', org.orgId, '--json', ...stage],
    );
    expect([code, JSON.parse(stdout).connections[0].webhook_url]).toEqual([
      0,
      `${environment.base_url}/api/webhooks/crm-a/${connection.connection_id}`,
    ]);
  });

  it('tells people what to register at the CRM', async () => {
    const { orgId } = await anOrg();
    const { code, stdout, stderr } = await cli('connection', 'create', '--org', orgId, '--type', 'crm-a');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/not shown again:\n\n {2}[\w-]{43}\n/);
    expect(stdout).toMatch(/X-CRMA-Webhook-Token: [\w-]{43}$/m);
    expect(stdout).toMatch(/event 3 \(lead created\).*event 4 \(owner changed\)/);
    expect(stdout).toContain('Nobody is called until it has an assistant and an owner');
    expect((await cli('connection', 'list', '--org', orgId)).stdout).toMatch(
      /^connection_id .*\nconn_\w+ +crm-a +not_connected +yes/,
    );
  });

  it('refuses a second connection of the org, and the first one stays as it is', async () => {
    const connected = await aConnection();
    const before = await kept(connected);
    expect(await refused('connection', 'create', '--org', connected.org.orgId, '--type', 'crm-a')).toMatchObject({
      error: 'connection_exists',
      message: expect.stringMatching(/connection update.*connection rotate-token/),
    });
    expect(await kept(connected)).toEqual(before);
    expect((await deliver(connected, leadBody({ OwnerId: null }))).status).toBe(200);
  });

  it('refuses bad values and assistants of nobody or of others, and connects nothing', async () => {
    const [{ orgId }, other] = await Promise.all([anOrg(), anOrg()]);
    const create = ['connection', 'create', '--org', orgId, '--type', 'crm-a'];
    const bad = [
      ['connection', 'create', '--org', orgId, '--type', 'crm-z'],
      [...create, '--auto-call', 'maybe'],
      [...create, '--owner', ' '],
      [...create, '--owner', 'x'.repeat(201)],
      [...create, '--settings', '[]'],
      [...create, '--settings', 'null'],
      [...create, '--settings', '{'],
    ];
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
    expect(await refused(...create, '--settings', '{"pipeline_id": "1"}')).toMatchObject({
      error: 'invalid_value',
      message: expect.stringContaining('pipeline_id'),
    });
    const unknown = [
      ['connection', 'create', '--org', 'org0', '--type', 'crm-a'],
      [...create, '--assistant', 'asst_none'],
      [...create, '--assistant', ''],
      [...create, '--assistant', other.assistantId],
    ];
    const codes = ['org_not_found', 'assistant_not_found', 'assistant_not_found', 'assistant_wrong_org'];
    expect(await refusals(unknown)).toEqual(codes);
    expect(await done('connection', 'list', '--org', orgId)).toEqual({ connections: [] });
  });
});

describe('admin connection update', () => {
  it('changes what is named, takes away what is none, and leaves the rest', async () => {
    const connected = await aConnection();
    const { assistant_id } = await done('assistant', 'create', '--org', connected.org.orgId, '--name', 'Neha');
    const before = await done('connection', 'show', ...of(connected));
    const update = ['connection', 'update', ...of(connected)];
    expect(await done(...update, '--assistant', assistant_id, '--auto-call', 'off')).toEqual({
      ...before,
      assistant_id,
      auto_call: false,
    });
    expect(await done(...update, '--owner', 'owner-2', '--assistant', 'none', '--auto-call', 'on')).toEqual({
      ...before,
      assistant_id: null,
      trigger_owner_user_id: 'owner-2',
    });
    const bare = { ...before, assistant_id: null, trigger_owner_user_id: null };
    expect(await done(...update, '--owner', 'none')).toEqual(bare);
    expect(await done(...update, '--settings', '{}')).toEqual(bare);
    expect((await kept(connected))?.token_hash).toBe(connected.connection.token_hash);
  });

  it('refuses bad values and unknown connections, and changes nothing', async () => {
    const connected = await aConnection();
    const other = await anOrg();
    const before = await kept(connected);
    const update = ['connection', 'update', ...of(connected)];
    const bad = [
      [...update, '--owner', 'owner-2', '--auto-call', 'yes'],
      [...update, '--owner', 'owner-2', '--settings', '{"a": 1}'],
      [...update, '--owner', 'owner-2', '--settings', '"none"'],
      [...update, '--auto-call', 'off', '--owner', ''],
    ];
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
    const assistants = ['asst_none', other.assistantId].map((id) => [...update, '--owner', 'o', '--assistant', id]);
    expect(await refusals(assistants)).toEqual(['assistant_not_found', 'assistant_wrong_org']);
    expect(await ask(...update)).toMatchObject({ code: 2, body: { error: 'wrong_usage' } });
    expect(await kept(connected)).toEqual(before);

    const nobody = ['--connection', 'conn_none'];
    const unknown = [
      ['show', ...nobody],
      ['show', '--connection', ''],
      ['update', ...nobody, '--auto-call', 'off'],
      ['rotate-token', ...nobody],
      ['disconnect', ...nobody],
      ['activity', ...nobody],
      ['test-event', ...nobody],
      ['retry', ...nobody, '--outcome', 'insufficient_credits', '--since', '2026-01-01'],
    ].map((args) => ['connection', ...args]);
    expect(await refusals(unknown)).toEqual(unknown.map(() => 'connection_not_found'));
    expect(await stores.connections.get('conn_none')).toBeUndefined();
  });
});

describe('admin connection rotate-token', () => {
  it('ends the old token with the next request, and the health tells it until the new one is used', async () => {
    const connected = await aConnection();
    expect((await decided(connected, leadBody({ OwnerId: null }))).outcome).toBe('owner_mismatch');
    const rotated = await done('connection', 'rotate-token', ...of(connected));
    const { connection_id } = connected.connection;
    expect(rotated).toEqual({
      connection_id,
      webhook_url: `${environment.base_url}/api/webhooks/crm-a/${connection_id}`,
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await deliver(connected, leadBody())).status).toBe(401);
    const rejecting = await healthOf(connection_id, 'rejecting');
    expect(rejecting).toMatchObject({
      reason: 'unauthorized',
      rejection: { at: expect.any(String), reason: 'unauthorized' },
      rejected_minutes: 1,
    });

    const renewed = { ...connected, token: rotated.token };
    expect((await decided(renewed, leadBody({ OwnerId: null }))).outcome).toBe('owner_mismatch');
    const healthy = await healthOf(connection_id, 'healthy');
    expect(healthy).toMatchObject({ reason: null, rejection: rejecting.rejection, rejected_minutes: 1 });
    expect(await stores.activity.list(connection_id)).toHaveLength(2);

    const { stdout } = await cli('connection', 'rotate-token', ...of(connected));
    expect(stdout).toMatch(/the old one has stopped working.*not shown again:\n\n {2}[\w-]{43}\n/);
    expect(stdout).toMatch(/both webhooks.*\n\n {2}X-CRMA-Webhook-Token: [\w-]{43}\n/);
    expect(stdout).toContain('10 failures in a row');
  });
});

describe('admin connection disconnect', () => {
  it('answers 401 and calls nobody from then on, keeps the history, and rotate-token connects again', async () => {
    const connected = await aConnection();
    await decided(connected, leadBody({ OwnerId: null }));
    const off = await done('connection', 'disconnect', ...of(connected));
    expect(off).toMatchObject({
      auto_call: true,
      assistant_id: connected.org.assistantId,
      trigger_owner_user_id: OWNER,
      health: { status: 'not_connected', reason: 'disconnected', last_delivery_at: expect.any(String) },
    });
    expect((await kept(connected))?.token_hash).toBeUndefined();
    expect((await deliver(connected, leadBody())).status).toBe(401);
    const again = await done('connection', 'disconnect', ...of(connected));
    expect(again.health).toMatchObject({ status: 'not_connected', reason: 'disconnected', rejected_minutes: 1 });

    const phone = aPhoneNumber();
    const { event_id } = await done('connection', 'test-event', ...of(connected), '--phone', phone);
    const [latest, first] = await activityOf(connected, 2, WAIT);
    expect(latest).toMatchObject({ event_id, outcome: 'auto_call_disabled', test: true });
    expect(first).toMatchObject({ outcome: 'owner_mismatch' });
    expect(await voice.rings(phone)).toBe(0);

    const { token } = await done('connection', 'rotate-token', ...of(connected));
    expect((await decided({ ...connected, token }, leadBody({ OwnerId: null }))).outcome).toBe('owner_mismatch');
  });
});

describe('admin connection activity', () => {
  it('tells what became of every event, newest first, no more than asked for', async () => {
    const connected = await aConnection();
    expect((await cli('connection', 'activity', ...of(connected))).stdout).toBe('Nothing has come in.\n');
    const lead = leadBody({ OwnerId: 'somebody else' });
    await decided(connected, lead);
    await decided(connected, leadBody({ ProspectID: null }));
    await decided(connected, leadBody({ Phone: 'on request', OwnerId: OWNER }));
    const { activity } = await done('connection', 'activity', ...of(connected));
    expect(activity.map(({ outcome }: Body) => outcome)).toEqual([
      'no_dialable_phone',
      'no_lead_id_in_payload',
      'owner_mismatch',
    ]);
    expect(activity[2]).toEqual({
      id: expect.stringMatching(/^evt_/),
      at: expect.any(String),
      source: 'webhook',
      event: 'new_lead',
      lead_id: lead.ProspectID,
      phone_masked: expect.stringMatching(/^\+91\*{7}\d{3}$/),
      owner_id: 'somebody else',
      outcome: 'owner_mismatch',
      reason: 'The lead belongs to another owner.',
      call_id: null,
      scheduled_for: null,
      test: false,
      payload_keys: expect.arrayContaining(['ProspectID', 'mx_City']),
    });
    expect(activity[1]).toMatchObject({ lead_id: null });
    expect(JSON.stringify(activity)).not.toContain(lead.Phone.slice(4));

    const limited = await done('connection', 'activity', ...of(connected), '--limit', '2');
    expect(limited.activity).toEqual(activity.slice(0, 2));
    const { stdout } = await cli('connection', 'activity', ...of(connected), '--limit', '1');
    expect(stdout).toMatch(/^at +outcome +lead +phone +reason +call\n\S+Z +no_dialable_phone .+\n$/);
    const bad = ['0', '5001', 'all'].map((limit) => ['connection', 'activity', ...of(connected), '--limit', limit]);
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
  });
});

describe('admin connection test-event', () => {
  it('becomes a real call that is marked as a test', async () => {
    const connected = await aConnection();
    const phone = aPhoneNumber();
    const written = `0${phone.slice(3, 8)} ${phone.slice(8)}`;
    const { event_id } = await done(
      ...['connection', 'test-event', ...of(connected), '--phone', written, '--first-name', 'Meera'],
    );
    const [entry] = await activityOf(connected, 1, WAIT);
    expect(entry).toMatchObject({
      event_id,
      source: 'test',
      event: 'test',
      test: true,
      outcome: 'call queued',
      owner_id: OWNER,
      call_id: expect.any(String),
    });
    expect(await stores.calls.get(String(entry?.call_id))).toMatchObject({
      phone_number: phone,
      lead: { test: true, event_id, fields: { FirstName: 'Meera' } },
    });
    await endOf(connected.org, String(entry?.call_id), WAIT);
    expect(await voice.rings(phone)).toBe(1);
  });

  it('is judged like any lead: by its owner and its phone', async () => {
    const connected = await aConnection();
    const test = ['connection', 'test-event', ...of(connected)];
    await done(...test, '--phone', aPhoneNumber(), '--owner', 'somebody else');
    await activityOf(connected, 1, WAIT);
    await done(...test);
    const entries = await activityOf(connected, 2, WAIT);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['no_dialable_phone', 'owner_mismatch']);
  });

  it('refuses what no lead could be, and queues nothing', async () => {
    const connected = await aConnection();
    const bad = [
      ['--phone', '1'.repeat(51)],
      ['--phone', ' '],
      ['--owner', 'x'.repeat(201)],
      ['--first-name', 'x'.repeat(201)],
    ].map((flags) => ['connection', 'test-event', ...of(connected), ...flags]);
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
    await leadsAreDone();
    expect(await stores.activity.list(connected.connection.connection_id)).toEqual([]);
  });
});

describe('admin connection retry', () => {
  it('has leads called once that lacked credit, however often it is asked for', async () => {
    const org = await anOrg({ credits: 0 });
    const connected = await aConnection({}, org);
    const since = now().toISOString();
    const phone = aPhoneNumber();
    const lead = leadBody({ Phone: phone });
    const first = await decided(connected, lead);
    expect(first).toMatchObject({ outcome: 'insufficient_credits', lead_id: lead.ProspectID });
    const retry = ['connection', 'retry', ...of(connected), '--outcome', 'insufficient_credits', '--since'];
    expect(await done(...retry, new Date(Date.parse(first.at) + 1).toISOString())).toEqual({ queued: 0 });

    // Still too little: the retry is an event of its own.
    await done('org', 'credit', '--org', org.orgId, '--amount', '9');
    expect(await done(...retry, since)).toEqual({ queued: 1 });
    const [second] = await activityOf(connected, 2, WAIT);
    expect(second).toMatchObject({ source: 'retry', outcome: 'insufficient_credits', lead_id: lead.ProspectID });

    await done('org', 'credit', '--org', org.orgId, '--amount', '91');
    // The one that looks later may see what the other has brought about.
    const asked = await Promise.all([done(...retry, since), done(...retry, since)]);
    expect([1, 2]).toContain(asked.reduce((sum, { queued }) => sum + queued, 0));
    const [third] = await activityOf(connected, 3, WAIT);
    expect(third).toMatchObject({ source: 'retry', outcome: 'call queued', call_id: expect.any(String) });
    await endOf(org, String(third?.call_id), WAIT);
    await done(...retry, since);
    await leadsAreDone();
    expect(await voice.requests(phone)).toHaveLength(1);
    const calls = await stores.calls.listOfOrg(org.orgId, { limit: 10 });
    expect(calls.map(({ call_id }) => call_id)).toEqual([third?.call_id]);
    const entries = await stores.activity.list(connected.connection.connection_id);
    expect(entries.filter(({ outcome }) => outcome === 'call queued')).toHaveLength(1);
    await expectBalancedBooks(org.orgId);
  });

  it('refuses outcomes that nobody can do anything about, and times without a zone', async () => {
    const retry = ['connection', 'retry', ...of(await aConnection())];
    const bad = [
      [...retry, '--outcome', 'do_not_call', '--since', '2026-01-01'],
      [...retry, '--outcome', 'insufficient_credits', '--since', 'yesterday'],
      [...retry, '--outcome', 'insufficient_credits', '--since', '2026-01-01T10:00:00'],
    ];
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
    expect(await ask(...retry, '--outcome', 'insufficient_credits')).toMatchObject({ code: 2 });
  });
});

/** Waits until every lead event that was queued is decided. */
async function leadsAreDone(): Promise<void> {
  const request = new GetQueueAttributesCommand({
    QueueUrl: queueUrl('leads'),
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  await eventually(
    async () => Object.values((await sqs.send(request)).Attributes ?? {}),
    (counts) => counts.length === 2 && counts.every((count) => count === '0'),
    WAIT,
  );
}
