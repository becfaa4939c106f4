import { setTimeout as sleep } from 'node:timers/promises';
import { defaultOrganization } from '../../local/simulators/help-desk/model.ts';
import {
  ask,
  askAs,
  begin,
  control,
  created,
  crmB,
  departmentId,
  end,
  fileForm,
  minimal,
  orgId,
  scopes,
  send,
  wav,
} from './support/help-desk.ts';

/** What 422 INVALID_DATA complains about. */
const complaints = ({ status, json }: { status: number; json: { errorCode: string; errors: unknown[] } }) => {
  expect({ status, errorCode: json.errorCode }).toEqual({ status: 422, errorCode: 'INVALID_DATA' });
  return json.errors;
};

/** Times are whole seconds: what is made after this is later by one at least. */
const untilNextSecond = async (time: string) => {
  while (Date.now() < Date.parse(time) + 1000) await sleep(20);
};

beforeEach(begin);
afterAll(end);

describe('who may ask', () => {
  it.each([
    ['no token', { authorization: '' }, 401, 'UNAUTHORIZED'],
    ['a token nobody issued', { authorization: 'Zoho-oauthtoken 1000.a.b' }, 401, 'INVALID_OAUTH'],
    ['another prefix', { authorization: 'Bearer 1000.a.b' }, 401, 'INVALID_OAUTH'],
  ])('is nobody with %s', async (_, headers, status, errorCode) => {
    expect(await ask('GET', '/tickets/1', { headers })).toMatchObject({ status, json: { errorCode } });
  });

  it('is nobody any more once the token is revoked or expired', async () => {
    const token = await askAs(scopes);
    expect((await ask('GET', '/departments')).status).toBe(200);
    await crmB.revoke(token);
    expect(await ask('GET', '/departments')).toMatchObject({ status: 401, json: { errorCode: 'INVALID_OAUTH' } });
    await crmB.settings({ accessTokenSeconds: 0 });
    await askAs(scopes);
    expect((await ask('GET', '/departments')).status).toBe(401);
  });

  it.each([
    ['HB', 200],
    ['Desk', 200],
    ['ZohoCRM.modules', 403],
  ])('has scopes that begin with %s', async (prefix, status) => {
    await askAs(prefix === 'ZohoCRM.modules' ? ['ZohoCRM.modules.ALL'] : [`${prefix}.basic.READ`]);
    expect((await ask('GET', '/departments')).status).toBe(status);
  });

  it('may with the interface’s scopes make no contacts', async () => {
    const refused = await ask('POST', '/contacts', { body: { lastName: 'Iyer' } });
    expect(refused).toMatchObject({ status: 403, json: { errorCode: 'SCOPE_MISMATCH' } });
    expect(await control.listContacts()).toEqual([]);
    await askAs(['Desk.contacts.CREATE']);
    expect((await ask('POST', '/contacts', { body: { lastName: 'Iyer' } })).status).toBe(200);
  });

  it.each([
    ['POST', '/tickets', 'tickets.READ'],
    ['POST', '/tickets/1/comments', 'tickets.CREATE'],
    ['POST', '/tickets/1/attachments', 'tickets.CREATE'],
    ['POST', '/tickets/1/associateTag', 'tickets.UPDATE'],
    ['GET', '/tickets/search', 'tickets.READ'],
    ['GET', '/contacts/search', 'contacts.READ'],
  ])('may not %s %s with %s alone', async (method, path, scope) => {
    await askAs([`Desk.${scope}`]);
    expect((await ask(method, path)).json).toMatchObject({ errorCode: 'SCOPE_MISMATCH' });
  });
});

