import { hashWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import { type Body, cli, done, refusals, refused } from '../../support/admin/cli.ts';
import {
  aConnection,
  activityOf,
  decided,
  deliver,
  leadBody,
  OWNER,
  type TestConnection,
} from '../../support/leads/leads.ts';
import { anOrg, expectBalancedBooks, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf } from '../../support/rest/rest.ts';
import { environment, eventually, now, passTime, voice, workersAreIdle } from '../../support/stack/stack.ts';

const of = ({ connection }: Pick<TestConnection, 'connection'>): string[] => ['--connection', connection.connection_id];
const storedOf = ({ connection }: Pick<TestConnection, 'connection'>) =>
  stores.connections.get(connection.connection_id);

/** Waits for a status. @returns the connection's health as the CLI shows it. */
const healthOf = (connectionId: string, status: string): Promise<Body> =>
  eventually(
    async () => (await done('connection', 'show', '--connection', connectionId)).health,
    (health) => health.status === status,
  );

describe('admin connection create', () => {
  it('shows the token once, stores only its hash, and accepts deliveries of the CRM with it', async () => {
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
        reason: 'no delivery has arrived yet',
        checked_at: null,
        last_delivery_at: null,
        channel_expiry: null,
        needs_reconnect: false,
        rejection: null,
        rejected_minutes: 0,
      },
    });
    expect(await done('connection', 'show', '--connection', connection_id)).toEqual(created);
    expect(await done('connection', 'list', '--org', orgId)).toEqual({ connections: [created], newer: [] });

    const connection = await stores.connections.get(connection_id);
    expect(connection?.token_hash).toBe(hashWebhookToken(token));
    expect(JSON.stringify(connection)).not.toContain(token);

    const answer = await fetch(created.webhook_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-CRMA-Webhook-Token': token },
      body: JSON.stringify(leadBody({ OwnerId: 'somebody else' })),
    });
    expect(answer.status).toBe(200);
    expect(await healthOf(connection_id, 'healthy')).toMatchObject({
      reason: null,
      last_delivery_at: expect.any(String),
    });
  });

  it('shows on a terminal what to register at the CRM', async () => {
    const { orgId } = await anOrg();
    const { code, stdout, stderr } = await cli('connection', 'create', '--org', orgId, '--type', 'crm-a');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/not shown again:\n\n {2}[\w-]{43}\n/);
    expect(stdout).toMatch(/X-CRMA-Webhook-Token: [\w-]{43}$/m);
    expect(stdout).toMatch(/event 3 \(lead created\).*event 4 \(owner changed\)/);
    expect(stdout).toContain('No lead is called until the connection has an assistant and an owner');
    expect((await cli('connection', 'list', '--org', orgId)).stdout).toMatch(
      /^connection_id .*\nconn_\w+ +crm-a +not_connected +yes/,
    );
  });

  it('refuses a second connection of the organization, and unknown assistants or those of another organization', async () => {
    const [connected, { orgId }] = [await aConnection(), await anOrg()];
    const before = await storedOf(connected);
    expect(await refused('connection', 'create', '--org', connected.org.orgId, '--type', 'crm-a')).toMatchObject({
      error: 'connection_exists',
      message: expect.stringMatching(/connection update.*connection rotate-token/),
    });
    expect(await storedOf(connected)).toEqual(before);
    const commands = ['asst_none', '', connected.org.assistantId].map((id) => [
      ...['connection', 'create', '--org', orgId, '--type', 'crm-a', '--assistant', id],
    ]);
    expect(await refusals(commands)).toEqual(['assistant_not_found', 'assistant_not_found', 'assistant_wrong_org']);
    expect(await done('connection', 'list', '--org', orgId)).toEqual({ connections: [], newer: [] });
  });
});

describe('admin connection update', () => {
  it('changes the named settings, removes those set to none, and keeps the others', async () => {
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
    expect((await storedOf(connected))?.token_hash).toBe(connected.connection.token_hash);
  });

  it('changes nothing if a setting is not one of crm-a, or an assistant not one of the organization', async () => {
    const [connected, other] = [await aConnection(), await anOrg()];
    const before = await storedOf(connected);
    const commands = [
      ['--settings', '{"a": 1}'],
      ['--settings', '"none"'],
      ['--assistant', 'asst_none'],
      ['--assistant', other.assistantId],
    ].map((flags) => ['connection', 'update', ...of(connected), '--owner', 'owner-2', ...flags]);
    const codes = ['invalid_value', 'invalid_value', 'assistant_not_found', 'assistant_wrong_org'];
    expect(await refusals(commands)).toEqual(codes);
    expect(await storedOf(connected)).toEqual(before);
  });
});

