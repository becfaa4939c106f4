import { defaultOrganization } from '../../local/simulators/help-desk/model.ts';
import { cli, done, refused } from '../support/cli.ts';
import { anUnconnected, comeBack, connectsOften, consentTo } from '../support/crm-b.ts';
import { aDeskUser, desk } from '../support/desk-users.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { crmB, helpDesk } from '../support/stack.ts';

import.meta.jest.setTimeout(180_000);

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
  await helpDesk.reset();
});
afterAll(() => helpDesk.reset());

const departmentId = defaultOrganization.departments[0]?.id ?? '';
const json = (settings: unknown): [string, string] => ['--settings', JSON.stringify(settings)];
const of = (verb: string, { connection_id }: { connection_id: string }, ...flags: string[]) => [
  ...['connection', verb, '--connection', connection_id],
  ...flags,
];

/** As an operator does it: the address is told, and somebody consents. */
async function connected(user: string) {
  const { orgId } = await anOrg();
  const created = await done('connection', 'create', '--org', orgId, '--type', 'help-desk', ...json({ departmentId }));
  const { url } = await done(...of('authorize-url', created));
  await crmB.settings({ consentUser: user });
  await comeBack(await consentTo(url));
  return created;
}

describe('admin of a help-desk connection', () => {
  it('shows its organizations, and sets the one that is chosen among them', async () => {
    const created = await connected(await aDeskUser(desk('60001', 'Zylker'), desk('60002', 'Zylker Homes')));
    expect(created.organizations).toBeNull();
    const shown = await done(...of('show', created));
    const organizations = [
      { id: '60001', name: 'Zylker' },
      { id: '60002', name: 'Zylker Homes' },
    ];
    expect(shown).toMatchObject({ organizations, settings: { departmentId }, health: { status: 'unhealthy' } });
    expect(shown.health.reason).toContain(`connection update --settings '{"orgId": …}'`);

    expect(await refused(...of('update', created, ...json({ orgId: '60003', tags: ['voice-call'] })))).toEqual({
      error: 'invalid_value',
      message: expect.stringMatching(/orgId: .* 60001 \(Zylker\), 60002 \(Zylker Homes\)\.$/),
    });
    expect(await done(...of('show', created))).toEqual(shown);

    const chosen = await done(...of('update', created, ...json({ orgId: '60002' })));
    expect(chosen).toMatchObject({
      organizations,
      settings: { departmentId, orgId: '60002' },
      health: { status: 'healthy', reason: null },
    });
    const { stdout } = await cli('connection', 'list', '--org', created.org_id);
    expect(stdout).toMatch(/help-desk +healthy/);
  });

  it('asks again for the organizations that could not be asked for at the consent', async () => {
    await helpDesk.fault({ route: '*', kind: 'server-error', times: null });
    const created = await connected(await aDeskUser(desk('60001', 'Zylker')));
    const still = await cli(...of('update', created, ...json({ tags: ['voice-call'] })));
    expect([still.code, still.stdout]).toEqual([0, expect.stringContaining('did not tell its organizations')]);
    expect((await done(...of('show', created))).settings).toEqual({ departmentId, tags: ['voice-call'] });

    await helpDesk.clearFaults();
    expect(await done(...of('update', created, ...json({})))).toMatchObject({
      organizations: [{ id: '60001', name: 'Zylker' }],
      settings: { departmentId, tags: ['voice-call'], orgId: '60001' },
      health: { status: 'healthy' },
    });
  });

  it('revokes its grant on disconnect, and forgets what came of it', async () => {
    const created = await connected(await aDeskUser(desk('60001', 'Zylker')));
    const ended = await done(...of('disconnect', created));
    expect(ended).toMatchObject({
      provider: { channel: 'none', grant: 'revoked' },
      organizations: null,
      settings: { departmentId, orgId: '60001' },
      health: { status: 'not_connected', reason: 'disconnected' },
    });
    expect((await crmB.grants()).map(({ revoked }) => revoked)).toEqual([true]);
    expect(await stores.connections.get(created.connection_id)).not.toHaveProperty('grant');
  });

  it('has no leads, and says where its tickets are told of', async () => {
    const { connection } = await anUnconnected('help-desk', { settings: { departmentId } });
    expect(await refused(...of('activity', connection))).toEqual({
      error: 'no_leads',
      message: expect.stringContaining('call show'),
    });
  });
});

describe('the settings of a help-desk connection', () => {
  const all = {
    departmentId,
    orgId: '60001',
    subject_template: '{lead_intent}: {caller_name}',
    description_template: '{issue_summary}\n{transcript}',
    attach_call_recording: true,
    attach_full_transcript: true,
    run_condition: { field: 'lead_intent', in: ['complaint', 'callback'] },
    priority_mapping: { field: 'lead_intent', values: { complaint: 'High' }, fallback: 'Medium' },
    classification_mapping: { field: 'lead_intent', values: { complaint: 'Problem' } },
    assignee_mapping: { field: 'city', values: { Pune: '189200000000056001' } },
    tags: ['voice-call', 'पुणे'],
  };

  it('are taken by create, merged by update, and taken away by null', async () => {
    const { orgId } = await anOrg();
    const created = await done('connection', 'create', '--org', orgId, '--type', 'help-desk', ...json(all));
    expect(created.settings).toEqual(all);
    const tags = ['other'];
    expect((await done(...of('update', created, ...json({ tags, departmentId: '7' })))).settings).toEqual({
      ...all,
      departmentId: '7',
      tags,
    });
    const none = Object.fromEntries(Object.keys(all).map((name) => [name, name === 'departmentId' ? '8' : null]));
    expect((await done(...of('update', created, ...json(none)))).settings).toEqual({ departmentId: '8' });
  });

  it('are refused where they are wrong, each by its name and with its reason, and nothing changes', async () => {
    const { orgId } = await anOrg();
    const created = await done('connection', 'create', '--org', orgId, '--type', 'help-desk', ...json(all));
    const wrong: Record<keyof typeof all, unknown> = {
      departmentId: null,
      orgId: 60001,
      subject_template: '',
      description_template: 7,
      attach_call_recording: 'true',
      attach_full_transcript: 1,
      run_condition: { field: 'lead_intent', in: [] },
      priority_mapping: { field: 'lead_intent', values: { complaint: 1 } },
      classification_mapping: { values: {} },
      assignee_mapping: { field: 'city', values: {}, default: '1' },
      tags: ['voice-call', 'a:b'],
    };
    const { error, message } = await refused(...of('update', created, ...json(wrong)));
    expect(error).toBe('invalid_value');
    for (const name of Object.keys(wrong)) expect(message).toMatch(new RegExp(`\\b${name}\\S*: \\S`));
    expect(message).toMatch(/departmentId: is required; .*tags\.1: may have letters, digits, spaces/);
    expect((await refused(...of('update', created, ...json({ tags: ['changed'], auto_close: true })))).message).toBe(
      '--settings: help-desk has no setting auto_close.',
    );
    expect((await done(...of('show', created))).settings).toEqual(all);
  });
});
