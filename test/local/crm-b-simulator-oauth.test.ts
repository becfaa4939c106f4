import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';

const directory = mkdtempSync(join(tmpdir(), 'crm-b-simulator-'));
const clockFile = join(directory, 'clock');
const simulator = await startCrmBSimulator({ clockFile });
const control = crmBControl(simulator.url);

const redirectUri = 'http://127.0.0.1:9/api/oauth/crm-b/callback';
const scopes = ['ZohoCRM.modules.leads.READ', 'ZohoCRM.users.READ'];
const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));

type Parameters = Record<string, string | undefined>;
const query = (parameters: Parameters) => {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) all.set(name, value);
  return all;
};
const authorize = (changes: Parameters = {}) =>
  fetch(
    `${simulator.accountsUrl}/oauth/v2/auth?${query({
      client_id: defaultClient.id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: scopes.join(','),
      access_type: 'offline',
      state: 'st-1',
      ...changes,
    })}`,
    { redirect: 'manual' },
  );
const callbackOf = async (answer: Response) => new URL(answer.headers.get('location') ?? '').searchParams;
const codeOf = async (changes: Parameters = {}) => (await callbackOf(await authorize(changes))).get('code') ?? '';
const token = (parameters: Parameters) =>
  fetch(`${simulator.accountsUrl}/oauth/v2/token`, {
    method: 'POST',
    body: query({ client_id: defaultClient.id, client_secret: defaultClient.secret, ...parameters }),
  });
const exchange = (code: string, changes: Parameters = {}) =>
  token({ grant_type: 'authorization_code', redirect_uri: redirectUri, code, ...changes });
const refresh = (refreshToken: string) => token({ grant_type: 'refresh_token', refresh_token: refreshToken });
const connect = async (changes: Parameters = {}) =>
  (await (await exchange(await codeOf(changes))).json()) as { access_token: string; refresh_token: string };
const currentUser = (accessToken: string) =>
  fetch(`${simulator.url}/crm/v8/users?type=CurrentUser`, {
    headers: { authorization: `Zoho-oauthtoken ${accessToken}` },
  });
const told = async (answer: Response) => ({ status: answer.status, body: await answer.json() });
const throttled = {
  error: 'Access Denied',
  error_description: 'You have made too many requests continuously. Please try again after some time.',
  status: 'failure',
};

beforeEach(async () => {
  moveClock(0);
  await control.reset();
  await control.settings({ consent: 'grant' });
});

afterAll(async () => {
  await simulator.stop();
  rmSync(directory, { recursive: true });
});

