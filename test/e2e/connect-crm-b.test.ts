import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { hashWebhookToken } from '../../shared/domain/connections/webhook-token.ts';
import { putSecret } from '../../shared/stores/secrets.ts';
import {
  anUnconnected,
  authorizeUrlOf,
  comeBack,
  connectsOften,
  consentAs,
  consentTo,
  grants,
  tokens,
} from '../support/crm-b.ts';
import { stores } from '../support/orgs.ts';
import { crmB, db, environment, named, now, passTime, secrets } from '../support/stack.ts';

beforeEach(async () => {
  await crmB.reset();
  await crmB.settings(connectsOften);
});

const kept = async ({ connection_id }: Pick<Connection, 'connection_id'>) => {
  const { Item } = await db.send(
    new GetCommand({ TableName: named.table('connections'), Key: { connection_id }, ConsistentRead: true }),
  );
  return Item as Connection & Record<string, unknown>;
};

const nothingStored = async (connection: Connection) => expect(await kept(connection)).toEqual(connection);
/** Token requests with a code. Connections of other tests may refresh their tokens as the clock moves. */
const codesExchanged = async () =>
  (await crmB.requests('POST /oauth/v2/token')).filter(
    ({ body }) => (body as Record<string, unknown>).grant_type === 'authorization_code',
  ).length;
const grantsAtProvider = async () => (await crmB.grants()).filter(({ revoked }) => !revoked);

