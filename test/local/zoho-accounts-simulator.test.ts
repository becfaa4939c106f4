import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountsControl } from '../../local/simulators/zoho-accounts/control.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { startAccountsServer } from '../../local/simulators/zoho-accounts/server.ts';

const directory = mkdtempSync(join(tmpdir(), 'zoho-accounts-simulator-'));
const clockFile = join(directory, 'clock');
const apiUrl = 'http://127.0.0.1:9';
const simulator = await startAccountsServer({ clockFile, apiUrl });
const control = accountsControl(simulator.url);

const redirectUri = 'http://127.0.0.1:9/api/oauth/crm-b/callback';
const scopes = ['ZohoCRM.modules.leads.READ', 'ZohoCRM.users.READ'];
const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));

type Parameters = Record<string, string | undefined>;
const form = (parameters: Parameters) => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
};
const request: Parameters = {
  client_id: defaultClient.id,
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: scopes.join(','),
  access_type: 'offline',
  state: 'st-1',
};
const client = { client_id: defaultClient.id, client_secret: defaultClient.secret };
const authorize = (changes: Parameters = {}) =>
  fetch(`${simulator.url}/oauth/v2/auth?${form({ ...request, ...changes })}`, { redirect: 'manual' });
const callbackOf = async (answer: Response) => new URL(answer.headers.get('location') ?? '').searchParams;
const codeOf = async (changes: Parameters = {}) => (await callbackOf(await authorize(changes))).get('code') ?? '';
const token = async (parameters: Parameters) => {
  const body = form({ ...client, ...parameters });
  const answer = await fetch(`${simulator.url}/oauth/v2/token`, { method: 'POST', body });
  return (await answer.json()) as Record<string, string>;
};
const invalidCode = { error: 'invalid_code' };
const exchange = (code: string, changes: Parameters = {}) =>
  token({ grant_type: 'authorization_code', redirect_uri: redirectUri, code, ...changes });
const refresh = (refreshToken = '') => token({ grant_type: 'refresh_token', refresh_token: refreshToken });
const connect = async (changes: Parameters = {}) => exchange(await codeOf(changes));
const isValid = async (accessToken = '') => (await control.grantOf(accessToken)) !== null;

beforeEach(async () => {
  moveClock(0);
  await control.reset();
  await control.settings({ consent: 'grant' });
});

afterAll(async () => {
  await simulator.stop();
  rmSync(directory, { recursive: true });
});