describe('GET /oauth/v2/auth', () => {
  test('redirects with code, location, accounts-server and the state', async () => {
    const answer = await authorize();
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:9\/api\/oauth\/crm-b\/callback\?/);
    expect(Object.fromEntries(await callbackOf(answer))).toEqual({
      code: expect.stringMatching(/^1000\.[0-9a-f]{32}\.[0-9a-f]{32}$/),
      location: 'in',
      'accounts-server': simulator.accountsUrl,
      state: 'st-1',
    });
  });

  test('names another location and accounts server on demand', async () => {
    await control.settings({ location: 'eu', accountsServer: 'https://accounts.example' });
    const callback = await callbackOf(await authorize());
    expect(callback.get('location')).toBe('eu');
    expect(callback.get('accounts-server')).toBe('https://accounts.example');
  });

  test('redirects with error=access_denied and the state when consent is denied', async () => {
    await control.settings({ consent: 'deny' });
    expect(Object.fromEntries(await callbackOf(await authorize()))).toEqual({ error: 'access_denied', state: 'st-1' });
  });

  test('shows a page that names the scopes, and its buttons accept or reject', async () => {
    await control.settings({ consent: 'page' });
    const answer = await authorize({ state: '"><script>' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await answer.text();
    expect(html).toContain('ZohoCRM.modules.leads.READ');
    expect(html).not.toContain('<script>');
    const press = (decision: string) =>
      fetch(`${simulator.accountsUrl}/oauth/v2/auth`, {
        method: 'POST',
        redirect: 'manual',
        body: query({
          client_id: defaultClient.id,
          response_type: 'code',
          redirect_uri: redirectUri,
          scope: scopes.join(','),
          state: 'st-2',
          user: '554000000000102',
          decision,
        }),
      });
    expect(Object.fromEntries(await callbackOf(await press('reject')))).toEqual({
      error: 'access_denied',
      state: 'st-2',
    });
    const code = (await callbackOf(await press('accept'))).get('code') ?? '';
    const { access_token } = (await (await exchange(code)).json()) as { access_token: string };
    expect(await (await currentUser(access_token)).json()).toMatchObject({ users: [{ full_name: 'Vikram Nair' }] });
  });

  test.each([
    ['an unknown client', { client_id: '1000.X' }, 'Invalid Client'],
    ['another response type', { response_type: 'token' }, 'Invalid Response Type'],
    ['a redirect_uri that is not registered', { redirect_uri: 'https://example.com/' }, 'Invalid Redirect Uri'],
    ['one unknown scope among known ones', { scope: `${scopes[0]},ZohoCRM.nothing.ALL` }, 'Invalid OAuth Scope'],
    ['scopes separated by spaces', { scope: scopes.join(' ') }, 'Invalid OAuth Scope'],
  ])('shows an error page, and redirects nowhere, for %s', async (_, changes, title) => {
    const answer = await authorize(changes);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(title);
  });

  test('knows the scopes of the help desk under both names', async () => {
    expect((await authorize({ scope: 'Desk.tickets.ALL,HB.search.READ' })).status).toBe(302);
  });

  test('answers access_denied after 10 codes for a client within 10 minutes', async () => {
    for (let count = 0; count < 10; count++) expect(await codeOf()).not.toBe('');
    expect((await callbackOf(await authorize())).get('error')).toBe('access_denied');
    moveClock(601);
    expect(await codeOf()).not.toBe('');
  });
});

describe('POST /oauth/v2/token with a code', () => {
  test('answers an access token of an hour, a refresh token, the api domain and token_type Bearer', async () => {
    expect(await told(await exchange(await codeOf()))).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^1000\./),
        refresh_token: expect.stringMatching(/^1000\./),
        api_domain: simulator.url,
        token_type: 'Bearer',
        expires_in: 3600,
      },
    });
  });

  test('names another api domain on demand', async () => {
    await control.settings({ apiDomain: 'https://api.example' });
    expect((await told(await exchange(await codeOf()))).body).toMatchObject({ api_domain: 'https://api.example' });
  });

  test('takes its parameters from the query as well', async () => {
    const parameters = query({
      grant_type: 'authorization_code',
      client_id: defaultClient.id,
      client_secret: defaultClient.secret,
      redirect_uri: redirectUri,
      code: await codeOf(),
    });
    const answer = await fetch(`${simulator.accountsUrl}/oauth/v2/token?${parameters}`, { method: 'POST' });
    expect(await answer.json()).toHaveProperty('access_token');
  });

  test('takes its parameters from a multipart form as well', async () => {
    const form = new FormData();
    form.set('grant_type', 'authorization_code');
    form.set('client_id', defaultClient.id);
    form.set('client_secret', defaultClient.secret);
    form.set('redirect_uri', redirectUri);
    form.set('code', await codeOf());
    const answer = await fetch(`${simulator.accountsUrl}/oauth/v2/token`, { method: 'POST', body: form });
    expect(await answer.json()).toHaveProperty('access_token');
  });

  test('does not read a JSON body: invalid_client', async () => {
    const answer = await fetch(`${simulator.accountsUrl}/oauth/v2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: defaultClient.id, client_secret: defaultClient.secret }),
    });
    expect(await answer.json()).toEqual({ error: 'invalid_client' });
  });

  test('is refused by GET', async () => {
    const answer = await fetch(`${simulator.accountsUrl}/oauth/v2/token?client_id=${defaultClient.id}`);
    expect(answer.status).toBe(400);
  });

  test.each<[string, Parameters, string]>([
    ['an unknown client', { client_id: '1000.X' }, 'invalid_client'],
    ['a wrong secret', { client_secret: 'x' }, 'invalid_client_secret'],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:9/other' }, 'invalid_redirect_uri'],
    ['an unknown code', { code: '1000.x.y' }, 'invalid_code'],
  ])('answers 200 with an error for %s', async (_, changes, error) => {
    expect(await told(await exchange(await codeOf(), changes))).toEqual({ status: 200, body: { error } });
  });

  test('answers its errors with 400 on demand', async () => {
    await control.settings({ oauthErrorStatus: 400 });
    expect(await told(await exchange('1000.x.y'))).toEqual({ status: 400, body: { error: 'invalid_code' } });
  });

  test('answers invalid_code for a code used before', async () => {
    const code = await codeOf();
    await exchange(code);
    expect((await told(await exchange(code))).body).toEqual({ error: 'invalid_code' });
  });

  test('takes a code once, also when it comes twice at a time', async () => {
    const code = await codeOf();
    const answers = await Promise.all([exchange(code), exchange(code)]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(bodies.filter((body) => 'access_token' in (body as object))).toHaveLength(1);
  });

  test('takes a code for 2 minutes', async () => {
    const [inTime, late] = [await codeOf(), await codeOf()];
    moveClock(60);
    expect((await told(await exchange(inTime))).body).toHaveProperty('access_token');
    moveClock(121);
    expect((await told(await exchange(late))).body).toEqual({ error: 'invalid_code' });
  });

  test('gives no refresh token unless access_type is offline', async () => {
    const { body } = await told(await exchange(await codeOf({ access_type: undefined })));
    expect(body).toHaveProperty('access_token');
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('gives a second refresh token only where prompt=consent asked for it', async () => {
    await connect();
    expect(await connect()).not.toHaveProperty('refresh_token');
    expect(await connect({ prompt: 'consent' })).toHaveProperty('refresh_token');
  });

  test('answers invalid_client_secret for a client of another data center', async () => {
    await control.client('1000.EU', { secret: 's', dataCenters: ['eu'] });
    const code = await codeOf({ client_id: '1000.EU' });
    expect((await told(await exchange(code, { client_id: '1000.EU', client_secret: 's' }))).body).toEqual({
      error: 'invalid_client_secret',
    });
  });

  test('takes only the registered redirect_uri of a client that has one', async () => {
    await control.client('1000.C', { secret: 's', redirectUris: ['https://host.example/back'] });
    expect((await authorize({ client_id: '1000.C' })).status).toBe(400);
    expect((await authorize({ client_id: '1000.C', redirect_uri: 'https://host.example/back' })).status).toBe(302);
  });

  test('checks a PKCE verifier where a challenge was sent', async () => {
    const verifier = 'v'.repeat(43);
    const challenge = {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    expect((await told(await exchange(await codeOf(challenge)))).body).toEqual({ error: 'invalid_code' });
    expect((await told(await exchange(await codeOf(challenge), { code_verifier: verifier }))).body).toHaveProperty(
      'access_token',
    );
  });

  test('ignores PKCE on demand, as a data center that does not know it', async () => {
    await control.settings({ pkce: 'ignored' });
    expect((await told(await exchange(await codeOf({ code_challenge: 'x' })))).body).toHaveProperty('access_token');
  });
});

describe('POST /oauth/v2/token with a refresh token', () => {
  test('answers another access token, and no refresh token', async () => {
    const first = await connect();
    const { body } = await told(await refresh(first.refresh_token));
    expect(body).toEqual({
      access_token: expect.not.stringMatching(first.access_token),
      api_domain: simulator.url,
      token_type: 'Bearer',
      expires_in: 3600,
    });
  });

  test('leaves the earlier access token valid', async () => {
    const first = await connect();
    await refresh(first.refresh_token);
    expect((await currentUser(first.access_token)).status).toBe(200);
  });

  test('answers invalid_code for a revoked one, as for an unknown one', async () => {
    const { refresh_token: mine } = await connect();
    await control.revoke(mine);
    expect(await told(await refresh(mine))).toEqual({ status: 200, body: { error: 'invalid_code' } });
    expect((await told(await refresh('1000.x.y'))).body).toEqual({ error: 'invalid_code' });
  });

  test.each([200, 400] as const)(
    'is throttled by %i with Access Denied after 10 access tokens in 10 minutes',
    async (status) => {
      await control.settings({ throttleStatus: status });
      const { refresh_token: mine } = await connect();
      for (let count = 1; count < 10; count++)
        expect((await told(await refresh(mine))).body).toHaveProperty('access_token');
      expect(await told(await refresh(mine))).toEqual({ status, body: throttled });
      moveClock(601);
      expect((await told(await refresh(mine))).body).toHaveProperty('access_token');
    },
  );

  test('kills the oldest of 15 active access tokens when it gives a 16th', async () => {
    const { refresh_token: mine, access_token: oldest } = await connect();
    for (let count = 1; count < 15; count++) {
      moveClock(count * 100);
      await refresh(mine);
    }
    expect((await currentUser(oldest)).status).toBe(200);
    moveClock(1500);
    await refresh(mine);
    expect((await currentUser(oldest)).status).toBe(401);
  });
});

describe('refresh tokens', () => {
  test('of one user and client are 20 at most: the 21st deletes the first and its access tokens', async () => {
    await control.settings({ codesPerTenMinutes: 100, refreshTokensPerTenMinutes: 100 });
    const first = await connect({ prompt: 'consent' });
    for (let count = 1; count < 20; count++) await connect({ prompt: 'consent' });
    expect((await currentUser(first.access_token)).status).toBe(200);
    await connect({ prompt: 'consent' });
    expect((await currentUser(first.access_token)).status).toBe(401);
    expect((await told(await refresh(first.refresh_token))).body).toEqual({ error: 'invalid_code' });
  });

  test('of one user and client are throttled after 10 within 10 minutes', async () => {
    await control.settings({ codesPerTenMinutes: 100 });
    for (let count = 0; count < 10; count++) await connect({ prompt: 'consent' });
    expect((await told(await exchange(await codeOf({ prompt: 'consent' })))).body).toEqual(throttled);
  });
});

describe('POST /oauth/v2/token/revoke', () => {
  const revoke = (which: string) =>
    fetch(`${simulator.accountsUrl}/oauth/v2/token/revoke?token=${which}`, { method: 'POST' });

  test('ends a refresh token and the access tokens made from it', async () => {
    const mine = await connect();
    expect(await told(await revoke(mine.refresh_token))).toEqual({ status: 200, body: { status: 'success' } });
    expect((await currentUser(mine.access_token)).status).toBe(401);
    expect((await told(await refresh(mine.refresh_token))).body).toEqual({ error: 'invalid_code' });
  });

  test('ends an access token alone', async () => {
    const mine = await connect();
    await revoke(mine.access_token);
    expect((await currentUser(mine.access_token)).status).toBe(401);
    expect((await told(await refresh(mine.refresh_token))).body).toHaveProperty('access_token');
  });
});

describe('an access token', () => {
  test('is valid for an hour by the clock', async () => {
    const { access_token: mine } = await connect();
    moveClock(3500);
    expect((await currentUser(mine)).status).toBe(200);
    moveClock(3601);
    expect(await told(await currentUser(mine))).toEqual({
      status: 401,
      body: { code: 'INVALID_TOKEN', details: {}, message: 'invalid oauth token', status: 'error' },
    });
  });

  test('can be revoked alone', async () => {
    const { access_token: mine, refresh_token } = await connect();
    await control.revoke(mine);
    expect((await currentUser(mine)).status).toBe(401);
    expect((await told(await refresh(refresh_token))).body).toHaveProperty('access_token');
  });

  test('goes by the prefix Zoho-oauthtoken, whatever token_type says', async () => {
    const { access_token: mine } = await connect();
    const asBearer = await fetch(`${simulator.url}/crm/v8/users`, { headers: { authorization: `Bearer ${mine}` } });
    expect(asBearer.status).toBe(401);
    const inQuery = await fetch(`${simulator.url}/crm/v8/users?access_token=${mine}`);
    expect(await told(inQuery)).toMatchObject({ status: 401, body: { code: 'AUTHENTICATION_FAILURE' } });
  });

  test('opens only the routes of its scopes: OAUTH_SCOPE_MISMATCH', async () => {
    const { access_token: mine } = await connect({ scope: 'ZohoCRM.modules.calls.CREATE' });
    expect(await told(await currentUser(mine))).toEqual({
      status: 401,
      body: {
        code: 'OAUTH_SCOPE_MISMATCH',
        details: {},
        message: 'invalid oauth scope to access this URL',
        status: 'error',
      },
    });
  });

  test.each(['ZohoCRM.users.ALL', 'ZohoCRM.users.READ', 'zohocrm.users.read'])(
    'of scope %s may read users',
    async (scope) => {
      const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes: [scope] });
      expect((await currentUser(accessToken)).status).toBe(200);
    },
  );

  test('is known to the control client, with its grant', async () => {
    const { access_token: mine, refresh_token } = await connect();
    expect(await control.grantOf(mine)).toMatchObject({ token: refresh_token, clientId: defaultClient.id, scopes });
    expect(await control.grantOf('1000.x.y')).toBeNull();
    expect(await control.grants()).toMatchObject([{ token: refresh_token, access: [{ token: mine }] }]);
  });
});

describe('faults of the accounts server', () => {
  test.each([200, 400])('throttle on demand by %i', async (status) => {
    await control.fault({ route: 'POST /oauth/v2/token', kind: 'access-denied', status });
    expect(await told(await exchange(await codeOf()))).toEqual({ status, body: throttled });
  });

  test('answer any OAuth error on demand', async () => {
    await control.fault({ route: 'POST /oauth/v2/token', kind: 'oauth-error', error: 'invalid_client' });
    expect((await told(await exchange(await codeOf()))).body).toEqual({ error: 'invalid_client' });
  });

  test('lose the answer of a code that was used', async () => {
    await control.fault({ route: 'POST /oauth/v2/token', kind: 'drop-after' });
    const code = await codeOf();
    await expect(exchange(code)).rejects.toThrow();
    expect(await control.grants()).toHaveLength(1);
    expect((await told(await exchange(code))).body).toEqual({ error: 'invalid_code' });
  });
});
