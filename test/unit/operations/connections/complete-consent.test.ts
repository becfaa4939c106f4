import { dataCenterHosts } from '../../../../shared/domain/connections/access/data-center.ts';
import { beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import type { ConsentCallback } from '../../../../shared/operations/connections/complete-consent.ts';
import { admin, at, atCallback, clientFor, granted, service, unconnected } from '../../support/consents.ts';
import { aConnection, aGrant, ORG } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

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
        begun_by: admin,
        connects: 'at_callback',
        expires_at: Date.parse(START) / 1000 + 600,
      },
    ]);
  });

  it('is not begun without a client for the data center', async () => {
    const { deps, states } = service();
    const connection = { connection_id: 'conn_1', org_id: ORG, type: 'crm-b' as const };
    expect(await beginConsent(deps, connection, 'jp', atCallback)).toBeUndefined();
    expect(states()).toEqual([]);
  });
});

describe('a callback', () => {
  it('is audited with the person who began the consent, in the transaction with the grant', async () => {
    const { complete, begin, callback, auditEntries, state } = service();
    await complete({ error: 'access_denied' });
    state.outcome = { kind: 'refused', error: 'invalid_code' };
    await callback(await begin());
    expect(auditEntries()).toMatchObject(Array(2).fill({ action: 'connection.consent_begun', actor: admin }));
    state.outcome = granted();
    await complete();
    expect(auditEntries().filter(({ action }) => action !== 'connection.consent_begun')).toMatchObject([
      { action: 'connection.connected', actor: admin, thing: { id: 'conn_1' }, after: { data_center: 'in' } },
    ]);
    expect(JSON.stringify(auditEntries())).not.toMatch(/refresh-1|access-1/);
  });

  it('stores the grant, with the access token that came with it', async () => {
    const { complete, table, exchanges, states } = service();
    expect(await complete()).toEqual({ kind: 'connected', connectionId: 'conn_1', channel: 'none' });
    const [begun] = states();
    const { redirect_uri: redirectUri, verifier } = begun ?? {};
    const server = 'https://accounts.zoho.in';
    expect(exchanges).toEqual([{ server, client: clientFor('in'), code: 'code-1', redirectUri, verifier }]);
    expect(table.connection).toEqual({
      ...unconnected,
      grant: { ...aGrant(), id: expect.stringMatching(/^[0-9a-f]{32}$/), granted_at: START },
      access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
    });
  });

  it('uses the data center of its state if the vendor names no accounts server', async () => {
    const { complete, exchanges } = service({ outcome: granted({ apiDomain: 'https://www.zohoapis.eu' }) });
    expect(await complete({ accountsServer: undefined }, 'eu')).toMatchObject({ kind: 'connected' });
    expect(exchanges).toMatchObject([{ server: 'https://accounts.zoho.eu', client: clientFor('eu') }]);
  });

  it('uses the data center to which the vendor moved the person, with the client of that data center', async () => {
    const { complete, exchanges, table } = service({ outcome: granted({ apiDomain: 'https://www.zohoapis.eu' }) });
    expect(await complete({ accountsServer: 'https://accounts.zoho.eu' }, 'in')).toMatchObject({ kind: 'connected' });
    expect(exchanges).toMatchObject([{ server: 'https://accounts.zoho.eu', client: clientFor('eu') }]);
    expect(table.connection?.grant).toMatchObject({ data_center: 'eu', api_domain: 'https://www.zohoapis.eu' });
  });

  it('is accepted once, even if two arrive together', async () => {
    const { begin, callback, exchanges } = service();
    const name = await begin();
    const results = await Promise.all([callback(name), callback(name)]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['connected', 'invalid_state']);
    expect(exchanges).toHaveLength(1);
  });

  it.each([
    [599.999, 'connected'],
    [600, 'invalid_state'],
  ])('is accepted within ten minutes of the start: after %d seconds it is %s', async (seconds, kind) => {
    const { begin, callback, exchanges, pass } = service();
    const name = await begin();
    pass(seconds);
    expect(await callback(name)).toMatchObject({ kind });
    expect(exchanges).toHaveLength(kind === 'connected' ? 1 : 0);
  });

  it('of another type, or without a known state, is refused', async () => {
    const { begin, callback, correlated, exchanges, table } = service();
    const name = await begin();
    const unknown = [undefined, '', 'unknown', `${name} `, name.toUpperCase(), 'x'.repeat(5_000)];
    const refusals = [callback(name, {}, 'help-desk'), ...unknown.map((state) => callback(state))];
    expect(await Promise.all(refusals)).toEqual(Array(7).fill({ kind: 'invalid_state' }));
    expect([exchanges, table.connection, correlated]).toEqual([[], unconnected, []]);
    expect(await callback(name)).toMatchObject({ kind: 'connected' });
    expect(correlated).toEqual([{ org_id: ORG, connection_id: 'conn_1' }]);
  });
});

