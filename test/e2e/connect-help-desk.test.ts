import { defaultOrganization } from '../../local/simulators/help-desk/model.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../shared/domain/connections/connection-health.ts';
import { anUnconnected, authorizeUrlOf, comeBack, connectsOften, consentTo, tokens } from '../support/crm-b.ts';
import { aDeskUser, desk } from '../support/desk-users.ts';
import { stores } from '../support/orgs.ts';
import { crmB, environment, helpDesk } from '../support/stack.ts';

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
  await helpDesk.reset();
});
// Its faults do not expire, and other files share the simulator.
afterAll(() => helpDesk.reset());

const settings = { departmentId: defaultOrganization.departments[0]?.id ?? '' };
const aConnection = async (over: object = {}) =>
  (await anUnconnected('help-desk', { settings: { ...settings, ...over } })).connection;

const stored = async ({ connection_id }: Connection) => {
  const connection = await stores.connections.get(connection_id);
  if (!connection) throw new Error('the connection is gone');
  return connection;
};
const healthOf = async (connection: Connection) => connectionHealth(await stored(connection));

/** Completes a consent. @param user who consents. @returns the result that the dashboard gets. */
async function consentOf(connection: Connection, user: string) {
  await crmB.settings({ consentUser: user });
  return (await comeBack(await consentTo(await authorizeUrlOf(connection)))).result;
}

describe('connect-help-desk', () => {
  it('connects the help desk with its own scopes, without a channel and without a CRM', async () => {
    const { org, connection } = await anUnconnected('help-desk', { settings });
    const callback = await consentTo(await authorizeUrlOf(connection));
    expect(callback.pathname).toBe('/api/oauth/help-desk/callback');
    const { status, result } = await comeBack(callback);
    expect([status, result]).toEqual([302, { connected: connection.connection_id }]);

    const [kept, ...others] = await stores.connections.listOfOrg(org.orgId);
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ type: 'help-desk', grant: { api_domain: environment.simulators.crm_b } });
    const [made] = await crmB.grants();
    expect(made?.scopes.sort()).toEqual([
      'HB.basic.READ',
      'HB.contacts.READ',
      'HB.search.READ',
      'HB.settings.READ',
      'HB.tickets.ALL',
    ]);
    expect(await tokens.open(connection.connection_id, kept?.grant?.refresh_token ?? '')).toBe(made?.token);
    expect(await crmB.channels()).toEqual([]);
  });

  it('refuses a state of CRM-B, and leaves it usable', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/api/oauth/help-desk/callback';
    expect(await comeBack(elsewhere)).toMatchObject({ status: 400, body: '{"error":"invalid_state"}' });
    expect((await comeBack(callback)).result.connected).toBe(connection.connection_id);
  });

  it('reports a denied consent', async () => {
    const connection = await aConnection();
    await crmB.settings({ consent: 'deny' });
    expect((await comeBack(await consentTo(await authorizeUrlOf(connection)))).result).toEqual({
      error: 'access_denied',
    });
    expect((await stored(connection)).grant).toBeUndefined();
  });
});

describe('the organization of the help desk', () => {
  it('is chosen automatically if the grant may use exactly one, even if the user sees others', async () => {
    const user = await aDeskUser(desk('60001', 'Zylker'), desk('60002', 'Elsewhere', { isAccessible: false }));
    const connection = await aConnection();
    expect(await consentOf(connection, user)).toEqual({ connected: connection.connection_id });
    const { settings: kept, grant } = await stored(connection);
    expect(kept).toEqual({ ...settings, orgId: '60001' });
    expect(grant?.organizations).toEqual([{ id: '60001', name: 'Zylker' }]);
    expect(await healthOf(connection)).toEqual({ status: 'healthy', reason: null });
  });

  it('is left to people if there are several, and kept if one of them is set', async () => {
    const user = await aDeskUser(desk('60001', 'Zylker'), desk('60002', 'Zylker Homes'));
    const open = await aConnection();
    expect(await consentOf(open, user)).toEqual({ connected: open.connection_id, organization: 'not_chosen' });
    expect((await stored(open)).settings).toEqual(settings);
    expect(await healthOf(open)).toEqual({
      status: 'unhealthy',
      reason: expect.stringMatching(/"orgId": ….*60001 \(Zylker\), 60002 \(Zylker Homes\)$/),
    });
    const set = await aConnection({ orgId: '60002' });
    expect(await consentOf(set, user)).toEqual({ connected: set.connection_id });
    expect((await stored(set)).settings).toEqual({ ...settings, orgId: '60002' });
  });

  it('never silently changes to another account’s: the chosen one stays, and is reported as unavailable', async () => {
    const own = await aDeskUser(desk('60001', 'Zylker'));
    const stranger = await aDeskUser(desk('60003', 'Patil Group'));
    const connection = await aConnection();
    await consentOf(connection, own);
    expect(await consentOf(connection, stranger)).toEqual({
      connected: connection.connection_id,
      organization: 'not_chosen',
    });
    expect((await stored(connection)).settings).toEqual({ ...settings, orgId: '60001' });
    expect(await healthOf(connection)).toEqual({
      status: 'unhealthy',
      reason: expect.stringMatching(/60001 is not the grant's.*60003 \(Patil Group\)/),
    });
    expect(await consentOf(connection, own)).toEqual({ connected: connection.connection_id });
    expect(await healthOf(connection)).toEqual({ status: 'healthy', reason: null });
  });

  it('is reported as missing if the consenting user has none', async () => {
    const user = await aDeskUser(desk('60002', 'Elsewhere', { isAccessible: false }));
    const connection = await aConnection();
    expect((await consentOf(connection, user)).organization).toBe('not_chosen');
    const { grant, settings: kept } = await stored(connection);
    expect([grant?.organizations, kept]).toEqual([[], settings]);
    expect((await healthOf(connection)).reason).toMatch(/has no organization at the help desk/);
  });

  it.each(['server-error', 'too-many-requests', 'drop', 'hang'] as const)(
    'is not known where the help desk fails, and the grant is kept: %s',
    async (kind) => {
      const user = await aDeskUser(desk('60001', 'Zylker'));
      const connection = await aConnection();
      await helpDesk.fault({ route: '*', kind, times: null });
      expect(await consentOf(connection, user)).toEqual({
        connected: connection.connection_id,
        organization: 'not_chosen',
      });
      const { grant, settings: kept } = await stored(connection);
      expect(grant).toBeDefined();
      expect(grant).not.toHaveProperty('organizations');
      expect(kept).toEqual(settings);
      expect(await healthOf(connection)).toMatchObject({ status: 'unhealthy' });
    },
  );
});