describe('the organization', () => {
  it('is needed as a header or in the query, on everything but the list of organizations', async () => {
    expect(await ask('GET', '/departments', { headers: { orgId: '' } })).toMatchObject({
      status: 400,
      json: { errorCode: 'BAD_REQUEST' },
    });
    expect((await ask('GET', `/departments?orgId=${orgId}`, { headers: { orgId: '' } })).status).toBe(200);
    expect(await ask('GET', '/organizations', { headers: { orgId: '' } })).toMatchObject({
      status: 200,
      json: { data: [{ id: orgId, companyName: defaultOrganization.companyName }] },
    });
  });

  it('has to be one of the user’s', async () => {
    const mismatch = { status: 403, json: { errorCode: 'OAUTH_ORG_MISMATCH' } };
    expect(await ask('GET', '/departments', { headers: { orgId: '999' } })).toMatchObject(mismatch);
    await crmB.user('777', { name: 'Else Where', email: 'else@example.com', org: 'other' });
    await control.organization('61', { companyName: 'One', users: ['777'] });
    await control.organization('62', { companyName: 'Two', users: ['777'], isAccessible: false });
    expect(await ask('GET', '/departments', { headers: { orgId: '61' } })).toMatchObject(mismatch);
    await askAs(scopes, '777');
    expect((await ask('GET', '/departments', { headers: { orgId: '61' } })).status).toBe(200);
    expect(await ask('GET', '/departments', { headers: { orgId: '62' } })).toMatchObject(mismatch);
    expect(await ask('GET', '/departments')).toMatchObject(mismatch);
    expect((await ask('GET', '/organizations')).json.data).toMatchObject([{ id: '61' }, { id: '62' }]);
    expect((await ask('GET', '/accessibleOrganizations')).json.data).toMatchObject([{ id: '61' }]);
    await control.settings({ organizationIdsAs: 'numbers' });
    expect((await ask('GET', '/accessibleOrganizations')).json.data).toMatchObject([{ id: 61 }]);
  });

  it('sees its own contacts and tickets alone', async () => {
    const { id, contactId } = await created();
    await control.organization('61');
    const elsewhere = { headers: { orgId: '61' } };
    expect((await ask('GET', `/tickets/${id}`, elsewhere)).json).toMatchObject({ errorCode: 'URL_NOT_FOUND' });
    expect((await ask('GET', `/contacts/${contactId}`, elsewhere)).status).toBe(404);
    expect((await ask('GET', '/tickets/search', elsewhere)).status).toBe(204);
    expect((await ask('GET', '/search/contacts?searchStr=Iyer', elsewhere)).status).toBe(204);
    const body = { departmentId, contactId, subject: 'x' };
    expect(complaints(await ask('POST', '/tickets', { ...elsewhere, body }))).toMatchObject([
      { fieldName: '/contactId', errorType: 'invalid' },
    ]);
  });
});

