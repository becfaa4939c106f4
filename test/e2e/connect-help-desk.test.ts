import { anUnconnected, authorizeUrlOf, comeBack, connectsOften, consentTo, tokens } from '../support/crm-b.ts';
import { stores } from '../support/orgs.ts';
import { crmB, environment } from '../support/stack.ts';

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

describe('connect-help-desk', () => {
  it('connects the help desk with its own scopes, and no channel and no CRM with it', async () => {
    const { org, connection } = await anUnconnected('help-desk');
    const callback = await consentTo(await authorizeUrlOf(connection));
    expect(callback.pathname).toBe('/api/oauth/help-desk/callback');
    expect(await comeBack(callback)).toMatchObject({ status: 302, result: { connected: connection.connection_id } });

    const [stored, ...others] = await stores.connections.listOfOrg(org.orgId);
    expect(others).toEqual([]);
    expect(stored).toMatchObject({ type: 'help-desk', grant: { api_domain: environment.simulators.crm_b } });
    const [made] = await crmB.grants();
    expect(made?.scopes.every((scope) => scope.startsWith('HB.'))).toBe(true);
    expect(await tokens.open(connection.connection_id, stored?.grant?.refresh_token ?? '')).toBe(made?.token);
    expect(await crmB.channels()).toEqual([]);
  });

  it('takes no state of CRM-B, and leaves it usable', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/api/oauth/help-desk/callback';
    expect(await comeBack(elsewhere)).toMatchObject({ status: 400, body: '{"error":"invalid_state"}' });
    expect((await comeBack(callback)).result.connected).toBe(connection.connection_id);
  });

  it('tells a denied consent', async () => {
    const { connection } = await anUnconnected('help-desk');
    await crmB.settings({ consent: 'deny' });
    expect((await comeBack(await consentTo(await authorizeUrlOf(connection)))).result).toEqual({
      error: 'access_denied',
    });
    expect((await stores.connections.get(connection.connection_id))?.grant).toBeUndefined();
  });
});
