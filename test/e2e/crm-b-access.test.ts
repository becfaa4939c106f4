import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../shared/domain/connections/connection-health.ts';
import { crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess } from '../../shared/operations/connections/access/crm-b-access.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import { aCrmBConnection, connectsOften, consentAs, grants, tokens } from '../support/crm-b.ts';
import { activityOf, aLeadEvent, queueLead } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { crmB, environment, named, now, passTime, secrets } from '../support/stack.ts';

const deps = {
  connections: stores.connections,
  grants,
  tokens,
  accounts: zohoAccounts({ timeoutMs: 10_000, accountsUrl: environment.simulators.crm_b_accounts }),
  clientOf: oauthClientReader(secrets, named.secret('crm-b-oauth')),
  now,
  // Waiting for another worker's refresh takes longer on a slower machine.
  sleep: (milliseconds: number) => sleep(4 * milliseconds),
};
const accessTo = crmBAccess(deps);
const ask = crmBApi({ timeoutMs: 10_000 });

const read = async ({ connection_id }: Pick<Connection, 'connection_id'>) =>
  (await stores.connections.get(connection_id)) as Connection;
const lookUp = async (connection: Connection) =>
  ask(accessTo(await read(connection)), { method: 'GET', path: '/crm/v8/users', query: { type: 'CurrentUser' } });
/** Refreshes of this connection. Schedules refresh those of other tests as the clock moves. */
async function refreshesOf(connection: Connection) {
  const { connection_id, grant } = await read(connection);
  const refresh_token = await tokens.open(connection_id, grant?.refresh_token ?? '');
  const requests = await crmB.requests('POST /oauth/v2/token');
  return requests.filter(({ body }) => (body as Record<string, unknown>).refresh_token === refresh_token);
}

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings({ ...connectsOften, concurrency: 1000 });
});

describe('the access token of a real grant', () => {
  it('is used until five minutes before its expiry, and then refreshed once for concurrent requests', async () => {
    const { connection } = await aCrmBConnection();
    await passTime(3600 - 300 - 20);
    expect((await lookUp(connection)).kind).toBe('answered');
    expect(await refreshesOf(connection)).toHaveLength(0);

    await passTime(25);
    const answers = await Promise.all(Array.from({ length: 20 }, () => lookUp(connection)));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(20).fill('answered'));
    expect(await refreshesOf(connection)).toHaveLength(1);

    const { access, refresh_lease, refreshes: counted } = await read(connection);
    expect([access?.version, refresh_lease, counted?.length]).toEqual([2, undefined, 1]);
    expect((Date.parse(access?.expires_at ?? '') - now().getTime()) / 1000).toBeGreaterThan(3500);
  });

  it('is refreshed once after its expiry, while concurrent requests wait', async () => {
    const { connection } = await aCrmBConnection();
    await passTime(4000);
    await crmB.fault({ route: 'POST /oauth/v2/token', kind: 'slow', seconds: 0.5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => lookUp(connection)));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(20).fill('answered'));
    expect(await refreshesOf(connection)).toHaveLength(1);
  });

  it('is replaced once for all requests that the CRM refused', async () => {
    const { connection } = await aCrmBConnection();
    const { access } = await read(connection);
    await crmB.revoke(await tokens.open(connection.connection_id, access?.token ?? ''));
    const answers = await Promise.all(Array.from({ length: 20 }, () => lookUp(connection)));
    expect(answers.map(({ kind }) => kind)).toEqual(Array(20).fill('answered'));
    expect(await refreshesOf(connection)).toHaveLength(1);
    expect((await read(connection)).access?.version).toBe(2);
  });

  it('is refreshed at most five times in ten minutes, and again after them', async () => {
    const { connection } = await aCrmBConnection();
    const refused = async () => {
      const { access } = await read(connection);
      return accessTo(await read(connection)).token(await tokens.open(connection.connection_id, access?.token ?? ''));
    };
    for (let made = 0; made < 5; made += 1) await refused();
    expect((await refused()).kind).toBe('unavailable');
    expect(await refreshesOf(connection)).toHaveLength(5);
    await passTime(600);
    await refused();
    expect(await refreshesOf(connection)).toHaveLength(6);
    expect((await read(connection)).refreshes).toHaveLength(1);
  });

  it.each([200, 400] as const)(
    'is used while it counts, however the server throttles (%d), and the grant stays',
    async (status) => {
      const { connection } = await aCrmBConnection();
      await passTime(3400);
      await crmB.fault({ route: 'POST /oauth/v2/token', kind: 'access-denied', status, times: null });
      expect((await lookUp(connection)).kind).toBe('answered');
      expect((await lookUp(connection)).kind).toBe('answered');
      expect(await refreshesOf(connection)).toHaveLength(1);
      await passTime(300);
      expect((await lookUp(connection)).kind).toBe('unavailable');
      expect(await read(connection)).not.toHaveProperty('reconnect_needed');
      await crmB.clearFaults();
      await passTime(61);
      expect((await lookUp(connection)).kind).toBe('answered');
    },
  );

  it('of a revoked grant marks the connection until somebody reconnects', async () => {
    const { connection } = await aCrmBConnection();
    await crmB.revoke();
    for (let time = 0; time < 3; time += 1) expect((await lookUp(connection)).kind).toBe('reconnect_needed');
    expect(await refreshesOf(connection)).toHaveLength(1);
    expect(await read(connection)).toMatchObject({
      reconnect_needed: { reason: expect.stringContaining('invalid_code') },
    });
    await consentAs(connection);
    expect((await lookUp(connection)).kind).toBe('answered');
  });

  it('of a new grant is not overwritten by a late refresh of the old one', async () => {
    const { connection } = await aCrmBConnection();
    await passTime(4000);
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const refresh: typeof deps.accounts.refresh = async (...about) => {
      const outcome = await deps.accounts.refresh(...about);
      asked.resolve();
      await answered.promise;
      return outcome;
    };
    const late = crmBAccess({ ...deps, accounts: { refresh } })(await read(connection)).token();
    await asked.promise;
    await consentAs(connection);
    const { access, grant } = await read(connection);
    answered.resolve();
    const token = await tokens.open(connection.connection_id, access?.token ?? '');
    expect(await late).toEqual({ kind: 'token', token });
    expect(await read(connection)).toMatchObject({ access, grant });
    expect(await read(connection)).not.toHaveProperty('refresh_lease');
  });

  it('is refreshed by the deployed workers with their own rights, once for all leads of a notification', async () => {
    const connected = await aCrmBConnection();
    const { connection, ownerId: owner } = connected;
    await passTime(4000);
    const lead = () => ({ fields: { Last_Name: 'Rao', Mobile: aPhoneNumber() }, owner });
    await crmB.putLeads(Array.from({ length: 10 }, lead));
    const entries = await activityOf(connected, 10);
    expect(entries.map(({ outcome }) => outcome)).toEqual(Array(10).fill('call queued'));
    expect(await refreshesOf(connection)).toHaveLength(1);
    expect((await read(connection)).access?.version).toBe(2);
  });

  it('that can no longer be obtained shows in Activity and on the connection', async () => {
    const { connection } = await aCrmBConnection();
    await crmB.revoke();
    const lead = { lead_id: '554000000001001', phones: [], do_not_call: false, fields: {} };
    await queueLead(aLeadEvent({ connection }, { lead }));
    const [entry] = await activityOf({ connection }, 1);
    expect(entry).toMatchObject({ outcome: 'crm_unavailable', reason: expect.stringContaining('connect') });
    expect(connectionHealth(await read(connection)).status).toBe('needs_reconnect');
  });
});
