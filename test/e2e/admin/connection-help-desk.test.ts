import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { cli, done, refused } from '../../support/admin/cli.ts';
import { anUnconnected, callBack, connectsOften, consentTo } from '../../support/connections/crm-b.ts';
import { aDeskUser, desk } from '../../support/connections/desk-users.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { crmB, helpDesk } from '../../support/stack/stack.ts';

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

/** Connects as an operator does: creates the connection, and lets a user consent at the address. */
async function connected(user: string) {
  const { orgId } = await anOrg();
  const created = await done('connection', 'create', '--org', orgId, '--type', 'help-desk', ...json({ departmentId }));
  const { url } = await done(...of('authorize-url', created));
  await crmB.settings({ consentUser: user });
  await callBack(await consentTo(url));
  return created;
}

describe('admin of a help-desk connection', () => {
  it('shows the organizations of its grant, and sets the chosen one', async () => {
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

  it('fetches the organizations at a later update if they were unavailable at the consent', async () => {
    await helpDesk.fault({ route: '*', kind: 'server-error', times: null });
    const created = await connected(await aDeskUser(desk('60001', 'Zylker')));
    const still = await cli(...of('update', created, ...json({ tags: ['voice-call'] })));
    expect([still.code, still.stdout]).toEqual([0, expect.stringContaining('did not list its organizations')]);
    expect((await done(...of('show', created))).settings).toEqual({ departmentId, tags: ['voice-call'] });

    await helpDesk.clearFaults();
    expect(await done(...of('update', created, ...json({})))).toMatchObject({
      organizations: [{ id: '60001', name: 'Zylker' }],
      settings: { departmentId, tags: ['voice-call'], orgId: '60001' },
      health: { status: 'healthy' },
    });
  });

  it('revokes its grant on disconnect, and forgets the organizations', async () => {
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

  it('refuses to list lead events, and names the command that shows its tickets', async () => {
    const { connection } = await anUnconnected('help-desk', { settings: { departmentId } });
    expect(await refused(...of('activity', connection))).toEqual({
      error: 'no_leads',
      message: expect.stringContaining('call show'),
    });
  });
});
