import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';

const directory = mkdtempSync(join(tmpdir(), 'crm-b-simulator-'));
const clockFile = join(directory, 'clock');
const simulator = await startCrmBSimulator({ clockFile });
const control = crmBControl(simulator.url);
const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));
const hour = 3600;
const day = 24 * hour;

/** What notifications arrived, as sent. */
let received: { path: string; text: string }[] = [];
let answerStatus = 200;
const receiver = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  received.push({ path: request.url ?? '', text });
  response.writeHead(answerStatus).end();
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const notifyUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?a=1&b=two`;
const bodies = async () => {
  await control.untilIdle();
  return received.map(({ text }) => JSON.parse(text));
};

const scopes = ['ZohoCRM.modules.ALL', 'ZohoCRM.notifications.ALL'];
let token = '';
const channelId = '1000000068001';
const inSeconds = (seconds: number) => new Date(Date.now() + 1000 * seconds).toISOString().replace(/\.\d+Z$/, '+00:00');
const item = (changes = {}) => ({
  channel_id: channelId,
  events: ['Leads.create', 'Leads.edit'],
  channel_expiry: inSeconds(6 * day),
  token: 'secret-token',
  notify_url: notifyUrl,
  notify_on_related_action: false,
  ...changes,
});
const watch = async (method: string, body?: unknown, query = '') => {
  const answer = await fetch(`${simulator.url}/crm/v8/actions/watch${query}`, {
    method,
    headers: { authorization: `Zoho-oauthtoken ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? '' : JSON.parse(text) };
};
const arm = (changes = {}) => watch('POST', { watch: [item(changes)] });
const expiryOf = (answer: { body: { watch: { details: { events: { channel_expiry: string }[] } }[] } }) =>
  (Date.parse(answer.body.watch[0]?.details.events[0]?.channel_expiry ?? '') - Date.now()) / 1000;
const write = (path: string, body: object) =>
  fetch(`${simulator.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Zoho-oauthtoken ${token}` },
    body: JSON.stringify(body),
  });

beforeEach(async () => {
  moveClock(0);
  await control.reset();
  received = [];
  answerStatus = 200;
  token = (await control.grant({ clientId: defaultClient.id, scopes })).accessToken;
});

afterAll(async () => {
  await simulator.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(directory, { recursive: true });
});

