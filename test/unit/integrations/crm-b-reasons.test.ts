import type { CrmBAnswer, CrmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { crmBChoices } from '../../../shared/integrations/crm-b/choices.ts';
import { readFrom } from '../../../shared/integrations/crm-b/read.ts';
import { findRelated, writeRecord } from '../../../shared/integrations/crm-b/records.ts';
import { removeCrmBRecord } from '../../../shared/integrations/crm-b/removal.ts';
import { crmBWatch } from '../../../shared/integrations/crm-b/watch.ts';
import { aToken } from '../../support/connections/access-token.ts';

const access = { apiDomain: 'https://crm', token: async () => aToken('token') };
const path = '/crm/v8/Leads/7/Notes';
const channel = { id: '1', token: 't', notifyUrl: 'https://svc', expiresAt: new Date(0) };

const write = (api: CrmBApi) => writeRecord(api, access, path, {});
const find = (api: CrmBApi) => findRelated(api, access, { path, field: 'Note_Title', ending: 'x' });
const remove = (api: CrmBApi) => removeCrmBRecord(api, access, 'Notes', '7');
const arm = (api: CrmBApi) => crmBWatch(api).arm(access, channel);
const stop = (api: CrmBApi) => crmBWatch(api).stop(access, '1');
const list = (api: CrmBApi) => crmBWatch(api).list(access);
const read = (api: CrmBApi) => readFrom(api, access, { method: 'GET', path });
const listUsers = (api: CrmBApi) => crmBChoices(api).users(access);

const unreadable: CrmBAnswer = { kind: 'answered', status: 200, body: {} };
const refused: CrmBAnswer = { kind: 'refused', status: 403, body: undefined };
const expired: CrmBAnswer = { kind: 'refused', status: 401, code: 'INVALID_TOKEN', body: undefined };
const endless: CrmBAnswer = { kind: 'answered', status: 200, body: { data: [], info: { more_records: true } } };
const manyChannels: CrmBAnswer = { kind: 'answered', status: 200, body: { watch: [], info: { more_records: true } } };
const armed: CrmBAnswer = { kind: 'answered', status: 200, body: { watch: [{ code: 'SUCCESS', status: 'success' }] } };

it.each<[what: string, (api: CrmBApi) => Promise<object>, CrmBAnswer, outcome: object]>([
  ['write', write, unreadable, { kind: 'unknown', reason: 'an answer that cannot be read' }],
  ['write', write, refused, { kind: 'refused', code: 'status 403' }],
  ['write', write, expired, { kind: 'unavailable', reason: 'the access token is refused: INVALID_TOKEN' }],
  ['lookup', find, unreadable, { kind: 'unavailable', reason: 'an answer that cannot be read' }],
  ['lookup', find, endless, { kind: 'unavailable', reason: 'the lookup has too many pages or takes too long' }],
  ['deletion', remove, unreadable, { kind: 'unknown', reason: 'an answer that cannot be read' }],
  ['new watch channel', arm, armed, { kind: 'unknown', reason: 'an answer without expiry' }],
  ['stop of a watch channel', stop, unreadable, { kind: 'unknown', reason: 'an answer that cannot be read' }],
  ['stop of a watch channel', stop, refused, { kind: 'refused', reason: 'status 403' }],
  ['list of watch channels', list, unreadable, { kind: 'unknown', reason: 'a list that cannot be read' }],
  ['list of watch channels', list, manyChannels, { kind: 'unavailable', reason: 'the list has too many pages' }],
  ['read', read, refused, { kind: 'refused', reason: 'status 403' }],
  ['list of users', listUsers, unreadable, { kind: 'unavailable', reason: 'the answer cannot be read' }],
])('a %s that CRM-B does not answer as documented ends with the reason', async (_what, request, answer, outcome) => {
  expect(await request(async () => answer)).toEqual(outcome);
});