describe('contacts', () => {
  it('are found by their number in every way of asking, as they were typed', async () => {
    const id = await control.addContact({ lastName: 'Rao', mobile: '+91 98765 43210', phone: '080-1234 5678' });
    await control.addContact({ lastName: 'Nair', mobile: '+91 98765 43211' });
    for (const path of [
      '/search/contacts?searchStr=%2B919876543210',
      '/search/contacts?searchStr=9876543210',
      '/search?module=contacts&searchStr=%2B919876543210',
      '/contacts/search?mobile=%2B919876543210',
      '/contacts/search?mobile=*9876543210',
      '/contacts/search?mobile=111,*9876543210',
      '/contacts/search?phone=08012345678',
      '/contacts/search?lastName=ra*',
      '/contacts/search?_all=*98765%2043210',
      '/contacts/search?_all=*9876543210*',
      '/contacts/search?_all=rao',
    ])
      expect([path, (await ask('GET', path)).json?.data]).toMatchObject([path, [{ id, mobile: '+91 98765 43210' }]]);
    expect((await ask('GET', '/search?module=contacts&searchStr=Rao')).json.count).toEqual({ contacts: 1 });
    expect((await ask('GET', '/contacts/search?mobile=*9876*')).json.count).toBe(2);
  });

  it('may hold the number in a longer one: whoever looks has to compare', async () => {
    await control.addContact({ lastName: 'Long', mobile: '+1 9876543210 55' });
    expect((await ask('GET', '/search/contacts?searchStr=9876543210')).json.count).toBe(1);
    expect((await ask('GET', '/contacts/search?mobile=9876543210')).status).toBe(204);
  });

  it('are none: 204 without a body', async () => {
    for (const path of ['/search/contacts?searchStr=9876543210', '/contacts/search?phone=9876543210']) {
      const { status, json } = await ask('GET', path);
      expect([path, status, json]).toEqual([path, 204, undefined]);
    }
  });

  it('are not found by a text in the place of a number', async () => {
    await control.addContact({ lastName: 'Rao', mobile: '+91 98765 43210' });
    for (const path of [
      '/contacts/search?mobile=Rao*',
      '/contacts/search?_all=*Iyer*',
      '/search/contacts?searchStr=Iyer',
    ])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 204]);
  });

  it('are found at the vendor’s own path alone on demand', async () => {
    await control.settings({ knowsSearchContacts: false });
    await control.addContact({ lastName: 'Rao' });
    expect((await ask('GET', '/search/contacts?searchStr=Rao')).json).toMatchObject({ errorCode: 'URL_NOT_FOUND' });
    expect((await ask('GET', '/contacts/search?_all=*Rao*')).status).toBe(200);
  });

  it('are found without a value, or with any', async () => {
    const none = await control.addContact({ lastName: 'Rao' });
    const some = await control.addContact({ lastName: 'Iyer', phone: '12345' });
    const { empty, any } = { empty: encodeURIComponent('$' + '{empty}'), any: encodeURIComponent('$' + '{notempty}') };
    expect((await ask('GET', `/contacts/search?phone=${empty}`)).json.data).toMatchObject([{ id: none }]);
    expect((await ask('GET', `/contacts/search?phone=${any}`)).json.data).toMatchObject([{ id: some }]);
  });

  it('are compared by their characters on demand', async () => {
    await control.settings({ phonesBy: 'characters' });
    await control.addContact({ lastName: 'Rao', mobile: '+91 98765 43210' });
    expect((await ask('GET', '/search/contacts?searchStr=%2B919876543210')).status).toBe(204);
    expect((await ask('GET', '/contacts/search?mobile=%2B91%2098765%2043210')).status).toBe(200);
  });

  it('come in pages, which begin at 0', async () => {
    for (const each of ['a', 'b', 'c']) await control.addContact({ lastName: `Page ${each}` });
    const page = await ask('GET', '/contacts/search?lastName=Page*&from=1&limit=1');
    expect(page.json).toMatchObject({ data: [{ lastName: 'Page b' }], count: 3 });
    expect((await ask('GET', '/contacts/search?lastName=Page*&from=3')).status).toBe(204);
  });

  it.each([
    ['/contacts/search?phone=98', "'phone'"],
    ['/contacts/search?phone=98765,1', "'phone'"],
    ['/search/contacts?searchStr=98', "'searchStr'"],
    ['/search?searchStr=98765', "'module'"],
    ['/contacts/search?limit=101', "'limit'"],
    ['/contacts/search?from=-1', "'from'"],
    ['/contacts/search?sortBy=colour', "'sortBy'"],
    ['/contacts/search?colour=red', "Extra query parameter 'colour'"],
  ])('are not searched by %s', async (path, text) => {
    const { status, json } = await ask('GET', path);
    expect([status, json.errorCode]).toEqual([422, 'UNPROCESSABLE_ENTITY']);
    expect(json.message).toContain(text);
  });

  it('need a last name, and have no other fields than the documented', async () => {
    await askAs(['Desk.contacts.CREATE', 'Desk.contacts.READ']);
    expect(complaints(await ask('POST', '/contacts', { body: { mobile: '+919876543210', colour: 'red' } }))).toEqual([
      expect.objectContaining({ fieldName: '/lastName', errorType: 'missing' }),
      expect.objectContaining({ fieldName: '/colour', errorType: 'invalid' }),
    ]);
    const body = { lastName: 'Iyer', firstName: 'Anu', mobile: '+91 98765-43210' };
    const { id } = (await ask('POST', '/contacts', { body })).json;
    expect(id).toMatch(/^\d{16,18}$/);
    expect((await ask('GET', `/contacts/${id}`)).json).toMatchObject({ ...body, id, phone: null });
  });
});

