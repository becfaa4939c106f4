import { createHash } from 'node:crypto';
import {
  authorizeUrl,
  errorCode,
  newOauthSecret,
  redirectUriOf,
} from '../../../../../shared/domain/connections/access/consent.ts';
import { crmBScopes, crmBScopesFor } from '../../../../../shared/domain/connections/access/oauth-scopes.ts';
import { accountsServerOf } from '../../../../../shared/domain/connections/allowed-hosts.ts';

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
        accountsServer: accountsServerOf(dataCenter, {}),
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

  it('has an unguessable state and a verifier that PKCE accepts', () => {
    const made = Array.from({ length: 100 }, newOauthSecret);
    expect(new Set(made).size).toBe(100);
    for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('the error codes of the vendor', () => {
  it('are shown; any other text is replaced by refused', () => {
    for (const code of ['access_denied', 'invalid_code', 'invalid_client_secret']) expect(errorCode(code)).toBe(code);
    for (const text of ['', 'Access Denied', '1000.ab.cd', 'x'.repeat(60), 'a\nb', '<b>'])
      expect(errorCode(text)).toBe('refused');
  });
});

describe('the scopes of a consent to CRM-B', () => {
  it('include a right to delete only if the connection removes erased people’s records', () => {
    const rights = (settings?: object) => crmBScopesFor({ settings: { ...settings } }).split(',');
    for (const settings of [undefined, { erase_records: false }, { erase_records: 'true' }])
      expect(rights(settings).join()).toBe(crmBScopes);
    const deleting = ['ZohoCRM.modules.notes.DELETE', 'ZohoCRM.modules.calls.DELETE'];
    expect(rights({ erase_records: true })).toEqual([...crmBScopes.split(','), ...deleting]);
    expect(crmBScopes).not.toContain('DELETE');
  });
});
