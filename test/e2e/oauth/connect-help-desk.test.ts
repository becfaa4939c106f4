import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import { done } from '../../support/admin/cli.ts';
import {
  anUnconnected,
  authorizeUrlOf,
  callBack,
  connectsOften,
  consentTo,
  tokens,
} from '../../support/connections/crm-b.ts';
import { aDeskUser, desk } from '../../support/connections/desk-users.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { crmB, environment, helpDesk } from '../../support/stack/stack.ts';

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
  await helpDesk.reset();
});
// The simulator's faults do not expire, and other files share the simulator.
afterAll(() => helpDesk.reset());

const settings = { departmentId: defaultOrganization.departments[0]?.id ?? '' };
const aConnection = async () => (await anUnconnected('help-desk', { settings })).connection;

const stored = async ({ connection_id }: Connection) => {
  const connection = await stores.connections.get(connection_id);
  if (!connection) throw new Error('the connection is gone');
  return connection;
};

/** Completes a consent. @param user who consents @returns the result in the dashboard's address */
async function consentOf(connection: Connection, user: string) {
  await crmB.settings({ consentUser: user });
  return (await callBack(await consentTo(await authorizeUrlOf(connection)))).result;
}

describe('connect-help-desk', () => {
  it('connects with its own scopes, and chooses the only organization that the grant may use', async () => {
    const consentUser = await aDeskUser(desk('60001', 'Zylker'), desk('60002', 'Elsewhere', { isAccessible: false }));
    await crmB.settings({ consentUser });
    const { org, connection } = await anUnconnected('help-desk', { settings });
    const callback = await consentTo(await authorizeUrlOf(connection));
    expect(callback.pathname).toBe('/api/oauth/help-desk/callback');
    const { status, result } = await callBack(callback);
    expect([status, result]).toEqual([302, { connected: connection.connection_id }]);

    const [connected, ...others] = await stores.connections.listOfOrg(org.orgId);
    expect(others).toEqual([]);
    expect(connected).toMatchObject({
      type: 'help-desk',
      settings: { ...settings, orgId: '60001' },
      grant: { api_domain: environment.simulators.crm_b, organizations: [{ id: '60001', name: 'Zylker' }] },
    });
    const [made] = await crmB.grants();
    expect(made?.scopes.sort()).toEqual([
      'HB.basic.READ',
      'HB.contacts.READ',
      'HB.search.READ',
      'HB.settings.READ',
      'HB.tickets.ALL',
    ]);
    expect(await tokens.open(connection.connection_id, connected?.grant?.refresh_token ?? '')).toBe(made?.token);
    expect(await crmB.channels()).toEqual([]);
    expect(connectionHealth(await stored(connection))).toEqual({ status: 'healthy', reason: null });
  });

  it('refuses the state of a consent to CRM-B, which stays usable there', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/api/oauth/help-desk/callback';
    expect(await callBack(elsewhere)).toMatchObject({ status: 400, body: '{"error":"invalid_state"}' });
    expect((await callBack(callback)).result.connected).toBe(connection.connection_id);
  });

  it('leaves the choice to people if the grant has several organizations', async () => {
    const user = await aDeskUser(desk('60001', 'Zylker'), desk('60002', 'Zylker Homes'));
    const connection = await aConnection();
    expect(await consentOf(connection, user)).toEqual({
      connected: connection.connection_id,
      organization: 'not_chosen',
    });
    expect((await stored(connection)).settings).toEqual(settings);
    expect(connectionHealth(await stored(connection))).toEqual({
      status: 'unhealthy',
      reason: expect.stringMatching(/"orgId": ….*60001 \(Zylker\), 60002 \(Zylker Homes\)$/),
    });
  });

  it('keeps the chosen organization, and becomes unhealthy, if another organization’s consent is confirmed', async () => {
    const own = await aDeskUser(desk('60001', 'Zylker'));
    const stranger = await aDeskUser(desk('60003', 'Patil Group'));
    const connection = await aConnection();
    await consentOf(connection, own);
    const { grant } = await stored(connection);
    expect(await consentOf(connection, stranger)).toEqual({ pending: connection.connection_id });
    expect((await stored(connection)).grant).toEqual(grant);
    const confirm = ['connection', 'confirm', '--connection', connection.connection_id, '--organization', '60003'];
    await done(...confirm, '--another-organization');
    expect((await stored(connection)).settings).toEqual({ ...settings, orgId: '60001' });
    expect(connectionHealth(await stored(connection))).toEqual({
      status: 'unhealthy',
      reason: expect.stringMatching(/60001 is not the grant's.*60003 \(Patil Group\)/),
    });
  });
});
