import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { authorizeUrl, newOauthSecret } from '../../shared/domain/connections/access/consent.ts';
import { crmBScopes } from '../../shared/domain/connections/access/oauth-scopes.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { startCrmB } from '../local/support/crm-b.ts';
import { closeServers, serve } from '../support/loopback.ts';

const { control, end, simulator } = await startCrmB();

afterEach(closeServers);

const server = simulator.accountsUrl;
const client = { client_id: defaultClient.id, client_secret: defaultClient.secret };
const redirectUri = 'http://127.0.0.1:9/api/oauth/crm-b/callback';
const accountsAt = (accountsUrl: string, timeoutMs = 10_000) => zohoAccounts({ timeoutMs, accountsUrl });
const zoho = accountsAt(server);
/** Returns a client whose time limits suit this fault: a test waits for the answer that never arrives. */
const zohoFor = (kind: string) => (kind === 'hang' ? accountsAt(server, 500) : zoho);
const TOKEN = 'POST /oauth/v2/token';

beforeEach(async () => {
  await control.reset();
  await control.settings({ consent: 'grant' });
});
afterAll(end);

async function aCode(verifier: string): Promise<string> {
  const url = authorizeUrl({
    ...{ accountsServer: server, clientId: client.client_id, redirectUri, scopes: crmBScopes, state: 's', verifier },
  });
  const answer = await fetch(url, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
}

async function exchange(over: Partial<{ code: string; redirectUri: string; verifier: string }> = {}) {
  const verifier = newOauthSecret();
  return zoho.exchange(server, client, { code: await aCode(verifier), redirectUri, verifier, ...over });
}

async function aGrant() {
  const outcome = await exchange();
  if (outcome.kind !== 'granted') throw new Error(outcome.kind);
  return { ...outcome, refreshToken: outcome.refreshToken ?? '' };
}

/** Requests a token from a server that gives this answer. */
async function answering(status: number, body: string) {
  const { url } = await serve((_request, response) => response.writeHead(status).end(body));
  return accountsAt(url).refresh(url, client, 'r');
}

describe('the accounts server', () => {
  it('issues tokens for a code and its PKCE verifier, which are sent in a form, not as JSON or in the query', async () => {
    expect(await exchange()).toEqual({
      kind: 'granted',
      accessToken: expect.stringMatching(/^1000\./),
      refreshToken: expect.stringMatching(/^1000\./),
      apiDomain: simulator.url,
      expiresInSeconds: 3600,
    });
    const [seen] = await control.requests(TOKEN);
    expect(seen?.query).toEqual({});
    expect(seen?.body).toMatchObject({ grant_type: 'authorization_code', client_id: client.client_id });
  });

  it('issues another access token for the refresh token, and no second refresh token', async () => {
    const { refreshToken, accessToken } = await aGrant();
    const outcome = await zoho.refresh(server, client, refreshToken);
    expect(outcome).toMatchObject({ kind: 'granted', refreshToken: undefined, expiresInSeconds: 3600 });
    expect(outcome).not.toMatchObject({ accessToken });
  });

  it.each([200, 400] as const)('refuses with an error code, whatever its status: %d', async (oauthErrorStatus) => {
    await control.settings({ oauthErrorStatus });
    const refused = (error: string) => ({ kind: 'refused', error });
    expect(await exchange({ code: 'none' })).toEqual(refused('invalid_code'));
    expect(await exchange({ verifier: newOauthSecret() })).toEqual(refused('invalid_code'));
    expect(await exchange({ redirectUri: 'http://127.0.0.1:9/' })).toEqual(refused('invalid_redirect_uri'));
    expect(await zoho.refresh(server, { ...client, client_id: 'x' }, 'r')).toEqual(refused('invalid_client'));
    expect(await zoho.refresh(server, { ...client, client_secret: 'x' }, 'r')).toEqual(
      refused('invalid_client_secret'),
    );
    expect(await zoho.refresh(server, client, 'r')).toEqual(refused('invalid_code'));
  });

  it.each([200, 400] as const)('throttles with an error code, whatever its status: %d', async (throttleStatus) => {
    await control.settings({ throttleStatus });
    const { refreshToken } = await aGrant();
    for (let made = 1; made < 10; made += 1)
      expect(await zoho.refresh(server, client, refreshToken)).toMatchObject({ kind: 'granted' });
    expect(await zoho.refresh(server, client, refreshToken)).toEqual({ kind: 'throttled' });
  });

  it.each(['server-error', 'drop', 'drop-after', 'hang', 'cut-after'] as const)(
    'may have received the request if it fails: %s',
    async (kind) => {
      await control.fault({ route: TOKEN, kind });
      expect(await zohoFor(kind).refresh(server, client, 'r')).toEqual({
        kind: 'unavailable',
        isSent: true,
        reason: expect.stringMatching(/^[\w ]+$/),
      });
    },
  );

  it('has received no request if it cannot be reached', async () => {
    const url = 'http://127.0.0.1:1';
    expect(await accountsAt(url).refresh(url, client, 'r')).toEqual({
      kind: 'unavailable',
      isSent: false,
      reason: 'ECONNREFUSED',
    });
  });

  it('receives no secret unless it is on the list', async () => {
    await control.reset();
    const strict = zohoAccounts({ timeoutMs: 10_000, accountsUrl: undefined });
    const refused = { kind: 'refused', error: 'unexpected_accounts_server' };
    expect(await strict.refresh(server, client, 'r')).toEqual(refused);
    expect(await strict.exchange(server, client, { code: 'c', redirectUri, verifier: 'v' })).toEqual(refused);
    expect(await strict.revoke(server, 'r')).toBe(false);
    expect(await control.requests()).toEqual([]);
  });

  it.each([
    [200, '<html>'],
    [200, ''],
    [200, '[]'],
    [200, '{}'],
    [200, '{"access_token":""}'],
    [200, '{"access_token":"a","expires_in":0}'],
    [302, '{"access_token":"a"}'],
    [404, 'x'],
  ])('may answer without a token: %d %s', async (status, body) => {
    expect(await answering(status, body)).toEqual({ kind: 'garbage', reason: `status ${status}` });
  });

  it('may have made a token although it answers with an error', async () => {
    expect(await answering(503, 'x')).toEqual({ kind: 'unavailable', isSent: true, reason: 'status 503' });
  });

  it.each([
    ['{"access_token":"a","expires_in":1800}', 1800],
    // Old answers have milliseconds under one name and seconds under the other.
    ['{"access_token":"a","expires_in":3600000,"expires_in_sec":3000}', 3000],
    ['{"access_token":"a","expires_in":3600000}', 3600],
    ['{"access_token":"a"}', 3600],
  ])('gives the lifetime of a token: %s', async (body, expiresInSeconds) => {
    expect(await answering(200, body)).toMatchObject({ kind: 'granted', expiresInSeconds });
  });

  it('shows no error text except a code', async () => {
    expect(await answering(400, '{"error":"secret 1000.ab.cd"}')).toEqual({ kind: 'refused', error: 'refused' });
    expect(await answering(429, 'x')).toEqual({ kind: 'throttled' });
  });
});

describe('a revocation', () => {
  it('ends the refresh token and its access tokens, and is a no-op the second time', async () => {
    const { refreshToken } = await aGrant();
    expect(await zoho.revoke(server, refreshToken)).toBe(true);
    expect((await control.grants()).map(({ revoked }) => revoked)).toEqual([true]);
    expect(await zoho.refresh(server, client, refreshToken)).toEqual({ kind: 'refused', error: 'invalid_code' });
    expect(await zoho.revoke(server, 'unknown')).toBe(true);
    const [seen] = await control.requests('POST /oauth/v2/token/revoke');
    expect([seen?.query, seen?.body]).toEqual([{}, { token: refreshToken }]);
  });

  it.each(['server-error', 'drop', 'hang'] as const)('has an unknown outcome if the server fails: %s', async (kind) => {
    await control.fault({ route: 'POST /oauth/v2/token/revoke', kind });
    expect(await zohoFor(kind).revoke(server, (await aGrant()).refreshToken)).toBe(false);
  });
});
