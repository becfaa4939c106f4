import { describe, expect, it } from '@jest/globals';
import type { StageHosts } from '../../../../shared/domain/connections/allowed-hosts.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { DataCenter } from '../../../../shared/domain/connections/data-center.ts';
import type { OauthClient } from '../../../../shared/domain/connections/oauth-client.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import { type ConsentCallback, completeConsent } from '../../../../shared/operations/connections/complete-consent.ts';
import { createOauthConnection } from '../../../../shared/operations/connections/create-oauth-connection.ts';
import { connectionWorld } from '../../support/connection-world.ts';
import { aConnection, ORG } from '../../support/items.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

const unconnected = aConnection();
const clientFor = (dataCenter: string): OauthClient => ({
  client_id: `id-${dataCenter}`,
  client_secret: `s-${dataCenter}`,
});
const granted = (over: Partial<Extract<TokenOutcome, { kind: 'granted' }>> = {}): TokenOutcome => ({
  kind: 'granted',
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  apiDomain: 'https://www.zohoapis.in',
  expiresInSeconds: 3600,
  ...over,
});

/** A connection, the accounts server, and the order of the steps. */
function service({
  stored = unconnected as Connection | null,
  outcome = granted(),
  clients = ['in', 'eu'],
  hosts = {} as StageHosts,
  channel = undefined as (() => Promise<boolean>) | undefined,
  revoke = async () => true,
} = {}) {
  const steps: string[] = [];
  const exchanges: unknown[] = [];
  const revoked: string[] = [];
  const correlated: object[] = [];
  const state = { seconds: 0, outcome };
  const world = connectionWorld(stored ?? undefined);
  const never = new Promise<never>(() => undefined);
  const deps = {
    ...world.common,
    accounts: {
      exchange: async (server: string, client: OauthClient, asked: object) => {
        steps.push('exchange');
        exchanges.push({ server, client, ...asked });
        return state.outcome;
      },
      revoke: async (server: string, token: string) => {
        steps.push('revoke');
        revoked.push(`${token} at ${server}`);
        return revoke();
      },
    },
    clientOf: async (dataCenter: DataCenter) => (clients.includes(dataCenter) ? clientFor(dataCenter) : undefined),
    hosts,
    scopes: 'a,b',
    publicUrl: 'https://calls.example',
    ...(channel && {
      armChannel: async (connectionId: string) => {
        steps.push(`arm ${connectionId}`);
        return channel();
      },
    }),
    correlate: (ids: object) => void correlated.push(ids),
    now: () => new Date(START + state.seconds * 1000),
    // A wait ends only if a step hangs.
    sleep: (milliseconds: number) => (hanging ? Promise.resolve(milliseconds) : never),
  };
  let hanging = false;
  const begin = async (dataCenter: DataCenter = 'in') => {
    const url = await beginConsent(deps, { connection_id: 'conn_1', org_id: ORG, type: 'crm-b' }, dataCenter);
    return new URL(url ?? '').searchParams.get('state') ?? '';
  };
  const callbackOf = (name: string, over: Partial<ConsentCallback> = {}): ConsentCallback => ({
    state: name,
    code: 'code-1',
    error: undefined,
    accountsServer: 'https://accounts.zoho.in',
    ...over,
  });
  const complete = async (over: Partial<ConsentCallback> = {}, dataCenter?: DataCenter) =>
    completeConsent(deps, 'crm-b', callbackOf(await begin(dataCenter), over));
  return {
    ...{ deps, state, steps, exchanges, revoked, correlated, begin, callbackOf, complete },
    table: world.table,
    states: () => world.all('oauth-states'),
    hang: () => {
      hanging = true;
    },
  };
}

const failed = (error: string) => ({ kind: 'failed', error });

