import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import { aCrmBConnection, connectsOften, consentAs, tokens } from '../../support/connections/crm-b.ts';
import { activityOf, aLeadEvent, queueLead } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, passTime } from '../../support/stack/stack.ts';

const read = async ({ connection_id }: Pick<Connection, 'connection_id'>) =>
  (await stores.connections.get(connection_id)) as Connection;

/** Lists this connection's refreshes only: schedules refresh the tokens of other tests as the clock moves. */
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
  it('is refreshed by the deployed workers with their own rights, once for all leads of a notification', async () => {
    // Without credit the leads are read, but not called.
    const connected = await aCrmBConnection({}, await anOrg({ credits: 0 }));
    const { connection, ownerId: owner } = connected;
    await passTime(4000);
    const lead = () => ({ fields: { Last_Name: 'Rao', Mobile: aPhoneNumber() }, owner });
    await crmB.putLeads(Array.from({ length: 10 }, lead));
    const entries = await activityOf(connected, 10);
    expect(entries.map(({ outcome }) => outcome)).toEqual(Array(10).fill('insufficient_credits'));
    expect(await refreshesOf(connection)).toHaveLength(1);
    const { access, refresh_lease, refreshes } = await read(connection);
    expect([access?.version, refresh_lease, refreshes?.length]).toEqual([2, undefined, 1]);
  });

  it('is reported as unobtainable in Activity and on the connection, until a person reconnects', async () => {
    const { connection } = await aCrmBConnection();
    await crmB.revoke();
    const lead = { lead_id: '554000000001001', phones: [], do_not_call: false, fields: {} };
    await queueLead(aLeadEvent({ connection }, { lead }));
    const [entry] = await activityOf({ connection }, 1);
    expect(entry).toMatchObject({ outcome: 'crm_unavailable', reason: expect.stringContaining('connect') });
    expect(connectionHealth(await read(connection)).status).toBe('needs_reconnect');
    expect(await read(connection)).toMatchObject({
      reconnect_needed: { reason: expect.stringContaining('invalid_code') },
    });
    await consentAs(connection);
    expect(connectionHealth(await read(connection)).status).toBe('healthy');
  });
});