describe('POST /crm/v8/actions/watch', () => {
  test('answers 201 with the subscription of each module', async () => {
    expect(await arm()).toEqual({
      status: 201,
      body: {
        watch: [
          {
            code: 'SUCCESS',
            details: {
              events: [
                {
                  channel_expiry: expect.stringMatching(/\+05:30$/),
                  resource_uri: `${simulator.url}/crm/v8/Leads`,
                  resource_id: expect.any(String),
                  resource_name: 'Leads',
                  channel_id: channelId,
                },
              ],
            },
            message: 'Successfully subscribed for actions-watch of the given module',
            status: 'success',
          },
        ],
      },
    });
  });

  test('answers the expiry as an instant in the account’s offset', async () => {
    const expiry = inSeconds(6 * day);
    const { body } = await arm({ channel_expiry: expiry });
    const answered = body.watch[0].details.events[0].channel_expiry;
    expect(answered).not.toBe(expiry);
    expect(Date.parse(answered)).toBe(Date.parse(expiry));
  });

  test('gives a channel an hour where no expiry is sent', async () => {
    expect(expiryOf(await arm({ channel_expiry: undefined }))).toBeCloseTo(hour, -2);
  });

  test('takes up to a week, and turns more into an hour without a word', async () => {
    expect(expiryOf(await arm({ channel_expiry: inSeconds(7 * day - 60) }))).toBeCloseTo(7 * day - 60, -2);
    const beyond = await arm({ channel_expiry: inSeconds(7 * day + 60) });
    expect(beyond.status).toBe(201);
    expect(expiryOf(beyond)).toBeCloseTo(hour, -2);
  });

  test('takes a channel id as a JSON number', async () => {
    expect((await arm({ channel_id: 1000000068002 })).body.watch[0].details.events[0].channel_id).toBe('1000000068002');
  });

  test('takes a token of 50 characters', async () => {
    expect((await arm({ token: 't'.repeat(50) })).status).toBe(201);
  });

  test.each([
    ['a token of 51 characters', { token: 't'.repeat(51) }, 'token'],
    ['a channel id that is no number', { channel_id: 'abc' }, 'channel_id'],
    ['a channel id beyond a long', { channel_id: '9223372036854775808' }, 'channel_id'],
    ['an address that is none', { notify_url: 'nowhere' }, 'notify_url'],
    ['an address over 255 characters', { notify_url: `https://a.example/${'x'.repeat(255)}` }, 'notify_url'],
    ['an event there is not', { events: ['Leads.update'] }, 'events'],
    ['an expiry with milliseconds', { channel_expiry: '2999-01-01T00:00:00.000+00:00' }, 'channel_expiry'],
    ['an expiry that is past', { channel_expiry: '2001-01-01T00:00:00+00:00' }, 'channel_expiry'],
  ])('answers INVALID_DATA on a 2xx for %s', async (_, changes, name) => {
    expect(await arm(changes)).toMatchObject({
      status: 202,
      body: {
        watch: [
          { code: 'INVALID_DATA', details: { api_name: name, json_path: `$.watch[0].${name}` }, status: 'error' },
        ],
      },
    });
    expect(await control.channels()).toEqual([]);
  });

  test.each(['channel_id', 'events', 'notify_url'])('answers MANDATORY_NOT_FOUND without %s', async (name) => {
    expect((await arm({ [name]: undefined })).body.watch).toMatchObject([
      { code: 'MANDATORY_NOT_FOUND', details: { api_name: name } },
    ]);
  });

  test('answers 207 where one item of two failed', async () => {
    const { status, body } = await watch('POST', { watch: [item(), item({ channel_id: '2', events: [] })] });
    expect(status).toBe(207);
    expect(body.watch).toMatchObject([{ status: 'success' }, { status: 'error' }]);
  });

  test('needs the wrapper', async () => {
    expect(await watch('POST', item())).toMatchObject({ status: 400, body: { code: 'MANDATORY_NOT_FOUND' } });
  });

  test('subscribes a channel id anew', async () => {
    await arm({ events: ['Leads.create'] });
    await arm({ events: ['Leads.edit'], token: 'other' });
    expect(await control.channels()).toMatchObject([{ events: ['edit'], token: 'other' }]);
  });
});

describe('PATCH /crm/v8/actions/watch', () => {
  test('prolongs a channel and keeps the details that are left out', async () => {
    await arm({ channel_expiry: inSeconds(hour) });
    const patch = { channel_id: channelId, notify_url: notifyUrl, channel_expiry: inSeconds(6 * day) };
    const answer = await watch('PATCH', { watch: [patch] });
    expect(answer).toMatchObject({
      status: 200,
      body: { watch: [{ code: 'SUCCESS', message: 'Successfully updated the subscribe details' }] },
    });
    expect(expiryOf(answer)).toBeCloseTo(6 * day, -2);
    expect(await control.channels()).toMatchObject([
      { token: 'secret-token', events: ['create', 'edit'], relatedActions: false },
    ]);
  });

  test('demands notify_url all the same', async () => {
    await arm();
    expect((await watch('PATCH', { watch: [{ channel_id: channelId }] })).body.watch).toMatchObject([
      { code: 'MANDATORY_NOT_FOUND', details: { api_name: 'notify_url' } },
    ]);
  });

  test.each(['PATCH', 'PUT'])(
    'as %s answers 400 NOT_SUBSCRIBED for an expired channel, and POST arms it again',
    async (method) => {
      await arm({ channel_expiry: inSeconds(hour) });
      moveClock(hour + 10);
      token = (await control.grant({ clientId: defaultClient.id, scopes })).accessToken;
      expect(await watch(method, { watch: [item({ channel_expiry: inSeconds(day) })] })).toMatchObject({
        status: 400,
        body: { watch: [{ code: 'NOT_SUBSCRIBED', status: 'error' }] },
      });
      expect((await arm({ channel_expiry: inSeconds(day) })).status).toBe(201);
    },
  );

  test('removes events where _delete_events says so', async () => {
    await arm();
    const patch = { channel_id: channelId, notify_url: notifyUrl, events: ['Leads.create'], _delete_events: true };
    expect((await watch('PATCH', { watch: [patch] })).body.watch).toMatchObject([
      { message: 'Successfully removed the subscribe details' },
    ]);
    expect(await control.channels()).toMatchObject([{ events: ['edit'] }]);
  });
});

