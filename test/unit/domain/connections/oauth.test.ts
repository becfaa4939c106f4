import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dataCenterHosts, dataCenters } from '../../../../shared/domain/connections/data-center.ts';
import {
  accountsServerOf,
  authorizeUrl,
  crmBScopes,
  dataCenterOf,
  errorCode,
  isAccountsServer,
  listedApiDomain,
  newOauthSecret,
  oauthClients,
  redirectUriOf,
} from '../../../../shared/domain/connections/oauth.ts';

const real = {};
const local = { accountsUrl: 'http://127.0.0.1:7001', apiUrl: 'http://127.0.0.1:7002' };

// Zoho CRM v8, "Multi DC": Canada's API has not the name of its accounts server.
it('the API domains of the seven data centers are the real ones', () => {
  expect(Object.entries(dataCenterHosts).map(([dataCenter, { apiDomain }]) => [dataCenter, apiDomain])).toEqual([
    ['in', 'https://www.zohoapis.in'],
    ['com', 'https://www.zohoapis.com'],
    ['eu', 'https://www.zohoapis.eu'],
    ['com.au', 'https://www.zohoapis.com.au'],
    ['jp', 'https://www.zohoapis.jp'],
    ['ca', 'https://www.zohoapis.ca'],
    ['sa', 'https://www.zohoapis.sa'],
  ]);
});

describe('the URL of a consent', () => {
  // Zoho Accounts, "Multi DC": Canada's server has a name of its own.
  it.each([
    ['in', 'https://accounts.zoho.in'],
    ['com', 'https://accounts.zoho.com'],
    ['eu', 'https://accounts.zoho.eu'],
    ['com.au', 'https://accounts.zoho.com.au'],
    ['jp', 'https://accounts.zoho.jp'],
    ['ca', 'https://accounts.zohocloud.ca'],
    ['sa', 'https://accounts.zoho.sa'],
  ] as const)('of %s is at %s', (dataCenter, server) => {
    const verifier = newOauthSecret();
    const url = new URL(
      authorizeUrl({
        accountsServer: accountsServerOf(dataCenter, real),
        clientId: '1000.X',
        redirectUri: redirectUriOf('crm-b', 'https://calls.example'),
        scopes: crmBScopes,
        state: 'st',
        verifier,
      }),
    );
    expect(url.origin + url.pathname).toBe(`${server}/oauth/v2/auth`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: '1000.X',
      response_type: 'code',
      redirect_uri: 'https://calls.example/api/oauth/crm-b/callback',
      scope: crmBScopes,
      access_type: 'offline',
      prompt: 'consent',
      state: 'st',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(url.href).not.toContain(verifier);
  });

  it('has a state and a verifier that nobody guesses, and that PKCE takes', () => {
    const made = Array.from({ length: 100 }, newOauthSecret);
    expect(new Set(made).size).toBe(100);
    for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('the accounts server of a callback', () => {
  it('is any listed one, whichever the consent was begun at', () => {
    for (const begun of dataCenters)
      for (const each of dataCenters) {
        const { accountsServer } = dataCenterHosts[each];
        expect(dataCenterOf(accountsServer, begun, real)).toBe(each);
        expect(dataCenterOf(`${accountsServer}/`, begun, real)).toBe(each);
        expect(isAccountsServer(accountsServer, real)).toBe(true);
      }
  });

  it.each([
    undefined,
    '',
    'accounts.zoho.in',
    'http://accounts.zoho.in',
    'https://accounts.zoho.in:8443',
    'https://accounts.zoho.in.example',
    'https://accounts.zoho.in@example',
    'https://user@accounts.zoho.in',
    'https://accounts.zoho.in/x',
    'https://accounts.zoho.in?x',
    'https://accounts.zoho.in#x',
    'https://accounts.zoho.com.cn',
    'https://www.zohoapis.in',
    local.accountsUrl,
  ])('is nobody: %s', (server) => {
    expect(dataCenterOf(server, 'in', real)).toBeUndefined();
    if (server !== undefined) expect(isAccountsServer(server, real)).toBe(false);
  });

  it('must be the one that stands for all of them, where the stage has one', () => {
    for (const begun of dataCenters) {
      expect(accountsServerOf(begun, local)).toBe(local.accountsUrl);
      expect(dataCenterOf(local.accountsUrl, begun, local)).toBe(begun);
      expect(dataCenterOf(dataCenterHosts[begun].accountsServer, begun, local)).toBeUndefined();
    }
    expect(isAccountsServer('https://accounts.zoho.in', local)).toBe(false);
    expect(dataCenterOf('http://127.0.0.1:7002', 'in', local)).toBeUndefined();
  });

  it('is never one of any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => dataCenterOf(text, 'in', real) === undefined));
  });
});

describe('the API domain of a token', () => {
  it('is any listed one, as the list spells it', () => {
    for (const each of dataCenters)
      expect(listedApiDomain(`${dataCenterHosts[each].apiDomain}/`, real)).toBe(dataCenterHosts[each].apiDomain);
  });

  it.each([undefined, '', 'https://www.zohoapis.in.example', 'http://www.zohoapis.in', 'https://accounts.zoho.in'])(
    'is none: %s',
    (domain) => expect(listedApiDomain(domain, real)).toBeUndefined(),
  );

  it('must be the one that stands for all of them, where the stage has one', () => {
    expect(listedApiDomain(local.apiUrl, local)).toBe(local.apiUrl);
    expect(listedApiDomain('https://www.zohoapis.in', local)).toBeUndefined();
  });
});

describe("the vendor's error codes", () => {
  it('are shown, and no other text is', () => {
    for (const code of ['access_denied', 'invalid_code', 'invalid_client_secret']) expect(errorCode(code)).toBe(code);
    for (const text of ['', 'Access Denied', '1000.ab.cd', 'x'.repeat(60), 'a\nb', '<b>'])
      expect(errorCode(text)).toBe('refused');
  });
});

describe('the OAuth clients', () => {
  const client = { client_id: 'a', client_secret: 'b' };

  it('are one a data center, of which some may lack', () => {
    for (const clients of [{}, { in: client }, { in: client, ca: client }])
      expect(oauthClients.parse(clients)).toEqual(clients);
  });

  it.each([
    { us: client },
    { in: { client_id: 'a' } },
    { in: { ...client, x: 'y' } },
    { in: { ...client, client_id: ' ' } },
    null,
  ])('are not %j', (value) => expect(oauthClients.safeParse(value).success).toBe(false));
});
