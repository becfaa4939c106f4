import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { startCrmB } from './support/crm-b.ts';
import { close, listen } from './support/servers.ts';

const { ask, begin, control, end, moveClock, send, signIn, simulator } = await startCrmB();

const hour = 3600;
const day = 24 * hour;

/** The received notifications. */
let received: { path: string; text: string }[] = [];
let answerStatus = 200;
const receiver = createServer(async (request, response) => {
  received.push({ path: request.url ?? '', text: await text(request) });
  response.writeHead(answerStatus).end();
});
const notifyUrl = `${await listen(receiver)}/hook?a=1&b=two`;
const bodies = async () => {
  await control.untilIdle();
  return received.map((notification) => JSON.parse(notification.text));
};

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
const watch = (method: string, body?: unknown, query = '') => ask(method, `/actions/watch${query}`, { body });
const arm = (changes = {}) => watch('POST', { watch: [item(changes)] });
const expiryOf = (answer: { body: { watch: { details: { events: { channel_expiry: string }[] } }[] } }) =>
  (Date.parse(answer.body.watch[0]?.details.events[0]?.channel_expiry ?? '') - Date.now()) / 1000;

beforeEach(async () => {
  await begin();
  received = [];
  answerStatus = 200;
});

afterAll(async () => {
  await end();
  await close(receiver);
});

describe('a subscription', () => {
  test('is answered with its details for each module', async () => {
    const { status, body } = await arm({ events: ['Leads.create', 'Contacts.edit'], channel_id: Number(channelId) });
    const details = (resource_name: string) => ({
      channel_expiry: expect.stringMatching(/\+05:30$/),
      resource_uri: `${simulator.url}/crm/v8/${resource_name}`,
      resource_id: expect.any(String),
      resource_name,
      channel_id: channelId,
    });
    const message = 'Successfully subscribed for actions-watch of the given module';
    const events = [details('Leads'), details('Contacts')];
    expect([status, body.watch]).toEqual([201, [{ code: 'SUCCESS', details: { events }, message, status: 'success' }]]);
  });

  test('ends after an hour by default', async () => {
    expect(expiryOf(await arm({ channel_expiry: undefined }))).toBeCloseTo(hour, -2);
  });

  test.each<[string, string, object]>([
    ['no channel id', 'MANDATORY_NOT_FOUND', { channel_id: undefined }],
    ['no events', 'MANDATORY_NOT_FOUND', { events: undefined }],
    ['no address', 'MANDATORY_NOT_FOUND', { notify_url: undefined }],
    ['a channel id that is not a number', 'INVALID_DATA', { channel_id: 'abc' }],
    ['a channel id beyond a long', 'INVALID_DATA', { channel_id: '9223372036854775808' }],
    ['an invalid address', 'INVALID_DATA', { notify_url: 'nowhere' }],
    ['an address over 255 characters', 'INVALID_DATA', { notify_url: `https://a.example/${'x'.repeat(255)}` }],
    ['an unknown event', 'INVALID_DATA', { events: ['Leads.update'] }],
    ['an expiry with milliseconds', 'INVALID_DATA', { channel_expiry: '2999-01-01T00:00:00.000+00:00' }],
    ['a past expiry', 'INVALID_DATA', { channel_expiry: '2001-01-01T00:00:00+00:00' }],
  ])('with %s is refused in an answer with status 202', async (_, code, changes) => {
    const [api_name] = Object.keys(changes);
    const watched = [{ code, details: { api_name, json_path: `$.watch[0].${api_name}` } }];
    expect(await arm(changes)).toMatchObject({ status: 202, body: { watch: watched } });
  });

  test('is an item of `watch`, and may succeed beside a failing one', async () => {
    expect(await watch('POST', item())).toMatchObject({ status: 400, body: { code: 'MANDATORY_NOT_FOUND' } });
    const { status, body } = await watch('POST', { watch: [item(), item({ channel_id: '2', events: [] })] });
    expect([status, body.watch]).toMatchObject([207, [{ status: 'success' }, { status: 'error' }]]);
  });

  test('replaces a channel of the same id', async () => {
    await arm({ events: ['Leads.create'] });
    await arm({ events: ['Leads.edit'], token: 'other' });
    expect(await control.channels()).toMatchObject([{ events: ['edit'], token: 'other' }]);
  });

  test('retains the details that PATCH omits, and loses those that PUT omits', async () => {
    await arm({ channel_expiry: inSeconds(hour) });
    const known = { channel_id: channelId, notify_url: notifyUrl };
    const patched = await watch('PATCH', { watch: [{ ...known, channel_expiry: inSeconds(6 * day) }] });
    expect(patched.body.watch).toMatchObject([{ message: 'Successfully updated the subscribe details' }]);
    expect(expiryOf(patched)).toBeCloseTo(6 * day, -2);
    expect(await control.channels()).toMatchObject([{ token: 'secret-token', events: ['create', 'edit'] }]);
    expect((await watch('PUT', { watch: [{ ...known, events: ['Leads.edit'] }] })).status).toBe(200);
    expect(await control.channels()).toMatchObject([{ events: ['edit'], token: null, relatedActions: true }]);
  });

  test('loses the events that PATCH removes with _delete_events', async () => {
    await arm();
    const patch = { channel_id: channelId, events: ['Leads.create'], _delete_events: true };
    const { body } = await watch('PATCH', { watch: [patch] });
    expect(body.watch).toMatchObject([{ message: 'Successfully removed the subscribe details' }]);
    expect(await control.channels()).toMatchObject([{ events: ['edit'] }]);
  });

  test.each(['PATCH', 'PUT'])('is 400 NOT_SUBSCRIBED for %s after it expired, until a new POST', async (method) => {
    await arm({ channel_expiry: inSeconds(hour) });
    moveClock(hour + 10);
    await signIn();
    const { status, body } = await watch(method, { watch: [item({ channel_expiry: inSeconds(day) })] });
    expect([status, body.watch]).toMatchObject([400, [{ code: 'NOT_SUBSCRIBED', status: 'error' }]]);
    expect((await arm({ channel_expiry: inSeconds(day) })).status).toBe(201);
  });

  test('is listed once per module, with its token', async () => {
    await arm({ events: ['Leads.create', 'Leads.edit', 'Contacts.edit'] });
    const { body } = await watch('GET', undefined, `?channel_id=${channelId}`);
    const leads = { resource_name: 'Leads', events: ['Leads.create', 'Leads.edit'], notify_url: notifyUrl };
    expect(body.watch).toMatchObject([
      { ...leads, channel_id: channelId, token: 'secret-token', notify_on_related_action: false },
      { channel_id: channelId, resource_name: 'Contacts' },
    ]);
    expect(body.info).toEqual({ per_page: 200, count: 2, page: 1, more_records: false });
    expect((await watch('GET', undefined, '?module=Contacts')).body.watch).toHaveLength(1);
    expect((await watch('GET', undefined, '?channel_id=7')).status).toBe(204);
  });

  test('ends with DELETE, which needs known channel_ids', async () => {
    await arm();
    const stop = (query?: string) => watch('DELETE', undefined, query);
    const message = 'Successfully un-subscribed from actions-watch';
    expect((await stop(`?channel_ids=${channelId}`)).body.watch).toMatchObject([{ code: 'SUCCESS', message }]);
    expect((await stop(`?channel_ids=${channelId}`)).body.watch).toMatchObject([{ code: 'NOT_SUBSCRIBED' }]);
    expect((await stop()).body).toMatchObject({ code: 'REQUIRED_PARAM_MISSING' });
  });
});