describe('a ticket', () => {
  it('is made with what it needs, and read again', async () => {
    const fields = {
      description: 'No light.',
      status: 'Open',
      channel: 'Phone',
      phone: '+919876543210',
      priority: 'High',
      classification: 'Problem',
      assigneeId: defaultOrganization.agents[0]?.id,
    };
    const ticket = await created(fields);
    expect(ticket).toMatchObject({ ...fields, ticketNumber: '101', statusType: 'Open', closedTime: null });
    expect(ticket).not.toHaveProperty('tags');
    expect(ticket.id).toMatch(/^\d{16,18}$/);
    expect(ticket.createdTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect((await ask('GET', `/tickets/${ticket.id}`)).json).toEqual(ticket);
    expect(await control.listTickets({ phone: '+919876543210' })).toMatchObject([
      { id: ticket.id, request: { method: 'POST', path: '/api/v1/tickets', orgId } },
    ]);
    const page = (await ask('GET', `/tickets/${ticket.id}?include=contacts,assignee`)).json;
    expect(page).toMatchObject({ contact: { lastName: 'Iyer' }, assignee: { firstName: 'Meera' } });
  });

  it('is told to tests by its number, contact and organization', async () => {
    const { id, contactId } = await created({ phone: '+919876543210' });
    await created({ phone: '+919876500000', contact: { lastName: 'Rao' } });
    const ids = async (where: Parameters<typeof control.listTickets>[0]) =>
      (await control.listTickets(where)).map((ticket) => ticket.id);
    expect(await ids({ phone: '+919876543210' })).toEqual([id]);
    expect(await ids({ contactId })).toEqual([id]);
    expect(await ids({ contactId, phone: '+919876500000' })).toEqual([]);
    expect(await ids({ orgId })).toHaveLength(2);
    expect(await ids({ orgId: '61' })).toEqual([]);
    expect(await control.ticket('1')).toBeUndefined();
  });

  it('takes a contact along, or one there is', async () => {
    const { contactId } = await created();
    expect((await control.listContacts()).map(({ id, phone }) => [id, phone])).toEqual([[contactId, '+919876543210']]);
    const second = await created({ contact: undefined, contactId });
    expect(second.contactId).toBe(contactId);
    expect(await control.listContacts()).toHaveLength(1);
  });

  it('finds the contact that comes along by its e-mail address', async () => {
    const id = await control.addContact({ lastName: 'Rao', email: 'rao@example.com' });
    expect((await created({ contact: { email: 'RAO@example.com' } })).contactId).toBe(id);
  });

  it.each([
    ['no department', { departmentId: undefined }, '/departmentId', 'missing'],
    ['a department of others', { departmentId: '123' }, '/departmentId', 'invalid'],
    ['no subject', { subject: undefined }, '/subject', 'missing'],
    ['an empty subject', { subject: '' }, '/subject', 'invalid'],
    ['a subject of 256 characters', { subject: 'x'.repeat(256) }, '/subject', 'invalid'],
    ['a description of 65,536 characters', { description: 'x'.repeat(65_536) }, '/description', 'invalid'],
    ['no contact', { contact: undefined }, '/contactId', 'missing'],
    ['a contact there is none of', { contact: undefined, contactId: '1' }, '/contactId', 'invalid'],
    ['a contact without a name', { contact: { phone: '+919876543210' } }, '/contact/lastName', 'missing'],
    ['more in the contact', { contact: { lastName: 'x', colour: 'red' } }, '/contact/colour', 'invalid'],
    ['tags', { tags: ['modem'] }, '/tags', 'invalid'],
    ['an unknown field', { colour: 'red' }, '/colour', 'invalid'],
    ['an unknown status', { status: 'Started' }, '/status', 'invalid'],
    ['an unknown channel', { channel: 'Smoke' }, '/channel', 'invalid'],
    ['an unknown priority', { priority: 'Urgent' }, '/priority', 'invalid'],
    ['an unknown classification', { classification: 'Whale' }, '/classification', 'invalid'],
    ['an unknown agent', { assigneeId: '5' }, '/assigneeId', 'invalid'],
    ['a custom field of 101 characters', { cf: { cf_note: 'x'.repeat(101) } }, '/cf/cf_note', 'invalid'],
  ])('is refused with %s', async (_, more, fieldName, errorType) => {
    const refused = await ask('POST', '/tickets', { body: minimal(more) });
    expect(complaints(refused)).toEqual([expect.objectContaining({ fieldName, errorType })]);
    expect(await control.listTickets()).toEqual([]);
    expect(await control.listContacts()).toEqual([]);
  });

  it('has the portal’s own statuses, of three types', async () => {
    await control.settings({ statuses: { Open: 'Open', 'With vendor': 'On Hold', Solved: 'Closed' } });
    const { id } = await created();
    const held = await ask('PATCH', `/tickets/${id}`, { body: { status: 'With vendor', priority: 'Low' } });
    expect(held.json).toMatchObject({ statusType: 'On Hold', priority: 'Low', closedTime: null });
    await control.setStatus(id, 'Solved');
    const { json } = await ask('GET', `/tickets/${id}`);
    expect(json).toMatchObject({ status: 'Solved', statusType: 'Closed', closedTime: json.modifiedTime });
  });

  it('is changed, but not to what the portal does not have', async () => {
    const { id } = await created();
    const refused = await ask('PATCH', `/tickets/${id}`, { body: { status: 'Started', contactId: '1' } });
    expect(complaints(refused)).toMatchObject([{ fieldName: '/status' }, { fieldName: '/contactId' }]);
    expect((await control.ticket(id))?.status).toBe('Open');
  });

  it('is a 404 where there is none', async () => {
    const { id } = await created();
    await control.deleteTicket(id);
    for (const path of [`/tickets/${id}`, '/tickets/new', '/nothing'])
      expect((await ask('GET', path)).json).toMatchObject({ errorCode: 'URL_NOT_FOUND' });
    expect((await ask('PUT', `/tickets/${id}`)).json).toMatchObject({ errorCode: 'METHOD_NOT_ALLOWED' });
  });

  it.each([
    ['nothing', '', 'application/json', 422, 'EMPTY_PAYLOAD'],
    ['a list', '[]', 'application/json', 400, 'BAD_REQUEST'],
    ['half a body', '{"subject":', 'application/json', 400, 'BAD_REQUEST'],
    ['a form', 'subject=x', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('is not made of %s', async (_, body, type, status, errorCode) => {
    const response = await ask('POST', '/tickets', { headers: { 'content-type': type }, body });
    expect(response).toMatchObject({ status, json: { errorCode } });
  });
});

describe('the search for tickets', () => {
  it('finds by contact and created time, without what a list leaves out', async () => {
    const { id, contactId, createdTime } = await created({ description: 'No light.', phone: '+919876543210' });
    await created({ contact: { lastName: 'Other' } });
    const at = Date.parse(createdTime);
    const range = (from: number, to: number) => [from, to].map((ms) => new Date(ms).toISOString()).join(',');
    const found = await ask('GET', `/tickets/search?contactId=${contactId}&createdTimeRange=${range(at, at)}`);
    expect(found.json).toMatchObject({ count: 1, data: [{ id, contactId, phone: '+919876543210', createdTime }] });
    expect(found.json.data[0]).not.toHaveProperty('description');
    const later = `/tickets/search?contactId=${contactId}&createdTimeRange=${range(at + 1, at + 9)}`;
    expect(await ask('GET', later)).toMatchObject({ status: 204, json: undefined });
    expect((await ask('GET', '/tickets/search?phone=*9876543210&status=open,closed')).json.count).toBe(1);
    expect((await ask('GET', `/tickets/search?departmentId=${departmentId}&limit=1`)).json.count).toBe(2);
    expect((await ask('GET', '/tickets/search?departmentId=1')).status).toBe(204);
  });

  it.each([
    'createdTimeRange=2026-01-01',
    'createdTimeRange=2026-01-01T00:00:00+05:30,2026-01-02T00:00:00Z',
    'createdTimeRange=2026-01-02T00:00:00Z,2026-01-01T00:00:00Z',
    'sortBy=subject',
    'colour=red',
    'phone=98',
  ])('refuses %s', async (query) => {
    expect((await ask('GET', `/tickets/search?${query.replaceAll('+', '%2B')}`)).status).toBe(422);
  });

  it('sorts by a time, either way', async () => {
    const first = await created({ subject: 'first' });
    await untilNextSecond(first.createdTime);
    await created({ subject: 'second' });
    const subjects = async (sortBy: string) =>
      (await ask('GET', `/tickets/search?sortBy=${sortBy}`)).json.data.map((row: { subject: string }) => row.subject);
    expect(await subjects('createdTime')).toEqual(['first', 'second']);
    expect(await subjects('-createdTime')).toEqual(['second', 'first']);
    await untilNextSecond((await ask('GET', '/tickets')).json.data[0].createdTime);
    await control.changeTicket(first.id, { priority: 'Low' });
    expect(await subjects('modifiedTime')).toEqual(['second', 'first']);
  });

  it('lags behind on demand, for contacts too; lists do not', async () => {
    await control.settings({ searchDelaySeconds: 3600 });
    const { id, contactId } = await created();
    expect((await ask('GET', `/tickets/search?contactId=${contactId}`)).status).toBe(204);
    expect((await ask('GET', '/search/contacts?searchStr=Iyer')).status).toBe(204);
    expect((await ask('GET', `/contacts/${contactId}/tickets`)).json.data).toMatchObject([{ id }]);
    expect((await ask('GET', `/tickets/${id}`)).status).toBe(200);
    await control.settings({ searchDelaySeconds: 0 });
    expect((await ask('GET', `/tickets/search?contactId=${contactId}`)).status).toBe(200);
  });

  it('is not the list, which begins at 1, newest first', async () => {
    const first = await created();
    const second = await created({ contact: undefined, contactId: first.contactId });
    for (const path of ['/tickets', `/contacts/${first.contactId}/tickets`]) {
      expect((await ask('GET', path)).json.data).toMatchObject([{ id: second.id }, { id: first.id }]);
      expect((await ask('GET', `${path}?from=2&limit=1`)).json.data).toMatchObject([{ id: first.id }]);
      expect((await ask('GET', `${path}?from=3`)).status).toBe(204);
    }
  });
});

describe('an attachment', () => {
  it('is one part named file; its visibility stands in the query', async () => {
    const { id } = await created();
    const answer = await ask('POST', `/tickets/${id}/attachments?isPublic=false`, { form: fileForm('Anruf – 1.wav') });
    expect(answer).toMatchObject({ status: 200, json: { name: 'Anruf – 1.wav', size: '100', isPublic: false } });
    expect((await control.ticket(id))?.attachments).toMatchObject([
      { name: 'Anruf – 1.wav', size: 100, head: expect.stringMatching(/^RIFF/) },
    ]);
    expect((await ask('GET', `/tickets/${id}/attachments`)).json.data).toEqual([answer.json]);
    const content = await send('GET', new URL(answer.json.href).pathname.slice('/api/v1'.length));
    expect(Buffer.from(await content.arrayBuffer())).toEqual(wav(100));
    await control.settings({ attachmentStatus: 201 });
    expect((await ask('POST', `/tickets/${id}/attachments`, { form: fileForm('b.wav') })).status).toBe(201);
  });

  it('is refused with another part, another name, a long name, and no form at all', async () => {
    const { id } = await created();
    const path = `/tickets/${id}/attachments`;
    const both = fileForm('a.wav');
    both.set('isPublic', 'false');
    expect(complaints(await ask('POST', path, { form: both }))).toMatchObject([{ fieldName: '/isPublic' }]);
    const other = fileForm('a.wav', wav(9), 'recording');
    expect(complaints(await ask('POST', path, { form: other }))).toMatchObject([{ fieldName: '/recording' }]);
    const long = fileForm(`${'x'.repeat(97)}.wav`);
    expect(complaints(await ask('POST', path, { form: long }))).toMatchObject([{ fieldName: '/file' }]);
    expect((await ask('POST', path, { body: {} })).json).toMatchObject({ errorCode: 'UNSUPPORTED_MEDIA_TYPE' });
    expect((await ask('POST', `${path}?isPublic=no`, { form: fileForm('a.wav') })).status).toBe(422);
    expect((await ask('POST', '/tickets/1/attachments', { form: fileForm('a.wav') })).status).toBe(404);
    expect((await control.ticket(id))?.attachments).toEqual([]);
  });

  it.each([
    ['its limit', 1000, 200],
    ['one byte more', 1001, 413],
    ['far more', 200_000, 413],
  ])('of %s', async (_, size, status) => {
    await control.settings({ attachmentBytes: 1000 });
    const { id } = await created();
    const answer = await ask('POST', `/tickets/${id}/attachments`, { form: fileForm('a.wav', wav(size)) });
    expect(answer.status).toBe(status);
    if (status === 413) expect(answer.json.errorCode).toBe('RESOURCE_SIZE_EXCEEDED');
    expect((await control.ticket(id))?.attachments).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe('a comment', () => {
  it('is internal plain text where it says so, and public HTML where it says nothing', async () => {
    const { id } = await created();
    const path = `/tickets/${id}/comments`;
    const said = { content: 'Caller: <hello>', isPublic: false, contentType: 'plainText' };
    const answer = await ask('POST', path, { body: said });
    expect(answer).toMatchObject({ status: 200, json: { ...said, commentedTime: expect.any(String) } });
    await ask('POST', path, { body: { content: 'x' } });
    expect((await control.ticket(id))?.comments).toMatchObject([said, { isPublic: true, contentType: 'html' }]);
    expect((await ask('GET', path)).json.data).toHaveLength(2);
    expect((await ask('GET', `/tickets/${id}`)).json.commentCount).toBe('2');
  });

  it.each([
    ['no content', {}, '/content', 'missing'],
    ['32,001 characters', { content: 'x'.repeat(32_001) }, '/content', 'invalid'],
    ['another type', { content: 'x', contentType: 'plaintext' }, '/contentType', 'invalid'],
    ['a word for a boolean', { content: 'x', isPublic: 'false' }, '/isPublic', 'invalid'],
    ['an unknown field', { content: 'x', colour: 'red' }, '/colour', 'invalid'],
  ])('is refused with %s', async (_, body, fieldName, errorType) => {
    const { id } = await created();
    expect(complaints(await ask('POST', `/tickets/${id}/comments`, { body }))).toMatchObject([
      { fieldName, errorType },
    ]);
    expect((await control.ticket(id))?.comments).toEqual([]);
  });

  it('may have 32,000 characters', async () => {
    const { id } = await created();
    expect((await ask('POST', `/tickets/${id}/comments`, { body: { content: 'x'.repeat(32_000) } })).status).toBe(200);
  });
});

describe('tags', () => {
  it('are associated by name, once each', async () => {
    const { id } = await created();
    const path = `/tickets/${id}/associateTag`;
    const tags = ['voice call', 'नमस्ते', 'a_1.b-c+d%'];
    expect((await ask('POST', path, { body: { tags } })).status).toBe(200);
    await ask('POST', path, { body: { tags: tags.slice(0, 1) } });
    expect((await control.ticket(id))?.tags).toEqual(tags);
    expect((await ask('GET', `/tickets/${id}`)).json.tagCount).toBe('3');
    expect((await ask('GET', `/tickets/${id}/tags`)).json.data).toMatchObject(tags.map((name) => ({ name })));
  });

  it.each([
    ['none', [], '/tags'],
    ['52', Array.from({ length: 52 }, (_, index) => `tag-${index}`), '/tags'],
    ['2 characters', ['ab'], '/tags/0'],
    ['51 characters', ['good', 'x'.repeat(51)], '/tags/1'],
    ['a colon', ['kind:modem'], '/tags/0'],
    ['a slash', ['kind/modem'], '/tags/0'],
    ['null', ['null'], '/tags/0'],
  ])('are refused: %s', async (_, tags, fieldName) => {
    const { id } = await created();
    const refused = await ask('POST', `/tickets/${id}/associateTag`, { body: { tags } });
    expect(complaints(refused)).toMatchObject([{ fieldName, errorType: 'invalid' }]);
    expect((await control.ticket(id))?.tags).toEqual([]);
  });

  it('can be those of the portal alone', async () => {
    await control.settings({ allowedTags: ['modem'] });
    const { id } = await created();
    const refused = await ask('POST', `/tickets/${id}/associateTag`, { body: { tags: ['modem', 'router'] } });
    expect(complaints(refused)).toMatchObject([{ fieldName: '/tags/1' }]);
    expect((await ask('POST', `/tickets/${id}/associateTag`, { body: { tags: ['modem'] } })).status).toBe(200);
  });
});