test('PUT drops the details that are left out', async () => {
  await arm();
  const put = { channel_id: channelId, events: ['Leads.edit'], notify_url: notifyUrl };
  expect((await watch('PUT', { watch: [put] })).status).toBe(200);
  expect(await control.channels()).toMatchObject([{ events: ['edit'], token: null, relatedActions: true }]);
});

describe('GET /crm/v8/actions/watch', () => {
  test('answers 204 where nothing is subscribed', async () => {
    expect(await watch('GET')).toEqual({ status: 204, body: '' });
  });

  test('answers a row per module, with the token in clear', async () => {
    await arm({ events: ['Leads.create', 'Leads.edit', 'Contacts.edit'] });
    const { status, body } = await watch('GET', undefined, `?channel_id=${channelId}`);
    expect(status).toBe(200);
    expect(body.watch).toMatchObject([
      {
        channel_id: channelId,
        resource_name: 'Leads',
        events: ['Leads.create', 'Leads.edit'],
        notify_url: notifyUrl,
        token: 'secret-token',
        notify_on_related_action: false,
        channel_expiry: expect.stringMatching(/\+05:30$/),
      },
      { channel_id: channelId, resource_name: 'Contacts' },
    ]);
    expect(body.info).toEqual({ per_page: 200, count: 2, page: 1, more_records: false });
    expect((await watch('GET', undefined, '?module=Contacts')).body.watch).toHaveLength(1);
    expect((await watch('GET', undefined, '?channel_id=7')).status).toBe(204);
  });

  test('has forgotten an expired channel', async () => {
    await arm({ channel_expiry: inSeconds(hour) });
    moveClock(hour + 10);
    token = (await control.grant({ clientId: defaultClient.id, scopes })).accessToken;
    expect((await watch('GET')).status).toBe(204);
  });
});

describe('DELETE /crm/v8/actions/watch', () => {
  test('ends channels by channel_ids', async () => {
    await arm();
    expect(await watch('DELETE', undefined, `?channel_ids=${channelId}`)).toMatchObject({
      status: 200,
      body: {
        watch: [
          {
            code: 'SUCCESS',
            details: { resource_uri: `${simulator.url}/crm/v8/Leads`, channel_id: channelId },
            message: 'Successfully un-subscribed from actions-watch',
          },
        ],
      },
    });
    expect(await control.channels()).toEqual([]);
  });

  test('answers NOT_SUBSCRIBED for a channel there is not', async () => {
    expect(await watch('DELETE', undefined, '?channel_ids=7')).toMatchObject({
      status: 400,
      body: { watch: [{ code: 'NOT_SUBSCRIBED' }] },
    });
  });

  test('needs channel_ids', async () => {
    expect((await watch('DELETE')).body).toMatchObject({ code: 'REQUIRED_PARAM_MISSING' });
  });
});