it('admin connection refuses unknown connections and creates none', async () => {
  const verbs = ['show', 'rotate-token', 'authorize-url', 'disconnect', 'activity', 'test-event'];
  const unknown = [
    ...verbs.map((name) => [name, '--connection', 'conn_none']),
    ['show', '--connection', ''],
    ['update', '--connection', 'conn_none', '--auto-call', 'off'],
    ['retry', '--connection', 'conn_none', '--outcome', 'insufficient_credits', '--since', '2026-01-01'],
  ].map((args) => ['connection', ...args]);
  expect(await refusals(unknown)).toEqual(unknown.map(() => 'connection_not_found'));
  expect(await stores.connections.get('conn_none')).toBeUndefined();
});

describe('admin connection disconnect and rotate-token', () => {
  it('make the webhook refuse the old token at once, show this in the health, and accept the new token', async () => {
    const connected = await aConnection();
    const { connection_id } = connected.connection;
    await decided(connected, leadBody({ OwnerId: null }));
    expect(await done('connection', 'disconnect', ...of(connected))).toMatchObject({
      auto_call: true,
      assistant_id: connected.org.assistantId,
      trigger_owner_user_id: OWNER,
      health: { status: 'not_connected', reason: 'disconnected', last_delivery_at: expect.any(String) },
    });
    expect((await storedOf(connected))?.token_hash).toBeUndefined();
    expect((await deliver(connected, leadBody())).status).toBe(401);
    const again = await done('connection', 'disconnect', ...of(connected));
    expect(again.health).toMatchObject({ status: 'not_connected', reason: 'disconnected', rejected_minutes: 1 });
    const phone = aPhoneNumber();
    const { event_id } = await done('connection', 'test-event', ...of(connected), '--phone', phone);
    const [latest] = await activityOf(connected, 2);
    expect(latest).toMatchObject({ event_id, outcome: 'auto_call_disabled', test: true });
    expect(await voice.rings(phone)).toBe(0);

    const rotated = await done('connection', 'rotate-token', ...of(connected));
    expect(rotated).toEqual({
      connection_id,
      webhook_url: `${environment.base_url}/api/webhooks/crm-a/${connection_id}`,
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    // A refusal is recorded once a minute, and counts at once while no delivery had the new token.
    await passTime(60);
    expect((await deliver(connected, leadBody())).status).toBe(401);
    const rejecting = await healthOf(connection_id, 'rejecting');
    expect(rejecting).toMatchObject({
      reason: 'unauthorized',
      rejection: { at: expect.any(String), reason: 'unauthorized' },
      rejected_minutes: expect.any(Number),
    });
    const renewed = { ...connected, token: rotated.token };
    expect((await decided(renewed, leadBody({ OwnerId: null }))).outcome).toBe('owner_mismatch');
    const { rejection, rejected_minutes } = rejecting;
    expect(await healthOf(connection_id, 'healthy')).toMatchObject({ reason: null, rejection, rejected_minutes });
    expect(await stores.activity.list(connection_id)).toHaveLength(3);

    const { stdout } = await cli('connection', 'rotate-token', ...of(connected));
    expect(stdout).toMatch(/the old one no longer works.*not shown again:\n\n {2}[\w-]{43}\n/);
    expect(stdout).toMatch(/both webhooks.*\n\n {2}X-CRMA-Webhook-Token: [\w-]{43}\n/);
    expect(stdout).toContain('10 failures in a row');
  });
});

describe('admin connection activity and test-event', () => {
  it('shows the outcome of every event, newest first, up to the limit', async () => {
    const connected = await aConnection();
    expect((await cli('connection', 'activity', ...of(connected))).stdout).toBe('No lead events yet.\n');
    const lead = leadBody({ OwnerId: 'somebody else' });
    await decided(connected, lead);
    await decided(connected, leadBody({ ProspectID: null }));
    const { activity } = await done('connection', 'activity', ...of(connected));
    expect(activity).toMatchObject([
      { outcome: 'no_lead_id_in_payload', lead_id: null },
      { outcome: 'owner_mismatch', lead_id: lead.ProspectID },
    ]);
    expect(activity[1]).toEqual({
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
    expect(JSON.stringify(activity)).not.toContain(lead.Phone.slice(4));

    const limited = await done('connection', 'activity', ...of(connected), '--limit', '1');
    expect(limited.activity).toEqual(activity.slice(0, 1));
    const { stdout } = await cli('connection', 'activity', ...of(connected), '--limit', '1');
    expect(stdout).toMatch(/^at +outcome +lead +phone +reason +call\n\S+Z +no_lead_id_in_payload .+\n$/);
  });

  it('causes a real call that is marked as a test, unless the lead does not qualify', async () => {
    const connected = await aConnection();
    const test = ['connection', 'test-event', ...of(connected)];
    await done(...test, '--phone', aPhoneNumber(), '--owner', 'somebody else');
    expect(await activityOf(connected, 1)).toMatchObject([{ outcome: 'owner_mismatch', test: true }]);
    const phone = aPhoneNumber();
    const written = `0${phone.slice(3, 8)} ${phone.slice(8)}`;
    const { event_id } = await done(...test, '--phone', written, '--first-name', 'Meera');
    const [entry] = await activityOf(connected, 2);
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
    await endOf(connected.org, String(entry?.call_id));
    expect(await voice.rings(phone)).toBe(1);
  });
});

describe('admin connection retry', () => {
  it('calls leads that lacked credit, once each, however often it runs', async () => {
    const org = await anOrg({ credits: 0 });
    const connected = await aConnection({}, org);
    const since = now().toISOString();
    const phone = aPhoneNumber();
    const lead = leadBody({ Phone: phone });
    const first = await decided(connected, lead);
    expect(first).toMatchObject({ outcome: 'insufficient_credits', lead_id: lead.ProspectID });
    const retry = ['connection', 'retry', ...of(connected), '--outcome', 'insufficient_credits', '--since'];
    expect(await done(...retry, new Date(Date.parse(first.at) + 1).toISOString())).toEqual({ queued: 0 });

    // Still too little credit: the retry is a separate event.
    await done('org', 'credit', '--org', org.orgId, '--amount', '9');
    expect(await done(...retry, since)).toEqual({ queued: 1 });
    const [second] = await activityOf(connected, 2);
    expect(second).toMatchObject({ source: 'retry', outcome: 'insufficient_credits', lead_id: lead.ProspectID });

    await done('org', 'credit', '--org', org.orgId, '--amount', '91');
    // The later of the two may already see the effect of the earlier one.
    const answers = await Promise.all([done(...retry, since), done(...retry, since)]);
    expect([1, 2]).toContain(answers.reduce((sum, { queued }) => sum + queued, 0));
    const [third] = await activityOf(connected, 3);
    expect(third).toMatchObject({ source: 'retry', outcome: 'call queued', call_id: expect.any(String) });
    await endOf(org, String(third?.call_id));
    await done(...retry, since);
    await workersAreIdle();
    expect(await voice.requests(phone)).toHaveLength(1);
    const calls = await stores.calls.listOfOrg(org.orgId, { limit: 10 });
    expect(calls.map(({ call_id }) => call_id)).toEqual([third?.call_id]);
    const entries = await stores.activity.list(connected.connection.connection_id);
    expect(entries.filter(({ outcome }) => outcome === 'call queued')).toHaveLength(1);
    await expectBalancedBooks(org.orgId);
  });

  it('does not call a lead of CRM-A whose do-not-call flag was set after its first event', async () => {
    const org = await anOrg({ credits: 0 });
    const connected = await aConnection({}, org);
    const since = now().toISOString();
    const lead = leadBody({ Phone: aPhoneNumber() });
    expect((await decided(connected, lead)).outcome).toBe('insufficient_credits');
    expect((await decided(connected, { ...lead, DoNotCall: '1' })).outcome).toBe('do_not_call');
    await done('org', 'credit', '--org', org.orgId, '--amount', '100');
    const retry = ['connection', 'retry', ...of(connected), '--outcome', 'insufficient_credits', '--since', since];
    expect(await done(...retry)).toEqual({ queued: 1 });
    const [last] = await activityOf(connected, 3);
    expect(last).toMatchObject({ source: 'retry', outcome: 'do_not_call' });
    expect(await voice.requests(lead.Phone)).toHaveLength(0);
  });
});
