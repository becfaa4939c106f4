import { connectionHealth } from '../../../shared/domain/connections/connection-health.ts';
import type { DeliveryReport } from '../../../shared/operations/connections/check-deliveries.ts';
import {
  aConnection as aConnectionOf,
  activityOf,
  deliver,
  leadBody,
  type TestConnection,
  webhookPath,
} from '../../support/leads/leads.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { concurrently, environment, eventually, runSchedule } from '../../support/stack/stack.ts';

const KB = 1024;

/** A connection whose calls are queued but not dialed. */
const aConnection = async () => aConnectionOf({}, await anOrg({ limits: { max_live_calls: 0 } }));

const stored = async ({ connection }: TestConnection) => {
  const found = await stores.connections.get(connection.connection_id);
  if (!found) throw new Error('no connection');
  return found;
};

/** A lead whose JSON has this many bytes. */
const leadOf = (bytes: number) => {
  const lead = leadBody({ Notes: '' });
  return JSON.stringify({ ...lead, Notes: 'n'.repeat(bytes - JSON.stringify(lead).length) });
};

describe('receive-crm-a-lead', () => {
  it('accepts leads in every form up to 256 KB, and marks tests only by the header of test deliveries', async () => {
    const connected = await aConnection();
    const received = { status: 200, body: { received: true } };
    expect(await deliver(connected, leadBody())).toEqual(received);
    expect(await deliver(connected, [leadBody(), leadBody(), leadBody()])).toEqual(received);
    const filled = Object.entries(leadBody()).filter(([, value]) => value !== null) as [string, string][];
    const asForm = { 'content-type': 'application/x-www-form-urlencoded', 'x-crma-webhook-token': connected.token };
    expect(await deliver(connected, new URLSearchParams(filled).toString(), asForm)).toEqual(received);
    expect(await deliver(connected, leadOf(256 * KB))).toEqual(received);
    expect(await deliver(connected, leadBody(), { 'X-SVC-Webhook-Token': connected.token })).toEqual(received);
    const entries = await activityOf(connected, 7, 45);
    expect(entries.map(({ outcome, test }) => `${outcome} ${test}`).sort()).toEqual([
      ...Array(6).fill('call queued false'),
      'call queued true',
    ]);
  });

  it('processes no event of unknown connections and senders, and no invalid or too large body', async () => {
    const [connected, other] = [await aConnection(), await aConnection()];
    const unknown = { ...connected, connection: { ...connected.connection, connection_id: 'conn_unknown' } };
    expect(await deliver(unknown, leadBody())).toEqual({ status: 404, body: { error: 'unknown connection' } });
    const tokens = [undefined, `${connected.token}x`, other.token, connected.org.apiKey];
    for (const token of tokens)
      for (const body of [leadBody(), '{'])
        expect(await deliver(connected, body, token === undefined ? {} : { 'x-crma-webhook-token': token })).toEqual({
          status: 401,
          body: { error: 'unauthorized' },
        });
    for (const body of ['{"Prospect', '', `[${Array(501).fill('{}').join(',')}]`])
      expect(await deliver(connected, body)).toEqual({ status: 400, body: { error: 'invalid body' } });
    expect(await deliver(connected, leadOf(256 * KB + 1))).toEqual({
      status: 413,
      body: { error: 'payload too large' },
    });
    // A later event is decided, so the refused ones would have been decided before.
    await deliver(connected, leadBody());
    expect(await activityOf(connected, 1, 45)).toHaveLength(1);
  });

  it('accepts every genuine delivery during a flood of wrong tokens, and the connection stays healthy', async () => {
    const connected = await aConnection();
    await deliver(connected, leadBody());
    const isGenuine = (request: number) => request % 10 === 9;
    const answers = await concurrently(8, [...Array(60).keys()], (request) => {
      const token = isGenuine(request) ? connected.token : `${request}${connected.token}`;
      return deliver(connected, leadBody(), { 'x-crma-webhook-token': token });
    });
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_answer, request) => (isGenuine(request) ? 200 : 401)),
    );
    expect(await activityOf(connected, 7, 45)).toHaveLength(7);
    const after = await stored(connected);
    expect(connectionHealth(after).status).toBe('healthy');
    expect(after.rejected_minutes).toBeLessThanOrEqual(2);
  });

  it('shows that deliveries are missing until one arrives', async () => {
    const connected = await aConnection();
    await stores.connections.noteDelivery(connected.connection.connection_id, '2026-01-01T00:00:00.000Z');
    expect(await runSchedule<{ deliveries: DeliveryReport }>('check-connections')).toMatchObject({
      deliveries: { failed: 0, complete: true },
    });
    expect(connectionHealth(await stored(connected)).status).toBe('silent');
    await deliver(connected, leadBody());
    await eventually(
      () => stored(connected),
      (connection) => connectionHealth(connection).status === 'healthy',
    );
  });

  it('shows refused deliveries in the connection’s health until one is accepted', async () => {
    const connected = await aConnection();
    for (let delivery = 0; delivery < 5; delivery += 1) await deliver(connected, leadBody(), {});
    const rejecting = await stored(connected);
    expect(connectionHealth(rejecting).status).toBe('rejecting');
    expect(rejecting).toMatchObject({ rejection: { reason: 'unauthorized' }, rejected_minutes: 1 });
    await deliver(connected, leadBody());
    await eventually(
      () => stored(connected),
      (connection) => connectionHealth(connection).status === 'healthy',
    );
  });
});

describe('confirm-crm-a-webhook', () => {
  it.each(['HEAD', 'GET'])('answers the registration %s with 200 without a lookup', async (method) => {
    for (const id of [(await aConnection()).connection.connection_id, 'conn_unknown']) {
      const answer = await fetch(environment.base_url + webhookPath(id), { method });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
  });
});