describe('a consent', () => {
  it('is begun for one connection and data center, and stores what its callback needs', async () => {
    const { begin, states } = service();
    const name = await begin('eu');
    expect(states()).toEqual([
      {
        state: name,
        org_id: ORG,
        connection_id: 'conn_1',
        type: 'crm-b',
        data_center: 'eu',
        verifier: expect.stringMatching(/^[\w-]{43}$/),
        redirect_uri: 'https://calls.example/api/oauth/crm-b/callback',
        created_at: at(0),
        expires_at: START / 1000 + 600,
      },
    ]);
  });

  it('is not begun without a client for the data center', async () => {
    const { deps, states } = service();
    const connection = { connection_id: 'conn_1', org_id: ORG, type: 'crm-b' as const };
    expect(await beginConsent(deps, connection, 'jp')).toBeUndefined();
    expect(states()).toEqual([]);
  });
});

describe('a callback', () => {
  it('stores the grant, with the access token that came with it', async () => {
    const { complete, table, exchanges, states } = service();
    expect(await complete()).toEqual({ kind: 'connected', connectionId: 'conn_1', channel: 'none' });
    const [begun] = states();
    expect(exchanges).toEqual([
      {
        server: 'https://accounts.zoho.in',
        client: clientFor('in'),
        code: 'code-1',
        redirectUri: begun?.redirect_uri,
        verifier: begun?.verifier,
      },
    ]);
    expect(table.connection).toEqual({
      ...unconnected,
      grant: {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        data_center: 'in',
        accounts_server: 'https://accounts.zoho.in',
        api_domain: 'https://www.zohoapis.in',
        refresh_token: 'conn_1:refresh-1',
        granted_at: at(0),
      },
      access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
    });
  });

  it('uses the data center to which the vendor moved the person, with the client of that data center', async () => {
    const { complete, exchanges, table } = service({ outcome: granted({ apiDomain: 'https://www.zohoapis.eu' }) });
    expect(await complete({ accountsServer: 'https://accounts.zoho.eu' }, 'in')).toMatchObject({ kind: 'connected' });
    expect(exchanges).toMatchObject([{ server: 'https://accounts.zoho.eu', client: clientFor('eu') }]);
    expect(table.connection?.grant).toMatchObject({ data_center: 'eu', api_domain: 'https://www.zohoapis.eu' });
  });

  it('is accepted once, even if two arrive together', async () => {
    const { begin, callbackOf, deps, exchanges } = service();
    const callback = callbackOf(await begin());
    const results = await Promise.all([1, 2].map(() => completeConsent(deps, 'crm-b', callback)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['connected', 'invalid_state']);
    expect(exchanges).toHaveLength(1);
  });

  it('is accepted within ten minutes of the start', async () => {
    for (const [seconds, kind] of [
      [599.999, 'connected'],
      [600, 'invalid_state'],
    ] as const) {
      const { begin, callbackOf, deps, state } = service();
      const callback = callbackOf(await begin());
      state.seconds = seconds;
      expect(await completeConsent(deps, 'crm-b', callback)).toMatchObject({ kind });
    }
  });

  it('of another type, or without a known state, is refused', async () => {
    const { begin, callbackOf, correlated, deps, table } = service();
    const name = await begin();
    expect(await completeConsent(deps, 'help-desk', callbackOf(name))).toEqual({ kind: 'invalid_state' });
    for (const state of [undefined, '', 'unknown'])
      expect(await completeConsent(deps, 'crm-b', callbackOf(name, { state }))).toEqual({ kind: 'invalid_state' });
    expect(table.connection).toEqual(unconnected);
    expect(correlated).toEqual([]);
    expect(await completeConsent(deps, 'crm-b', callbackOf(name))).toMatchObject({ kind: 'connected' });
    expect(correlated).toEqual([{ org_id: ORG, connection_id: 'conn_1' }]);
  });
});

describe('a consent that fails', () => {
  const cases: [string, Parameters<typeof service>[0], Partial<ConsentCallback>][] = [
    ['access_denied', {}, { error: 'access_denied', code: undefined }],
    ['refused', {}, { error: 'something <else>' }],
    ['unexpected_accounts_server', {}, { accountsServer: 'https://accounts.example' }],
    ['connection_not_found', { stored: null }, {}],
    ['connection_not_found', { stored: { ...unconnected, org_id: 'org2' } }, {}],
    ['client_not_set', { clients: ['in'] }, { accountsServer: 'https://accounts.zoho.eu' }],
    ['invalid_code', {}, { code: undefined }],
    ['invalid_code', { outcome: { kind: 'refused', error: 'invalid_code' } }, {}],
    ['invalid_client_secret', { outcome: { kind: 'refused', error: 'invalid_client_secret' } }, {}],
    ['too_many_requests', { outcome: { kind: 'throttled' } }, {}],
    ['accounts_server_unavailable', { outcome: { kind: 'unavailable', isSent: true, reason: 'x' } }, {}],
    ['unexpected_answer', { outcome: { kind: 'garbage', reason: 'x' } }, {}],
    ['missing_refresh_token', { outcome: granted({ refreshToken: undefined }) }, {}],
    ['unexpected_api_domain', { outcome: granted({ apiDomain: 'https://example.com' }) }, {}],
    ['unexpected_api_domain', { outcome: granted({ apiDomain: undefined }) }, {}],
  ];

  it.each(cases)('ends as %s, without a change of the connection: %j %j', async (error, settings, over) => {
    const { complete, table, steps } = service({ channel: async () => true, ...settings });
    const before = table.connection;
    expect(await complete(over)).toEqual(failed(error));
    expect(table.connection).toEqual(before);
    expect(steps).not.toContain('arm conn_1');
  });

  it('does not change an earlier grant', async () => {
    const { complete, table, state } = service();
    await complete();
    const before = table.connection;
    state.outcome = { kind: 'refused', error: 'invalid_code' };
    expect(await complete()).toEqual(failed('invalid_code'));
    expect(await complete({ error: 'access_denied' })).toEqual(failed('access_denied'));
    expect(table.connection).toEqual(before);
  });

  it('revokes a grant that it cannot use', async () => {
    const strange = service({ outcome: granted({ apiDomain: 'https://example.com' }) });
    await strange.complete();
    expect(strange.revoked).toEqual(['refresh-1 at https://accounts.zoho.in']);

    const gone = service();
    gone.deps.connections.get = async () => unconnected;
    gone.table.connection = undefined;
    expect(await gone.complete()).toEqual(failed('connection_not_found'));
    expect(gone.revoked).toEqual(['refresh-1 at https://accounts.zoho.in']);
  });

  it('invalidates its state', async () => {
    const { begin, callbackOf, deps } = service();
    const name = await begin();
    const denied = callbackOf(name, { error: 'access_denied', code: undefined });
    expect(await completeConsent(deps, 'crm-b', denied)).toEqual(failed('access_denied'));
    expect(await completeConsent(deps, 'crm-b', callbackOf(name))).toEqual({ kind: 'invalid_state' });
  });

  it('ends with an error if its hosts are not the ones that the stage sets', async () => {
    const hosts = { accountsUrl: 'http://127.0.0.1:7001', apiUrl: 'http://127.0.0.1:7002' };
    expect(await service({ hosts }).complete()).toEqual(failed('unexpected_accounts_server'));
    const own = { accountsServer: hosts.accountsUrl };
    expect(await service({ hosts }).complete(own)).toEqual(failed('unexpected_api_domain'));
    const { complete, table } = service({ hosts, outcome: granted({ apiDomain: hosts.apiUrl }) });
    expect(await complete(own, 'eu')).toMatchObject({ kind: 'connected' });
    expect(table.connection?.grant).toMatchObject({
      data_center: 'eu',
      accounts_server: hosts.accountsUrl,
      api_domain: hosts.apiUrl,
    });
  });
});

describe('the watch channel', () => {
  it.each<[string, () => Promise<boolean>]>([
    ['armed', async () => true],
    ['failed', async () => false],
    [
      'failed',
      async () => {
        throw new Error('x');
      },
    ],
  ])('is %s, and the connection stays connected', async (channel, arm) => {
    const { complete, table, steps } = service({ channel: arm });
    expect(await complete()).toEqual({ kind: 'connected', connectionId: 'conn_1', channel });
    expect(steps).toEqual(['exchange', 'arm conn_1']);
    expect(table.connection?.grant).toBeDefined();
  });

  it('does not delay the consent if its arming hangs', async () => {
    const { complete, hang } = service({ channel: () => new Promise(() => undefined) });
    hang();
    expect(await complete()).toMatchObject({ kind: 'connected', channel: 'failed' });
  });
});

describe('the organization of the help desk', () => {
  const chosen = (choose: () => Promise<boolean>, stored?: Connection) => {
    const parts = service(stored ? { stored } : {});
    const { deps, steps, hang } = parts;
    const chooseOrganization = async (connectionId: string) => {
      steps.push(`choose ${connectionId}`);
      return choose();
    };
    const complete = async () =>
      completeConsent({ ...deps, chooseOrganization }, 'crm-b', parts.callbackOf(await parts.begin()));
    return { complete, steps, hang, table: parts.table };
  };

  it.each<[string, () => Promise<boolean>]>([
    ['chosen', async () => true],
    ['not_chosen', async () => false],
    [
      'not_chosen',
      async () => {
        throw new Error('x');
      },
    ],
  ])('is %s after the grant is stored; the grant is never removed', async (organization, choose) => {
    const { complete, steps, table } = chosen(choose);
    expect(await complete()).toEqual({ kind: 'connected', connectionId: 'conn_1', channel: 'none', organization });
    expect(steps).toEqual(['exchange', 'choose conn_1']);
    expect(table.connection?.grant).toBeDefined();
  });

  it('does not delay the consent if its lookup hangs', async () => {
    const { complete, hang } = chosen(() => new Promise(() => undefined));
    hang();
    expect(await complete()).toMatchObject({ kind: 'connected', organization: 'not_chosen' });
  });
});

describe('a reconnect', () => {
  const before: Connection = {
    ...unconnected,
    grant: {
      id: 'grant-0',
      data_center: 'eu',
      accounts_server: 'https://accounts.zoho.eu',
      api_domain: 'https://www.zohoapis.eu',
      refresh_token: 'conn_1:refresh-0',
      granted_at: at(-900),
    },
    access: { version: 7, token: 'conn_1:access-0', expires_at: at(-100) },
    refreshes: [at(-100)],
    refresh_lease: { holder: 'x', until: at(100) },
    reconnect_needed: { at: at(-50), reason: 'invalid_code' },
    channel: { id: '1', armed_at: at(-900), expires_at: at(900) },
  };

  it('removes only data that belonged to the old grant', async () => {
    const { complete, table } = service({ stored: before });
    await complete();
    const { grant, ...rest } = table.connection as Connection;
    expect(grant?.id).not.toBe('grant-0');
    expect(rest).toEqual({
      ...unconnected,
      channel: before.channel,
      access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
    });
  });

  it('revokes the old grant at its own accounts server, after the channel is armed with the new one', async () => {
    const { complete, steps, revoked } = service({ stored: before, channel: async () => true });
    await complete();
    expect(steps).toEqual(['exchange', 'arm conn_1', 'revoke']);
    expect(revoked).toEqual(['refresh-0 at https://accounts.zoho.eu']);
  });

  it('revokes no grant if the vendor issued the same refresh token again', async () => {
    const { complete, revoked } = service({ stored: before, outcome: granted({ refreshToken: 'refresh-0' }) });
    await complete();
    expect(revoked).toEqual([]);
  });

  it.each([
    [
      'fails',
      async () => {
        throw new Error('x');
      },
    ],
    ['hangs', () => new Promise<boolean>(() => undefined)],
  ])('succeeds even if the revocation %s', async (_how, revoke) => {
    const { complete, hang } = service({ stored: before, revoke });
    hang();
    expect(await complete()).toMatchObject({ kind: 'connected' });
  });
});

describe('a connection that waits for a consent', () => {
  it('is the only one of its type in the org', async () => {
    const deps = connectionWorld(undefined).common;
    const settings = { org_id: ORG, type: 'crm-b' as const, auto_call: true, settings: { exclude_sunday: true } };
    const connection = await createOauthConnection(deps, settings);
    expect(connection).toEqual({ ...settings, connection_id: expect.stringMatching(/^conn_/), created_at: at(0) });
    expect(await createOauthConnection(deps, settings)).toBeUndefined();
    expect(await createOauthConnection(deps, { ...settings, type: 'help-desk' })).toBeDefined();
  });
});
