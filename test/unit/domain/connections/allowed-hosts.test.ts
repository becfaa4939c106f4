import fc from 'fast-check';
import { dataCenterHosts, dataCenters } from '../../../../shared/domain/connections/access/data-center.ts';
import {
  accountsServerOf,
  dataCenterOf,
  isAccountsServer,
  listedApiDomain,
} from '../../../../shared/domain/connections/allowed-hosts.ts';
import { forAll } from '../../../support/values/for-all.ts';

const real = {};
const local = { accountsUrl: 'http://127.0.0.1:7001', apiUrl: 'http://127.0.0.1:7002' };

// Zoho CRM v8, "Multi DC": Canada's API is under another domain than its accounts server.
it('the API domains of the seven data centers are the real ones', () => {
  for (const dataCenter of ['in', 'com', 'eu', 'com.au', 'jp', 'ca', 'sa'] as const)
    expect(dataCenterHosts[dataCenter].apiDomain).toBe(`https://www.zohoapis.${dataCenter}`);
  expect(dataCenters).toHaveLength(7);
});

describe('the accounts server of a callback', () => {
  it('may be any listed server, wherever the consent began', () => {
    for (const each of dataCenters) {
      const { accountsServer } = dataCenterHosts[each];
      expect(isAccountsServer(accountsServer, real)).toBe(true);
      for (const begun of dataCenters)
        for (const server of [accountsServer, `${accountsServer}/`])
          expect(dataCenterOf(server, begun, real)).toBe(each);
    }
  });

  it.each([
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
  ])('is refused unless listed: %s', (server) => {
    expect(dataCenterOf(server, 'in', real)).toBeUndefined();
    expect(isAccountsServer(server, real)).toBe(false);
  });

  it('is the one where the consent began if the callback names no server', () => {
    for (const begun of dataCenters)
      for (const hosts of [real, local]) expect(dataCenterOf(undefined, begun, hosts)).toBe(begun);
  });

  it("must be the stage's own if the stage overrides it", () => {
    for (const begun of dataCenters) {
      expect(accountsServerOf(begun, local)).toBe(local.accountsUrl);
      expect(dataCenterOf(local.accountsUrl, begun, local)).toBe(begun);
      expect(dataCenterOf(dataCenterHosts[begun].accountsServer, begun, local)).toBeUndefined();
    }
    expect(isAccountsServer('https://accounts.zoho.in', local)).toBe(false);
    expect(dataCenterOf('http://127.0.0.1:7002', 'in', local)).toBeUndefined();
  });

  it('is never found inside other text', () => {
    forAll([fc.oneof(fc.string(), fc.webUrl())], (text) => dataCenterOf(text, 'in', real) === undefined);
  });
});

describe('the API domain of a token', () => {
  it('may be any listed domain and is returned as the list spells it', () => {
    for (const each of dataCenters)
      expect(listedApiDomain(`${dataCenterHosts[each].apiDomain}/`, real)).toBe(dataCenterHosts[each].apiDomain);
  });

  it.each([undefined, '', 'https://www.zohoapis.in.example', 'http://www.zohoapis.in', 'https://accounts.zoho.in'])(
    'is refused unless listed: %s',
    (domain) => expect(listedApiDomain(domain, real)).toBeUndefined(),
  );

  it("must be the stage's own if the stage overrides it", () => {
    expect(listedApiDomain(local.apiUrl, local)).toBe(local.apiUrl);
    expect(listedApiDomain('https://www.zohoapis.in', local)).toBeUndefined();
  });
});
