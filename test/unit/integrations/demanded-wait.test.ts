import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { getLead } from '../../../shared/integrations/crm-b/lead-record.ts';
import { crmBNotes } from '../../../shared/integrations/crm-b/note.ts';
import { helpDeskApi } from '../../../shared/integrations/help-desk/api.ts';
import { zohoAccounts } from '../../../shared/integrations/zoho-accounts/accounts.ts';
import { aToken } from '../../support/connections/access-token.ts';

let server: Server;
let url: string;
let answer = { status: 429, headers: {} };

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(answer.status, answer.headers).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const token = async () => aToken('token');
const crm = { apiDomain: '', token };
const api = crmBApi({ timeoutMs: 2_000 });
const requests: [string, () => Promise<object>][] = [
  ['a lead of CRM-B', () => getLead(api, { ...crm, apiDomain: url }, '1')],
  ['a note in CRM-B', () => crmBNotes(api).create({ ...crm, apiDomain: url }, '1', { title: 'a', content: 'b' })],
  ['a lookup in CRM-B', () => crmBNotes(api).find({ ...crm, apiDomain: url }, '1', 'call_1')],
  [
    'an access token',
    () => {
      const accounts = zohoAccounts({ timeoutMs: 2_000, accountsUrl: url });
      return accounts.refresh(url, { client_id: 'c', client_secret: 's' }, 'r');
    },
  ],
  [
    'the help desk',
    () =>
      helpDeskApi({ timeoutMs: 2_000 })({ host: url, orgId: '1', token }, { method: 'GET', path: '/api/v1/tickets' }),
  ],
];

describe.each(requests)('a request for %s', (_what, request) => {
  it.each([429, 503])('returns the demanded wait if the answer is %i', async (status) => {
    answer = { status, headers: { 'retry-after': '120' } };
    expect(await request()).toMatchObject({ retryAfterSeconds: 120 });
    answer = { status, headers: {} };
    expect(await request()).not.toHaveProperty('retryAfterSeconds');
  });
});
