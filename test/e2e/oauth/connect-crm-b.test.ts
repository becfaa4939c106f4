import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { hashWebhookToken } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import {
  anUnconnected,
  authorizeUrlOf,
  callBack,
  connectsOften,
  consentAs,
  consentTo,
  grants,
  tokens,
} from '../../support/connections/crm-b.ts';
import { crmB, db, environment, named, now } from '../../support/stack/stack.ts';

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

const stored = async ({ connection_id }: Pick<Connection, 'connection_id'>) => {
  const { Item } = await db.send(
    new GetCommand({ TableName: named.table('connections'), Key: { connection_id }, ConsistentRead: true }),
  );
  return Item as Connection & Record<string, unknown>;
};

/** Token requests with a code. Connections of other tests may refresh their tokens as the clock moves. */
const codesExchanged = async () =>
  (await crmB.requests('POST /oauth/v2/token')).filter(
    ({ body }) => (body as Record<string, unknown>).grant_type === 'authorization_code',
  ).length;

describe('connect-crm-b', () => {
  it('stores tokens sealed under the connection, with all scopes, and reveals no secret in its answer', async () => {
    const { connection } = await anUnconnected('crm-b');
    const before = now().getTime();
    const callback = await consentTo(await authorizeUrlOf(connection));
    const answer = await fetch(callback, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const location = new URL(answer.headers.get('location') ?? '');
    expect(location.origin).toBe(environment.base_url);
    expect(location.searchParams.get('connected')).toBe(connection.connection_id);
    const shown = JSON.stringify([...answer.headers]) + (await answer.text());
    for (const secret of [callback.searchParams.get('code'), callback.searchParams.get('state'), '1000.'])
      expect(shown).not.toContain(secret);

    const { grant, access, ...rest } = await stored(connection);
    expect(grant?.identity).toEqual({
      organizations: [{ id: '554000000000001', name: 'main' }],
      user: { name: 'Asha Rao', email: 'asha@example.com' },
    });
    expect(rest).toMatchObject(connection);
    expect(grant).toMatchObject({
      data_center: 'in',
      accounts_server: environment.simulators.crm_b_accounts,
      api_domain: environment.simulators.crm_b,
    });
    const [made] = await crmB.grants();
    const open = (sealed: string | undefined) => tokens.open(connection.connection_id, sealed ?? '');
    expect(await open(grant?.refresh_token)).toBe(made?.token);
    expect(await open(access?.token)).toBe(made?.access[0]?.token);
    const life = (Date.parse(access?.expires_at ?? '') - before) / 1000;
    expect(life).toBeGreaterThan(3590);
    expect(life).toBeLessThan(3660);
    // They cannot be decrypted under another connection.
    await expect(tokens.open('conn_other', grant?.refresh_token ?? '')).rejects.toThrow();
    expect(JSON.stringify(await stored(connection))).not.toContain('1000.');
    expect(made?.scopes.sort()).toEqual([
      'ZohoCRM.coql.READ',
      'ZohoCRM.modules.calls.CREATE',
      'ZohoCRM.modules.calls.READ',
      'ZohoCRM.modules.leads.READ',
      'ZohoCRM.modules.leads.UPDATE',
      'ZohoCRM.modules.notes.CREATE',
      'ZohoCRM.modules.notes.READ',
      'ZohoCRM.notifications.ALL',
      'ZohoCRM.org.READ',
      'ZohoCRM.settings.fields.READ',
      'ZohoCRM.users.READ',
    ]);
  });

  it('arms the watch channel at once, with a token that is not stored in clear text', async () => {
    const { connection } = await anUnconnected('crm-b');
    expect(await consentAs(connection)).toEqual({ connected: connection.connection_id });
    const [channel, ...others] = await crmB.channels();
    expect(others).toEqual([]);
    expect(channel?.notifyUrl).toBe(`${environment.base_url}/api/webhooks/crm-b/${connection.connection_id}`);
    const connected = await stored(connection);
    expect(connected.channel?.id).toBe(channel?.channelId);
    expect(connected.token_hash).toBe(hashWebhookToken(channel?.token ?? ''));
    expect(JSON.stringify(connected)).not.toContain(channel?.token);
  });

  it('accepts one of two concurrent callbacks, and requests tokens once', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const answers = await Promise.all([callBack(callback), callBack(callback)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect([refused?.body, refused?.result]).toEqual(['{"error":"invalid_state"}', {}]);
    expect(await codesExchanged()).toBe(1);
    expect((await stored(connection)).grant).toBeDefined();
  });

  it('reports a denied consent, and consumes the state', async () => {
    const { connection } = await anUnconnected('crm-b');
    await crmB.settings({ consent: 'deny' });
    const callback = await consentTo(await authorizeUrlOf(connection));
    expect(await callBack(callback)).toMatchObject({ status: 302, result: { error: 'access_denied' } });
    expect(await callBack(callback)).toMatchObject({ status: 400, body: '{"error":"invalid_state"}' });
    expect(await stored(connection)).toEqual(connection);
  });

  it('sends neither code nor secret to an unknown accounts server', async () => {
    const { connection } = await anUnconnected('crm-b');
    for (const server of [
      'https://accounts.example',
      `${environment.simulators.crm_b_accounts}/x`,
      `${environment.simulators.crm_b_accounts}.example`,
      'https://accounts.zoho.in',
      '',
    ]) {
      const callback = await consentTo(await authorizeUrlOf(connection));
      callback.searchParams.set('accounts-server', server);
      expect((await callBack(callback)).result).toEqual({ error: 'unexpected_accounts_server' });
    }
    expect(await codesExchanged()).toBe(0);
    expect(await stored(connection)).toEqual(connection);
  });

  it('replaces the grant on a reconnect, and revokes the old one at the provider', async () => {
    const { connection } = await anUnconnected('crm-b');
    await consentAs(connection);
    const { grant: first } = await stored(connection);
    const reconnect_needed = { at: now().toISOString(), reason: 'invalid_code' };
    await grants.markReconnectNeeded(connection.connection_id, first?.id ?? '', reconnect_needed, undefined);

    expect((await consentAs(connection)).connected).toBe(connection.connection_id);
    const second = await stored(connection);
    expect(second.grant?.id).not.toBe(first?.id);
    expect(second).not.toHaveProperty('reconnect_needed');
    expect(second.access?.version).toBe(1);
    // Only the new channel, armed with the new grant, exists.
    expect((await crmB.channels()).map(({ channelId }) => channelId)).toEqual([second.channel?.id]);
    const alive = (await crmB.grants()).filter(({ revoked }) => !revoked);
    expect(alive.map(({ token }) => token)).toEqual([
      await tokens.open(connection.connection_id, second.grant?.refresh_token ?? ''),
    ]);
  });
});