describe('connect-crm-b', () => {
  it('connects after a consent, with tokens sealed under the connection and the domain of the answer', async () => {
    const { connection } = await anUnconnected('crm-b');
    const before = now().getTime();
    const callback = await consentTo(await authorizeUrlOf(connection));
    const { status, result } = await comeBack(callback);
    expect([status, result.connected]).toEqual([302, connection.connection_id]);

    const { grant, access, ...rest } = await kept(connection);
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
    expect(access?.version).toBe(1);
    const life = (Date.parse(access?.expires_at ?? '') - before) / 1000;
    expect(life).toBeGreaterThan(3590);
    expect(life).toBeLessThan(3660);
    // They cannot be decrypted under another connection.
    await expect(tokens.open('conn_other', grant?.refresh_token ?? '')).rejects.toThrow();
    expect(JSON.stringify(await kept(connection))).not.toContain('1000.');
  });

  it('requests the complete list of scopes', async () => {
    const { connection } = await anUnconnected('crm-b');
    await consentAs(connection);
    const [made] = await crmB.grants();
    expect(made?.scopes.sort()).toEqual([
      'ZohoCRM.coql.READ',
      'ZohoCRM.modules.calls.CREATE',
      'ZohoCRM.modules.calls.READ',
      'ZohoCRM.modules.leads.READ',
      'ZohoCRM.modules.leads.UPDATE',
      'ZohoCRM.modules.notes.CREATE',
      'ZohoCRM.modules.notes.READ',
      'ZohoCRM.notifications.ALL',
      'ZohoCRM.settings.fields.READ',
      'ZohoCRM.users.READ',
    ]);
  });

  it('accepts one of two concurrent callbacks, and requests tokens once', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const answers = await Promise.all([comeBack(callback), comeBack(callback)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect([refused?.body, refused?.result]).toEqual(['{"error":"invalid_state"}', {}]);
    expect(await codesExchanged()).toBe(1);
    expect((await kept(connection)).grant).toBeDefined();
  });

  it('answers 400 to a state that is used, unknown, missing, expired or of the other callback', async () => {
    const { connection } = await anUnconnected('crm-b');
    const used = await consentTo(await authorizeUrlOf(connection));
    await comeBack(used);
    const unknown = new URL(used);
    unknown.searchParams.set('state', 'x'.repeat(43));
    const absent = new URL(used);
    absent.searchParams.delete('state');

    const { connection: desk } = await anUnconnected('help-desk');
    const elsewhere = await consentTo(await authorizeUrlOf(desk));
    elsewhere.pathname = '/api/oauth/crm-b/callback';

    const { connection: late } = await anUnconnected('crm-b');
    const tooLate = await consentTo(await authorizeUrlOf(late));
    await passTime(600);

    for (const callback of [used, unknown, absent, elsewhere, tooLate]) {
      const { status, body } = await comeBack(callback);
      expect([status, body]).toEqual([400, '{"error":"invalid_state"}']);
    }
    await nothingStored(late);
    await nothingStored(desk);
  });

  it('reports a denied consent, and consumes the state', async () => {
    const { connection } = await anUnconnected('crm-b');
    await crmB.settings({ consent: 'deny' });
    const callback = await consentTo(await authorizeUrlOf(connection));
    expect(await comeBack(callback)).toMatchObject({ status: 302, result: { error: 'access_denied' } });
    expect((await comeBack(callback)).status).toBe(400);
    await nothingStored(connection);
  });

  it.each([200, 400] as const)('reports a refusal of the accounts server, whatever its status: %d', async (status) => {
    await crmB.settings({ oauthErrorStatus: status, throttleStatus: status });
    const resultOf = async (spoil: () => Promise<unknown>, change: (callback: URL) => void = () => undefined) => {
      const { connection } = await anUnconnected('crm-b');
      const callback = await consentTo(await authorizeUrlOf(connection));
      await spoil();
      change(callback);
      const { result } = await comeBack(callback);
      await nothingStored(connection);
      await crmB.clearFaults();
      return result;
    };
    const route = 'POST /oauth/v2/token';
    const fine = async () => undefined;
    expect(await resultOf(fine, ({ searchParams }) => searchParams.set('code', 'used'))).toEqual({
      error: 'invalid_code',
    });
    expect(await resultOf(fine, ({ searchParams }) => searchParams.delete('code'))).toEqual({ error: 'invalid_code' });
    expect(await resultOf(() => passTime(130))).toEqual({ error: 'invalid_code' });
    expect(await resultOf(() => crmB.client(defaultClient.id, { secret: 'another' }))).toEqual({
      error: 'invalid_client_secret',
    });
    await crmB.client(defaultClient.id, { secret: defaultClient.secret });
    for (const error of ['invalid_client', 'invalid_redirect_uri'])
      expect(await resultOf(() => crmB.fault({ route, kind: 'oauth-error', error }))).toEqual({ error });
    expect(await resultOf(() => crmB.fault({ route, kind: 'access-denied' }))).toEqual({ error: 'too_many_requests' });
    expect(await resultOf(() => crmB.fault({ route, kind: 'html', status }))).toEqual({ error: 'unexpected_answer' });
  });

  it.each(['server-error', 'drop', 'hang', 'drop-after'] as const)(
    'reports a failure of the accounts server: %s',
    async (kind) => {
      const { connection } = await anUnconnected('crm-b');
      const callback = await consentTo(await authorizeUrlOf(connection));
      await crmB.fault({ route: 'POST /oauth/v2/token', kind });
      expect((await comeBack(callback)).result).toEqual({ error: 'accounts_server_unavailable' });
      await nothingStored(connection);
    },
  );

  it('sends no code and no secret to an unknown accounts server', async () => {
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
      expect((await comeBack(callback)).result).toEqual({ error: 'unexpected_accounts_server' });
    }
    expect(await codesExchanged()).toBe(0);
    await nothingStored(connection);
  });

  it('stores nothing for an unknown API domain, and revokes the grant', async () => {
    await crmB.settings({ apiDomain: 'https://www.example' });
    const { connection } = await anUnconnected('crm-b');
    expect(await consentAs(connection)).toEqual({ error: 'unexpected_api_domain' });
    await nothingStored(connection);
    expect(await grantsAtProvider()).toEqual([]);
  });

  it('stores nothing without a refresh token', async () => {
    const { connection } = await anUnconnected('crm-b');
    const url = new URL(await authorizeUrlOf(connection));
    url.searchParams.set('access_type', 'online');
    expect((await comeBack(await consentTo(url.href))).result).toEqual({ error: 'missing_refresh_token' });
    await nothingStored(connection);
  });

  it('reports a missing OAuth client', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const value = (client: object) => putSecret(secrets, named.secret('crm-b-oauth'), JSON.stringify(client));
    try {
      await value({});
      expect((await comeBack(callback)).result).toEqual({ error: 'client_not_set' });
    } finally {
      await value({ in: { client_id: defaultClient.id, client_secret: defaultClient.secret } });
    }
    await nothingStored(connection);
  });

  it('arms the watch channel at once, with a token that is stored nowhere in clear', async () => {
    const { connection } = await anUnconnected('crm-b');
    expect(await consentAs(connection)).toEqual({ connected: connection.connection_id });
    const [channel, ...others] = await crmB.channels();
    expect(others).toEqual([]);
    expect(channel?.notifyUrl).toBe(`${environment.base_url}/api/webhooks/crm-b/${connection.connection_id}`);
    const stored = await kept(connection);
    expect(stored.channel?.id).toBe(channel?.channelId);
    expect(stored.token_hash).toBe(hashWebhookToken(channel?.token ?? ''));
    expect(JSON.stringify(stored)).not.toContain(channel?.token);
  });

  it.each(['server-error', 'too-many-requests', 'drop', 'hang'] as const)(
    'keeps the connection when the channel cannot be armed, and reports it: %s',
    async (kind) => {
      const { connection } = await anUnconnected('crm-b');
      await crmB.fault({ route: 'POST /crm/v8/actions/watch', kind, times: null });
      expect(await consentAs(connection)).toEqual({ connected: connection.connection_id, channel: 'failed' });
      const { grant, channel } = await kept(connection);
      expect([grant?.data_center, channel]).toEqual(['in', undefined]);
    },
  );

  it('replaces the grant on a reconnect, and revokes the old one at the provider', async () => {
    const { connection } = await anUnconnected('crm-b');
    await consentAs(connection);
    const { grant: first } = await kept(connection);
    const reconnect_needed = { at: now().toISOString(), reason: 'invalid_code' };
    await grants.markReconnectNeeded(connection.connection_id, first?.id ?? '', reconnect_needed, undefined);

    expect((await consentAs(connection)).connected).toBe(connection.connection_id);
    const second = await kept(connection);
    expect(second.grant?.id).not.toBe(first?.id);
    expect(second).not.toHaveProperty('reconnect_needed');
    expect(second.access?.version).toBe(1);
    // Only the new channel, armed with the new grant, exists.
    expect((await crmB.channels()).map(({ channelId }) => channelId)).toEqual([second.channel?.id]);
    const alive = await grantsAtProvider();
    expect(alive.map(({ token }) => token)).toEqual([
      await tokens.open(connection.connection_id, second.grant?.refresh_token ?? ''),
    ]);
  });

  it('reveals no code, state or token in answers or to caches', async () => {
    const { connection } = await anUnconnected('crm-b');
    const callback = await consentTo(await authorizeUrlOf(connection));
    const answer = await fetch(callback, { redirect: 'manual' });
    const said = JSON.stringify([...answer.headers]) + (await answer.text());
    for (const secret of [callback.searchParams.get('code'), callback.searchParams.get('state'), '1000.'])
      expect(said).not.toContain(secret);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(new URL(answer.headers.get('location') ?? '').origin).toBe(environment.base_url);
    expect((await stores.connections.get(connection.connection_id))?.grant).toBeDefined();
  });
});
