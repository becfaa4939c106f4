import { connectionHealth } from '../../shared/domain/connections/connection-health.ts';
import { rotateCrmAToken } from '../../shared/operations/connections/rotate-crm-a-token.ts';
import { aConnection, activityOf, deliver, leadBody, webhookPath } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { environment, eventually } from '../support/stack.ts';

const KB = 1024;

describe('receive-crm-a-lead', () => {
  it('accepts a lead, or a list of leads, with the connection’s token', async () => {
    const connected = await aConnection();
    expect(await deliver(connected, leadBody())).toEqual({ status: 200, body: { received: true } });
    expect(await deliver(connected, [leadBody(), leadBody(), leadBody()])).toMatchObject({ status: 200 });
    const entries = await activityOf(connected, 4, 45);
    expect(entries).toHaveLength(4);
    expect(new Set(entries.map(({ outcome, test }) => `${outcome} ${test}`))).toEqual(new Set(['call queued false']));
  });

  it('accepts the other spelling of the test header, and marks its events as tests', async () => {
    const connected = await aConnection();
    const answer = await deliver(connected, leadBody(), { 'X-SVC-Webhook-Token': connected.token });
    expect(answer).toEqual({ status: 200, body: { received: true } });
    expect(await activityOf(connected, 1, 45)).toMatchObject([{ outcome: 'call queued', test: true }]);
  });

  it.each([
    ['JSON that says it is text', 'text/plain', (lead: object) => JSON.stringify(lead)],
    [
      'a form',
      'application/x-www-form-urlencoded',
      (lead: object) => new URLSearchParams(withoutNull(lead)).toString(),
    ],
    ['JSON that says it is a form', 'application/x-www-form-urlencoded', (lead: object) => JSON.stringify(lead)],
  ])('reads %s', async (_name, contentType, write) => {
    const connected = await aConnection();
    const lead = leadBody();
    const answer = await deliver(connected, write(lead), {
      'content-type': contentType,
      'x-crma-webhook-token': connected.token,
    });
    expect(answer.status).toBe(200);
    expect(await activityOf(connected, 1, 45)).toMatchObject([{ outcome: 'call queued', lead_id: lead.ProspectID }]);
  });

  it('refuses a missing or wrong token with 401 before reading the body, and processes no event', async () => {
    const connected = await aConnection();
    for (const headers of [{}, { 'x-crma-webhook-token': `${connected.token}x` }, { 'x-svc-webhook-token': 'x' }])
      for (const body of [leadBody(), '{'])
        expect(await deliver(connected, body, headers as Record<string, string>)).toEqual({
          status: 401,
          body: { error: 'unauthorized' },
        });
    // A later event is decided, so the refused ones would have been decided by now.
    await deliver(connected, leadBody());
    expect(await activityOf(connected, 1, 45)).toHaveLength(1);
  });

  it("refuses another connection's token and an API key", async () => {
    const [connected, other] = [await aConnection(), await aConnection()];
    for (const token of [other.token, connected.org.apiKey])
      expect((await deliver({ ...connected, token }, leadBody())).status).toBe(401);
  });

  it('answers 404 for an unknown connection, whatever the token', async () => {
    const { connection, token } = await aConnection();
    for (const connection_id of ['conn_0', 'x'.repeat(500)])
      expect(await deliver({ connection: { ...connection, connection_id }, token }, leadBody())).toEqual({
        status: 404,
        body: { error: 'unknown connection' },
      });
  });

  it.each([
    ['no JSON', '{"Prospect'],
    ['nothing', ''],
    ['a number', '5'],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['a list without a lead', '[1,"x",null]'],
    ['501 leads', `[${Array(501).fill('{}').join(',')}]`],
  ])('answers 400 to %s', async (_name, body) => {
    const connected = await aConnection();
    expect(await deliver(connected, body)).toEqual({ status: 400, body: { error: 'invalid body' } });
    expect((await stores.connections.get(connected.connection.connection_id))?.rejection?.reason).toBe('invalid body');
  });

  it('answers 413 above 256 KB, and accepts a body just below', async () => {
    const connected = await aConnection();
    const filled = (bytes: number) => {
      const lead = leadBody({ Notes: '' });
      return JSON.stringify({ ...lead, Notes: 'n'.repeat(bytes - JSON.stringify(lead).length) });
    };
    expect(await deliver(connected, filled(256 * KB + 1))).toEqual({
      status: 413,
      body: { error: 'payload too large' },
    });
    expect((await deliver(connected, filled(256 * KB))).status).toBe(200);
    expect(await activityOf(connected, 1, 45)).toMatchObject([{ outcome: 'call queued' }]);
  });

  it('shows refused deliveries in the connection’s health, at most once a minute, until one is accepted', async () => {
    const connected = await aConnection();
    const { connection_id } = connected.connection;
    const kept = async () => {
      const connection = await stores.connections.get(connection_id);
      if (!connection) throw new Error('no connection');
      return connection;
    };
    for (let delivery = 0; delivery < 5; delivery += 1) await deliver(connected, leadBody(), {});
    const rejecting = await kept();
    expect(connectionHealth(rejecting).status).toBe('rejecting');
    expect(rejecting).toMatchObject({ rejection: { reason: 'unauthorized' }, rejected_minutes: 1 });
    await deliver(connected, leadBody());
    await eventually(kept, (connection) => connectionHealth(connection).status === 'healthy', 45);
  });

  it('refuses the old token as soon as the connection is reconnected', async () => {
    const connected = await aConnection();
    expect((await deliver(connected, leadBody())).status).toBe(200);
    const token = await rotateCrmAToken({ connections: stores.connections }, connected.connection.connection_id);
    expect((await deliver(connected, leadBody())).status).toBe(401);
    expect((await deliver({ ...connected, token: token ?? '' }, leadBody())).status).toBe(200);
  });
});

describe('confirm-crm-a-webhook', () => {
  it.each(['HEAD', 'GET'])('answers the registration %s with 200 without a lookup', async (method) => {
    const { connection } = await aConnection();
    for (const id of [connection.connection_id, 'conn_unknown']) {
      const answer = await fetch(environment.base_url + webhookPath(id), {
        method,
        signal: AbortSignal.timeout(120_000),
      });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
  });
});

const withoutNull = (lead: object): Record<string, string> =>
  Object.fromEntries(Object.entries(lead).filter(([, value]) => value !== null));
