import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import { aCrmBConnection, CRM_B_OWNER, type CrmBConnection, connectsOften } from '../../support/connections/crm-b.ts';
import { connectionNow } from '../../support/connections/watch-channels.ts';
import { activityInTime, activityOf, passTimeUntilIst } from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { expectDescribed } from '../../support/rest/contract.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, environment, eventually, workersAreIdle } from '../../support/stack/stack.ts';

const KB = 1024;

// Far from midnight IST: a lead edited on the next day is called again.
beforeAll(() => passTimeUntilIst('10:00'));
beforeEach(async () => {
  await workersAreIdle();
  await crmB.reset();
  await crmB.settings(connectsOften);
});

/** A connection whose calls are queued but not dialed. */
const aConnection = async () => aCrmBConnection({}, await anOrg({ limits: { max_live_calls: 0 } }));

/** The token of the connection's channel, which only the CRM knows. */
async function tokenOf({ connectionId }: CrmBConnection): Promise<string> {
  const channel = (await crmB.channels()).find(({ notifyUrl }) => notifyUrl.endsWith(connectionId));
  if (!channel?.token) throw new Error('the connection has no channel');
  return channel.token;
}

/** Posts a body as CRM-B does. @param body an object is sent as JSON. */
async function notify(connectionId: string, body: object | string): Promise<{ status: number; body: unknown }> {
  const path = `/api/webhooks/crm-b/${connectionId}`;
  const answer = await fetch(environment.base_url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const parsed = await answer.json();
  expectDescribed('POST', path, answer.status, parsed);
  return { status: answer.status, body: parsed };
}

const about = (token: string, more: object = {}) => ({
  server_time: Date.now(),
  module: 'Leads',
  operation: 'insert',
  ids: ['554000000000001'],
  token,
  ...more,
});

/** A notification whose JSON has this many bytes. */
const filled = (token: string, bytes: number) => {
  const body = about(token, { affected_values: '' });
  return JSON.stringify({ ...body, affected_values: 'n'.repeat(bytes - JSON.stringify(body).length) });
};

const aLead = () => ({
  fields: { Last_Name: 'Rao', First_Name: 'Asha', Mobile: aPhoneNumber() },
  owner: CRM_B_OWNER,
});

describe('receive-crm-b-notification', () => {
  it('fetches and calls a new lead that its channel reports, at the CRM’s phone number', async () => {
    const connected = await aConnection();
    const lead = aLead();
    const [id] = await crmB.putLeads([lead]);
    const [entry] = await activityOf(connected, 1, 45);
    expect(entry).toMatchObject({
      source: 'webhook',
      event: 'new_lead',
      outcome: 'call queued',
      lead_id: id,
      owner_id: CRM_B_OWNER,
      test: false,
    });
    const call = await stores.calls.get(entry?.call_id ?? '');
    expect(call).toMatchObject({
      phone_number: lead.fields.Mobile,
      lead: { crm: 'crm-b', lead_id: id, fields: { Full_Name: 'Asha Rao' } },
    });
    await crmB.untilIdle();
    expect((await crmB.notifications()).map(({ answers }) => answers)).toEqual([[200]]);
  });

  it('calls each of 12 leads once, with ids as strings or numbers, even if they are notified again as edits', async () => {
    const connected = await aConnection();
    await crmB.settings({ notifications: { idsAs: 'numbers' } });
    const ids = await crmB.putLeads(Array.from({ length: 12 }, aLead));
    await crmB.settings({ notifications: { idsAs: 'strings' } });
    await crmB.putLeads(ids.slice(0, 4).map((id) => ({ id, fields: { City: 'Pune' } })));
    const entries = await activityInTime(connected, 16);
    expect(entries).toHaveLength(16);
    const queued = entries.filter(({ outcome }) => outcome === 'call queued');
    expect(queued.map(({ lead_id }) => lead_id).sort()).toEqual([...ids].sort());
    expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['webhook']));
    expect((await crmB.notifications()).map((notification) => notification.ids.length)).toEqual([12, 4]);
  });

  it('shows refused senders and bodies in the health until a notification is accepted', async () => {
    const connected = await aConnection();
    const { connectionId } = connected;
    const token = await tokenOf(connected);
    expect(await notify('conn_unknown', about(token))).toEqual({ status: 404, body: { error: 'unknown connection' } });
    for (const body of [about(`${token}x`), { ...about(token), token: undefined }, '', 'x'.repeat(300 * KB)])
      expect(await notify(connectionId, body)).toEqual({ status: 401, body: { error: 'unauthorized' } });
    const rejecting = await connectionNow(connected);
    expect(connectionHealth(rejecting).status).toBe('rejecting');
    expect(rejecting).toMatchObject({ rejection: { reason: 'unauthorized' } });
    expect(await notify(connectionId, about(token, { ids: '554000000000001' }))).toEqual({
      status: 400,
      body: { error: 'invalid body' },
    });
    expect(await notify(connectionId, filled(token, 256 * KB + 1))).toEqual({
      status: 413,
      body: { error: 'payload too large' },
    });
    expect(await stores.activity.list(connectionId)).toEqual([]);

    expect(await notify(connectionId, filled(token, 256 * KB))).toEqual({ status: 200, body: { received: true } });
    expect(await activityOf(connected, 1, 45)).toMatchObject([{ outcome: 'lead_not_found' }]);
    await eventually(
      () => connectionNow(connected),
      (connection) => connectionHealth(connection).status === 'healthy',
    );
  });

  it('records one entry, and sends no request, for a notification without a callable lead', async () => {
    const connected = await aConnection();
    const token = await tokenOf(connected);
    const ignored = [
      { module: 'Contacts', ids: ['1', '2'] },
      { operation: 'delete', ids: ['1', '2'] },
      { ids: undefined, operation: 'update' },
    ];
    for (const more of ignored) expect((await notify(connected.connectionId, about(token, more))).status).toBe(200);
    const entries = await activityOf(connected, 3, 45);
    expect(entries.map(({ event, outcome }) => `${event}: ${outcome}`).sort()).toEqual([
      'lead_deleted: ignored',
      'lead_edited: no_lead_id_in_payload',
      'other: ignored',
    ]);
    expect(entries[0]?.payload_keys).toContain('token');
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(await crmB.requests('GET /crm/v8/Leads/{id}')).toEqual([]);
  });
});