describe('a mixed-up or repeated callback', () => {
  const all = ['in', 'com', 'eu', 'com.au', 'jp', 'ca', 'sa'] as const;

  it.each(all)(
    'of a consent begun in %s sends the secret of each client only to the accounts server of its data center',
    async (begun) => {
      for (const moved of all) {
        const { accountsServer } = dataCenterHosts[moved];
        const { complete, exchanges } = service({ clients: [...all] });
        await complete({ accountsServer }, begun);
        expect(exchanges).toMatchObject([{ server: accountsServer, client: clientFor(moved) }]);
      }
    },
  );

  it.each([
    'https://accounts.zoho.in.evil.example',
    'https://evil.example/https://accounts.zoho.in',
    'https://accounts.zoho.in@evil.example',
    'https://accounts.zoho.in%2eevil.example',
    'https://accounts.zoho.in\\.evil.example',
    'https://accounts.zоho.in',
    'http://accounts.zoho.in',
    'https://169.254.169.254',
    'javascript:alert(1)',
    '',
  ])('sends neither code nor secret to %j, and invalidates its state', async (accountsServer) => {
    const { begin, callback, exchanges, table } = service();
    const name = await begin();
    expect(await callback(name, { accountsServer })).toEqual(failed('unexpected_accounts_server'));
    expect(await callback(name)).toEqual({ kind: 'invalid_state' });
    expect([exchanges, table.connection]).toEqual([[], unconnected]);
  });

  it('exchanges the code of another consent with its own verifier, which the vendor refuses', async () => {
    const world = service();
    const other = aConnection({ connection_id: 'conn_2', org_id: 'org2' });
    world.put('connections', other);
    const [own, theirs] = [await world.begin(), await world.begin('in', other)];
    const verifierOf = (name: string) => world.states().find(({ state }) => state === name)?.verifier;
    // The vendor stores the challenge of each code that it issued.
    world.deps.accounts.exchange = async (_server, _client, request) =>
      (request as { verifier?: unknown }).verifier === verifierOf(theirs)
        ? granted()
        : { kind: 'refused', error: 'invalid_code' };
    expect(await world.callback(own, { code: 'code of conn_2' })).toEqual(failed('invalid_code'));
    expect(world.all('connections')).toEqual([unconnected, other]);
    expect(await world.callback(theirs, { code: 'code of conn_2' })).toMatchObject({ connectionId: 'conn_2' });
    expect(world.find('connections', unconnected)).toEqual(unconnected);
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

  it.each(cases)('ends as %s, and does not change the connection: %j %j', async (error, settings, over) => {
    const { complete, table, steps } = service({ armChannel: async () => true, ...settings });
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
    const { begin, callback, exchanges, table } = service();
    const name = await begin();
    expect(await callback(name, { error: 'access_denied', code: undefined })).toEqual(failed('access_denied'));
    expect(await callback(name)).toEqual({ kind: 'invalid_state' });
    expect([exchanges, table.connection]).toEqual([[], unconnected]);
  });

  it('ends with an error if its hosts differ from the hosts of the stage', async () => {
    const hosts = { accountsUrl: 'http://127.0.0.1:7001', apiUrl: 'http://127.0.0.1:7002' };
    expect(await service({ hosts }).complete()).toEqual(failed('unexpected_accounts_server'));
    const own = { accountsServer: hosts.accountsUrl };
    expect(await service({ hosts }).complete(own)).toEqual(failed('unexpected_api_domain'));
    const { complete, table } = service({ hosts, outcome: granted({ apiDomain: hosts.apiUrl }) });
    expect(await complete(own, 'eu')).toMatchObject({ kind: 'connected' });
    const grant = { data_center: 'eu', accounts_server: hosts.accountsUrl, api_domain: hosts.apiUrl };
    expect(table.connection).toMatchObject({ grant });
  });
});