describe('a notification', () => {
  const quietLead = () => control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
  const createLead = () => control.createLead({ Last_Name: 'X' });

  test('of a created lead is an insert with the token, the query and a resource_uri of v2', async () => {
    await arm();
    const id = await createLead();
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

  test('of an edited lead is an update with the fields, and with values only if the channel requests them', async () => {
    await arm();
    const id = await quietLead();
    await control.editLead(id, { Last_Name: 'Iyer' });
    await control.editLead(id, {}, { owner: '554000000000102' });
    const [update, ...others] = await bodies();
    expect([update, others]).toMatchObject([{ operation: 'update', affected_fields: [{ [id]: ['Owner'] }] }, []]);
    expect(update).not.toHaveProperty('affected_values');
    await arm({ return_affected_field_values: true });
    await control.editLead(id, { City: 'Delhi' });
    expect((await bodies())[1]).toMatchObject({ affected_values: [{ record_id: id, values: { City: 'Delhi' } }] });
  });

  test('is sent only for the events of its channel', async () => {
    await arm({ events: ['Leads.edit'] });
    await control.deleteLead(await createLead());
    expect(await bodies()).toEqual([]);
    await arm({ events: ['Leads.all'] });
    await control.deleteLead(await createLead());
    expect((await bodies()).map(({ operation }) => operation).sort()).toEqual(['delete', 'insert']);
  });

  test('is sent only for the fields of a condition', async () => {
    const field = (name: string) => ({ field: { api_name: name, id: '1' } });
    const selection = { group_operator: 'or', group: [field('Owner'), field('Phone')] };
    await arm({ notification_condition: [{ type: 'field_selection', field_selection: selection }] });
    const id = await quietLead();
    await control.editLead(id, { City: 'Pune' });
    await control.editLead(id, { Phone: '1' });
    expect(await bodies()).toMatchObject([{ affected_fields: [{ [id]: ['Phone'] }] }]);
  });

  test('is not sent to a channel of another organization', async () => {
    await arm();
    await control.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    await control.createLead({ Last_Name: 'Theirs' }, { org: 'other' });
    expect(await bodies()).toEqual([]);
  });

  test.each([
    [50, [20, 50, 50]],
    [120, [120]],
  ])('has at most %i ids', async (idsPerNotification, sizes) => {
    await arm();
    await control.settings({ notifications: { idsPerNotification } });
    const ids = await control.putLeads(Array.from({ length: 120 }, () => ({ fields: { Last_Name: 'X' } })));
    const sent = await bodies();
    expect(sent.map((body) => body.ids.length).sort()).toEqual(sizes);
    expect(sent.flatMap((body) => body.ids).sort()).toEqual([...ids].sort());
  });

  test('can have ids and the channel as numbers, exact to the last digit', async () => {
    await arm();
    await control.settings({ notifications: { idsAs: 'numbers', channelIdAs: 'number' } });
    await control.createLead({ Last_Name: 'X' }, { id: '5540000000000001001' });
    await control.untilIdle();
    expect(received[0]?.text).toContain('"ids":[5540000000000001001]');
    expect(received[0]?.text).toContain(`"channel_id":${channelId},`);
  });

  test('can be sent twice and late', async () => {
    await arm();
    await control.settings({ speed: 1000, notifications: { copies: 2, delaySeconds: 120 } });
    await createLead();
    const [one, other] = await bodies();
    expect(one).toEqual(other);
    expect(await control.notifications()).toMatchObject([{ answers: [200, 200] }]);
  });

  test.each([
    ['held until it is released', 'hold', 1],
    ['lost while the channel appears active', 'drop', 0],
  ] as const)('can be %s', async (_, mode, released) => {
    await arm();
    await control.settings({ notifications: { mode } });
    await createLead();
    expect([await bodies(), (await watch('GET')).body.watch.length]).toEqual([[], 1]);
    expect([await control.release(), (await bodies()).length]).toEqual([released, released]);
  });

  test('is not repeated after a failure', async () => {
    answerStatus = 500;
    await arm();
    await createLead();
    expect(await bodies()).toHaveLength(1);
    expect(await control.notifications()).toMatchObject([{ answers: [500] }]);
  });

  test('is not sent after its channel expired or was lost', async () => {
    await arm({ channel_expiry: inSeconds(hour) });
    await arm({ channel_id: '7' });
    await control.loseChannel('7');
    moveClock(hour + 10);
    await createLead();
    expect([await bodies(), await control.channels()]).toEqual([[], []]);
  });

  test('is not sent by a silenced channel, even after PATCH, until a new POST', async () => {
    await arm();
    await control.silence(channelId);
    await watch('PATCH', { watch: [{ channel_id: channelId, notify_url: notifyUrl }] });
    await createLead();
    expect([await bodies(), (await watch('GET')).body.watch.length]).toEqual([[], 1]);
    await arm();
    await createLead();
    expect(await bodies()).toHaveLength(1);
  });
});

describe('a note or call written on a lead', () => {
  let lead = '';
  const writeNote = (more = {}) =>
    send('POST', `/Leads/${lead}/Notes`, { body: { data: [{ Note_Content: 'x' }], ...more } });

  beforeEach(async () => {
    lead = await control.createLead({ Last_Name: 'Iyer' }, { quiet: true });
  });

  test('notifies of an update of its lead by default', async () => {
    await arm({ notify_on_related_action: undefined });
    await writeNote();
    expect(await bodies()).toMatchObject([{ module: 'Leads', operation: 'update', ids: [lead] }]);
    const times = { Call_Start_Time: '2026-01-05T10:30:00+05:30', Call_Duration: '00:01' };
    const call = { Call_Type: 'Outbound', ...times, What_Id: lead, $se_module: 'Leads' };
    await send('POST', '/Calls', { body: { data: [call] } });
    expect(await bodies()).toHaveLength(2);
  });

  test.each([
    ['trigger: []', { trigger: [] }, true],
    ['notify_on_related_action: false', {}, false],
  ])('notifies no channel with %s', async (_, more, notify_on_related_action) => {
    await arm({ notify_on_related_action });
    await writeNote(more);
    expect(await bodies()).toEqual([]);
  });

  test('can update its lead’s Modified_Time', async () => {
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