describe('a notification', () => {
  test('of a created lead says insert, and carries the token, the query and a resource_uri of v2', async () => {
    await arm();
    const id = await control.createLead({ Last_Name: 'Iyer' });
    expect(await bodies()).toEqual([
      {
        server_time: expect.any(Number),
        query_params: { a: '1', b: 'two' },
        module: 'Leads',
        resource_uri: `${simulator.url}/crm/v2/Leads`,
        ids: [id],
        operation: 'insert',
        channel_id: channelId,
        token: 'secret-token',
      },
    ]);
    expect(received[0]?.path).toBe('/hook?a=1&b=two');
  });

  test('of an edited lead says update and names the fields, with values only where they were asked for', async () => {
    await arm();
    const id = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
    await control.editLead(id, { City: 'Pune' });
    expect((await bodies())[0]).toMatchObject({ operation: 'update', affected_fields: [{ [id]: ['City'] }] });
    expect((await bodies())[0]).not.toHaveProperty('affected_values');
    await arm({ return_affected_field_values: true });
    await control.editLead(id, { City: 'Delhi' });
    expect((await bodies())[1]).toMatchObject({ affected_values: [{ record_id: id, values: { City: 'Delhi' } }] });
  });

  test('of a new owner is an edit', async () => {
    await arm();
    const id = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
    await control.editLead(id, {}, { owner: '554000000000102' });
    expect(await bodies()).toMatchObject([{ operation: 'update', affected_fields: [{ [id]: ['Owner'] }] }]);
  });

  test('is not sent for an edit that changes nothing', async () => {
    await arm();
    const id = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
    await control.editLead(id, { Last_Name: 'Iyer' });
    expect(await bodies()).toEqual([]);
  });

  test('is sent only for the events of the channel', async () => {
    await arm({ events: ['Leads.edit'] });
    const id = await control.createLead({ Last_Name: 'Iyer' });
    await control.deleteLead(id);
    expect(await bodies()).toEqual([]);
    await arm({ events: ['Leads.all'] });
    await control.deleteLead(await control.createLead({ Last_Name: 'Iyer' }));
    expect((await bodies()).map(({ operation }) => operation).sort()).toEqual(['delete', 'insert']);
  });

  test('is sent only for the fields of a condition', async () => {
    const field = (name: string) => ({ field: { api_name: name, id: '1' } });
    const selection = { group_operator: 'or', group: [field('Owner'), field('Phone')] };
    await arm({ notification_condition: [{ type: 'field_selection', field_selection: selection }] });
    const id = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
    await control.editLead(id, { City: 'Pune' });
    await control.editLead(id, { Phone: '1' });
    expect(await bodies()).toMatchObject([{ affected_fields: [{ [id]: ['Phone'] }] }]);
  });

  test('holds up to 50 ids', async () => {
    await arm();
    const ids = await control.putLeads(Array.from({ length: 120 }, () => ({ fields: { Last_Name: 'X' } })));
    const told = await bodies();
    expect(told.map((body) => body.ids.length).sort()).toEqual([20, 50, 50]);
    expect(told.flatMap((body) => body.ids).sort()).toEqual([...ids].sort());
  });

  test('holds another number of ids on demand', async () => {
    await arm();
    await control.settings({ notifications: { idsPerNotification: 120 } });
    await control.putLeads(Array.from({ length: 120 }, () => ({ fields: { Last_Name: 'X' } })));
    expect((await bodies()).map((body) => body.ids.length)).toEqual([120]);
  });

  test('writes ids and the channel as numbers on demand, to the last digit', async () => {
    await arm();
    await control.settings({ notifications: { idsAs: 'numbers', channelIdAs: 'number' } });
    await control.createLead({ Last_Name: 'X' }, { id: '5540000000000001001' });
    await control.untilIdle();
    expect(received[0]?.text).toContain('"ids":[5540000000000001001]');
    expect(received[0]?.text).toContain(`"channel_id":${channelId},`);
  });

  test('is sent twice on demand', async () => {
    await arm();
    await control.settings({ notifications: { copies: 2 } });
    await control.createLead({ Last_Name: 'X' });
    const [one, other] = await bodies();
    expect(one).toEqual(other);
    expect(await control.notifications()).toMatchObject([{ answers: [200, 200] }]);
  });

  test('comes late on demand', async () => {
    await arm();
    await control.settings({ speed: 1000, notifications: { delaySeconds: 120 } });
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toHaveLength(1);
  });

  test('is held until it is released on demand', async () => {
    await arm();
    await control.settings({ notifications: { mode: 'hold' } });
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toEqual([]);
    expect(await control.release()).toBe(1);
    expect(await bodies()).toHaveLength(1);
  });

  test('is lost on demand, while the channel looks active', async () => {
    await arm();
    await control.settings({ notifications: { mode: 'drop' } });
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toEqual([]);
    expect((await watch('GET')).body.watch).toHaveLength(1);
  });

  test('is not sent again after a failure', async () => {
    answerStatus = 500;
    await arm();
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toHaveLength(1);
    expect(await control.notifications()).toMatchObject([{ answers: [500] }]);
  });

  test('is not sent by a channel of another org', async () => {
    await arm();
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    await control.createLead({ Last_Name: 'Theirs' }, { org: 'other' });
    expect(await bodies()).toEqual([]);
  });
});