describe('the consent', () => {
  test('redirects with code, location, accounts-server and state', async () => {
    const answer = await authorize();
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toContain(`${redirectUri}?`);
    expect(Object.fromEntries(await callbackOf(answer))).toEqual({
      code: expect.stringMatching(/^1000\.[0-9a-f]{32}\.[0-9a-f]{32}$/),
      location: 'in',
      'accounts-server': simulator.url,
      state: 'st-1',
    });
  });

  test('can name another location and accounts server', async () => {
    await control.settings({ location: 'eu', accountsServer: 'https://accounts.example' });
    const named = { location: 'eu', 'accounts-server': 'https://accounts.example' };
    expect(Object.fromEntries(await callbackOf(await authorize()))).toMatchObject(named);
  });

  test('redirects with access_denied and state when it is denied', async () => {
    await control.settings({ consent: 'deny' });
    expect(Object.fromEntries(await callbackOf(await authorize()))).toEqual({ error: 'access_denied', state: 'st-1' });
  });

  test('is a page that names the scopes, escapes the request, and accepts or rejects', async () => {
    await control.settings({ consent: 'page' });
    const answer = await authorize({ state: '"><script>' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await answer.text();
    expect(html).toContain('ZohoCRM.modules.leads.READ');
    expect(html).not.toContain('<script>');
    const press = async (decision: string) => {
      const body = form({ ...request, user: '554000000000102', decision });
      return callbackOf(await fetch(`${simulator.url}/oauth/v2/auth`, { method: 'POST', redirect: 'manual', body }));
    };
    expect(Object.fromEntries(await press('reject'))).toEqual({ error: 'access_denied', state: 'st-1' });
    const body = await exchange((await press('accept')).get('code') ?? '');
    expect(await control.grantOf(body.access_token ?? '')).toMatchObject({ userId: '554000000000102', scopes });
  });

  test.each([
    ['an unknown client', { client_id: '1000.X' }, 'Invalid Client'],
    ['another response type', { response_type: 'token' }, 'Invalid Response Type'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://example.com/' }, 'Invalid Redirect Uri'],
    ['one unknown scope among known ones', { scope: `${scopes[0]},ZohoCRM.nothing.ALL` }, 'Invalid OAuth Scope'],
    ['scopes separated by spaces', { scope: scopes.join(' ') }, 'Invalid OAuth Scope'],
  ])('shows an error page and does not redirect for %s', async (_, changes, title) => {
    const answer = await authorize(changes);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(title);
  });

  test('accepts the scopes of the help desk under both names', async () => {
    expect((await authorize({ scope: 'Desk.tickets.ALL,HB.search.READ' })).status).toBe(302);
  });

  test('is denied after 10 codes for a client within 10 minutes', async () => {
    for (let count = 0; count < 10; count++) expect(await codeOf()).not.toBe('');
    expect((await callbackOf(await authorize())).get('error')).toBe('access_denied');
    moveClock(601);
    expect(await codeOf()).not.toBe('');
  });

  test('redirects a client only to its registered addresses', async () => {
    await control.client('1000.C', { secret: 's', redirectUris: ['https://host.example/back'] });
    expect((await authorize({ client_id: '1000.C' })).status).toBe(400);
    expect((await authorize({ client_id: '1000.C', redirect_uri: 'https://host.example/back' })).status).toBe(302);
  });
});

describe('tokens for a code', () => {
  test('have the vendor’s form, and can name another API', async () => {
    const issued = expect.stringMatching(/^1000\./);
    const tokens = { access_token: issued, refresh_token: issued, token_type: 'Bearer', expires_in: 3600 };
    expect(await connect()).toEqual({ ...tokens, api_domain: apiUrl });
    await control.settings({ apiDomain: 'https://api.example' });
    expect((await connect()).api_domain).toBe('https://api.example');
  });

  test('are issued for parameters in the query or in a multipart form, not in JSON', async () => {
    const parameters = { ...client, grant_type: 'authorization_code', redirect_uri: redirectUri };
    const address = `${simulator.url}/oauth/v2/token`;
    const post = async (path: string, init: RequestInit = {}) =>
      (await fetch(path, { method: 'POST', ...init })).json();
    expect(await post(`${address}?${form({ ...parameters, code: await codeOf() })}`)).toHaveProperty('access_token');
    const body = new FormData();
    for (const [name, value] of form({ ...parameters, code: await codeOf() })) body.set(name, value);
    expect(await post(address, { body })).toHaveProperty('access_token');
    const json = { body: JSON.stringify(parameters), headers: { 'content-type': 'application/json' } };
    expect(await post(address, json)).toEqual({ error: 'invalid_client' });
    expect((await fetch(`${address}?${form(parameters)}`)).status).toBe(400);
  });

  test('are issued once, even for two concurrent requests', async () => {
    const code = await codeOf();
    const answers = await Promise.all([exchange(code), exchange(code)]);
    expect(answers.filter((answer) => 'access_token' in answer)).toHaveLength(1);
    expect(await exchange(code)).toEqual(invalidCode);
  });

  test('are issued within 2 minutes', async () => {
    const [inTime, late] = [await codeOf(), await codeOf()];
    moveClock(60);
    expect(await exchange(inTime)).toHaveProperty('access_token');
    moveClock(121);
    expect(await exchange(late)).toEqual(invalidCode);
  });

  test('include a refresh token only for offline access, and again only after prompt=consent', async () => {
    expect(await connect({ access_type: undefined })).not.toHaveProperty('refresh_token');
    expect(await connect()).toHaveProperty('refresh_token');
    expect(await connect()).not.toHaveProperty('refresh_token');
    expect(await connect({ prompt: 'consent' })).toHaveProperty('refresh_token');
  });

  test('are refused to a client of another data center', async () => {
    await control.client('1000.EU', { secret: 's', dataCenters: ['eu'] });
    const code = await codeOf({ client_id: '1000.EU' });
    const refused = await exchange(code, { client_id: '1000.EU', client_secret: 's' });
    expect(refused).toEqual({ error: 'invalid_client_secret' });
  });

  test('need the verifier of the challenge, unless PKCE is ignored', async () => {
    const verifier = 'v'.repeat(43);
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const challenged = () => codeOf({ code_challenge, code_challenge_method: 'S256' });
    expect(await exchange(await challenged())).toEqual(invalidCode);
    expect(await exchange(await challenged(), { code_verifier: verifier })).toHaveProperty('access_token');
    await control.settings({ pkce: 'ignored' });
    expect(await exchange(await challenged())).toHaveProperty('access_token');
  });
});

describe('the limits of tokens', () => {
  test('throttle a refresh token after 10 access tokens within 10 minutes', async () => {
    const { refresh_token } = await connect();
    for (let count = 1; count < 10; count++) await refresh(refresh_token);
    expect(await refresh(refresh_token)).toMatchObject({ error: 'Access Denied' });
    moveClock(601);
    expect(await refresh(refresh_token)).toHaveProperty('access_token');
  });

  test('revoke the oldest of 15 active access tokens when the 16th is issued', async () => {
    const { refresh_token, access_token } = await connect();
    for (let count = 1; count < 15; count++) {
      moveClock(count * 100);
      await refresh(refresh_token);
    }
    expect(await isValid(access_token)).toBe(true);
    moveClock(1500);
    await refresh(refresh_token);
    expect(await isValid(access_token)).toBe(false);
  });

  test('delete the first of 20 refresh tokens, with its access tokens, when the 21st is issued', async () => {
    await control.settings({ codesPerTenMinutes: 100, refreshTokensPerTenMinutes: 100 });
    const first = await connect({ prompt: 'consent' });
    for (let count = 1; count < 20; count++) await connect({ prompt: 'consent' });
    expect(await isValid(first.access_token)).toBe(true);
    await connect({ prompt: 'consent' });
    expect(await isValid(first.access_token)).toBe(false);
    expect(await refresh(first.refresh_token)).toEqual(invalidCode);
  });

  test('throttle a user and client after 10 refresh tokens within 10 minutes', async () => {
    await control.settings({ codesPerTenMinutes: 100 });
    for (let count = 0; count < 10; count++) await connect({ prompt: 'consent' });
    expect(await connect({ prompt: 'consent' })).toMatchObject({ error: 'Access Denied' });
  });
});

describe('an access token', () => {
  test('stays valid for an hour, even after a refresh', async () => {
    const { access_token, refresh_token } = await connect();
    await refresh(refresh_token);
    moveClock(3500);
    expect(await isValid(access_token)).toBe(true);
    moveClock(3601);
    expect(await isValid(access_token)).toBe(false);
  });

  test('can be revoked alone, and a refresh token with its access tokens', async () => {
    const { access_token = '', refresh_token = '' } = await connect();
    await control.revoke(access_token);
    expect(await isValid(access_token)).toBe(false);
    const second = await refresh(refresh_token);
    expect(await isValid(second.access_token)).toBe(true);
    await fetch(`${simulator.url}/oauth/v2/token/revoke?token=${refresh_token}`, { method: 'POST' });
    expect(await isValid(second.access_token)).toBe(false);
    expect(await refresh(refresh_token)).toEqual(invalidCode);
  });

  test('belongs to a grant that the control routes show', async () => {
    const { access_token = '', refresh_token } = await connect();
    const grant = { token: refresh_token, clientId: defaultClient.id, scopes };
    expect(await control.grantOf(access_token)).toMatchObject(grant);
    expect(await control.grants()).toMatchObject([{ token: refresh_token, access: [{ token: access_token }] }]);
  });
});

test('a lost answer uses up its code', async () => {
  await control.fault({ route: 'POST /oauth/v2/token', kind: 'drop-after' });
  const code = await codeOf();
  await expect(exchange(code)).rejects.toThrow();
  expect(await control.grants()).toHaveLength(1);
  expect(await exchange(code)).toEqual(invalidCode);
});
