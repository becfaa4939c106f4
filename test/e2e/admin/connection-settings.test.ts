import { type Body, cli, done, refusals, refused } from '../../support/admin/cli.ts';
import { OWNER } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { environment } from '../../support/stack/stack.ts';

const json = (settings: unknown): [string, string] => ['--settings', JSON.stringify(settings)];
const create = (orgId: string, type: string, ...flags: string[]): string[] => [
  ...['connection', 'create', '--org', orgId, '--type', type],
  ...flags,
];
const update = ({ connection_id }: Body, ...flags: string[]): string[] => [
  ...['connection', 'update', '--connection', connection_id],
  ...flags,
];
const settingsOf = async ({ connection_id }: Body) => (await stores.connections.get(connection_id))?.settings;

const health = {
  status: 'not_connected',
  reason: 'disconnected',
  checked_at: null,
  last_delivery_at: null,
  channel_expiry: null,
  needs_reconnect: false,
  rejection: null,
  rejected_minutes: 0,
};

describe('admin connection create for a connection by consent', () => {
  it('creates a CRM-B connection without a token, and names the command that connects it', async () => {
    const { orgId, assistantId } = await anOrg();
    const settings = { call_window_start: '09:00', call_window_end: '21:00', exclude_sunday: true };
    const created = await done(
      ...create(orgId, 'crm-b', '--assistant', assistantId, '--owner', OWNER, '--auto-call', 'off', ...json(settings)),
    );
    expect(created).toEqual({
      connection_id: expect.stringMatching(/^conn_[0-9a-f]{24}$/),
      org_id: orgId,
      type: 'crm-b',
      webhook_url: `${environment.base_url}/api/webhooks/crm-b/${created.connection_id}`,
      auto_call: false,
      assistant_id: assistantId,
      trigger_owner_user_id: OWNER,
      settings,
      created_at: expect.any(String),
      data_center: null,
      api_domain: null,
      granted_at: null,
      consented: null,
      pending_consent: null,
      health,
    });
    expect(await done('connection', 'show', '--connection', created.connection_id)).toEqual(created);
    const { token_hash } = (await stores.connections.get(created.connection_id)) ?? {};
    expect(token_hash).toBeUndefined();
    expect(await refused(...create(orgId, 'crm-b'))).toMatchObject({
      error: 'connection_exists',
      message: expect.stringMatching(/connection update.*connection authorize-url/),
    });

    const { orgId: another } = await anOrg();
    const { code, stdout, stderr } = await cli(...create(another, 'crm-b'));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/admin connection authorize-url --connection conn_[0-9a-f]{24}$/m);
    expect(stdout).toContain('No lead is called until the connection has an assistant and an owner');
    expect(stdout).not.toMatch(/token|secret/i);
  });

  it('creates a help desk connection, which receives no leads', async () => {
    const { orgId } = await anOrg();
    const settings = { departmentId: '1892000000006907', tags: ['voice-call'] };
    const created = await done(...create(orgId, 'help-desk', ...json(settings)));
    expect(created).toMatchObject({ type: 'help-desk', webhook_url: null, settings, health });
    expect(created).not.toHaveProperty('token');
    const { connection_id } = created;
    const leads = [
      ['connection', 'test-event', '--connection', connection_id],
      ['connection', 'retry', '--connection', connection_id]
        .concat('--outcome', 'insufficient_credits')
        .concat('--since', '2026-01-01'),
    ];
    expect(await refusals(leads)).toEqual(['no_leads', 'no_leads']);

    await done(...create(orgId, 'crm-a'));
    await done(...create(orgId, 'crm-b'));
    const { connections } = await done('connection', 'list', '--org', orgId);
    expect(connections.map(({ type }: Body) => type)).toEqual(['help-desk', 'crm-a', 'crm-b']);
    const { stdout } = await cli('connection', 'list', '--org', orgId);
    expect(stdout).toMatch(/last_delivery_at +channel_expiry\n/);
  });
});

describe('admin connection update --settings', () => {
  it('merges the given settings into the stored ones, and removes those set to null', async () => {
    const { orgId } = await anOrg();
    const before = { call_window_start: '09:00', call_window_end: '21:00', sunday_rnr_retry: 'true' };
    const connection = await done(...create(orgId, 'crm-b', '--owner', OWNER, ...json(before)));
    const changed = await done(...update(connection, ...json({ call_window_end: '20:00', exclude_sunday: true })));
    const merged = { ...before, call_window_end: '20:00', exclude_sunday: true };
    expect(changed).toEqual({ ...connection, settings: merged });
    expect(await done(...update(connection, '--auto-call', 'off'))).toEqual({ ...changed, auto_call: false });
    const fewer = await done(
      ...update(connection, ...json({ call_window_start: null, exclude_sunday: null, disposition_value: null })),
    );
    expect(fewer).toMatchObject({
      trigger_owner_user_id: OWNER,
      auto_call: false,
      settings: { call_window_end: '20:00', sunday_rnr_retry: 'true' },
    });
    expect(await settingsOf(connection)).toEqual(fewer.settings);
  });

  it('changes nothing if one of the values is refused', async () => {
    const { orgId } = await anOrg();
    const connection = await done(...create(orgId, 'crm-b', ...json({ exclude_sunday: true })));
    const commands = [
      update(connection, '--owner', 'owner-2', ...json({ exclude_sunday: false, call_window_end: '24:00' })),
      update(connection, '--auto-call', 'off', '--settings', 'null'),
      update(connection, '--assistant', 'asst_none', ...json({ exclude_sunday: false })),
    ];
    expect(await refusals(commands)).toEqual(['invalid_value', 'invalid_value', 'assistant_not_found']);
    expect(await done('connection', 'show', '--connection', connection.connection_id)).toEqual(connection);
  });
});