describe('a channel', () => {
  test('that expired delivers nothing', async () => {
    await arm({ channel_expiry: inSeconds(hour) });
    moveClock(hour + 10);
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toEqual([]);
  });

  test('that was silenced looks active and delivers nothing, also after PATCH, until it is armed anew', async () => {
    await arm();
    await control.silence(channelId);
    await watch('PATCH', { watch: [{ channel_id: channelId, notify_url: notifyUrl }] });
    await control.createLead({ Last_Name: 'X' });
    expect((await watch('GET')).body.watch).toHaveLength(1);
    expect(await bodies()).toEqual([]);
    await arm();
    await control.createLead({ Last_Name: 'X' });
    expect(await bodies()).toHaveLength(1);
  });

  test('that the vendor lost is gone', async () => {
    await arm();
    await control.loseChannel(channelId);
    expect((await watch('GET')).status).toBe(204);
  });
});

describe('a note or call written on a lead', () => {
  const note = { data: [{ Note_Content: 'x' }] };
  let lead = '';
  const writeNote = (more = {}) => write(`/crm/v8/Leads/${lead}/Notes`, { ...note, ...more });

  beforeEach(async () => {
    lead = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
  });

  test('notifies of an update of the lead unless told otherwise', async () => {
    await arm({ notify_on_related_action: undefined });
    await writeNote();
    expect(await bodies()).toMatchObject([{ module: 'Leads', operation: 'update', ids: [lead] }]);
    const call = {
      Call_Type: 'Outbound',
      Call_Start_Time: '2026-01-05T10:30:00+05:30',
      Call_Duration: '00:01',
      What_Id: lead,
      $se_module: 'Leads',
    };
    await write('/crm/v8/Calls', { data: [call] });
    expect(await bodies()).toHaveLength(2);
  });

  test('notifies nobody with trigger: []', async () => {
    await arm({ notify_on_related_action: true });
    await writeNote({ trigger: [] });
    expect(await bodies()).toEqual([]);
  });

  test('notifies no channel with notify_on_related_action: false', async () => {
    await arm({ notify_on_related_action: false });
    await writeNote();
    expect(await bodies()).toEqual([]);
  });

  test('moves the lead’s Modified_Time on demand', async () => {
    const modified = async () => (await control.leads())[0]?.Modified_Time;
    const before = await modified();
    moveClock(60);
    await writeNote({ trigger: [] });
    expect(await modified()).toBe(before);
    await control.settings({ relatedMovesModifiedTime: true });
    await writeNote({ trigger: [] });
    expect(await modified()).not.toBe(before);
  });
});
