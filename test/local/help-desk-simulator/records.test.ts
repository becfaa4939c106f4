import { defaultOrganization } from '../../../local/simulators/help-desk/model.ts';
import { departmentId, errorsOf, fileForm, minimal, startHelpDesk, wav } from '../support/help-desk.ts';

const { ask, askAs, begin, control, created, end, moveClock, send } = await startHelpDesk();

beforeEach(begin);
afterAll(end);

describe('the search for contacts', () => {
  it('finds a number in every form of query, and shows it as it was typed', async () => {
    const id = await control.addContact({ lastName: 'Rao', mobile: '+91 98765 43210', phone: '080-1234 5678' });
    await control.addContact({ lastName: 'Nair', mobile: '+91 98765 43211' });
    for (const path of [
      '/search/contacts?searchStr=9876543210',
      '/search?module=contacts&searchStr=%2B919876543210',
      '/contacts/search?mobile=%2B919876543210',
      '/contacts/search?mobile=111,*9876543210',
      '/contacts/search?phone=08012345678',
      '/contacts/search?lastName=ra*',
      '/contacts/search?_all=*98765%2043210',
      '/contacts/search?_all=rao',
    ])
      expect([path, (await ask('GET', path)).json?.data]).toMatchObject([path, [{ id, mobile: '+91 98765 43210' }]]);
    expect((await ask('GET', '/search?module=contacts&searchStr=Rao')).json.count).toEqual({ contacts: 1 });
    expect((await ask('GET', '/contacts/search?mobile=*9876*')).json.count).toBe(2);
  });

  it('finds a number within a longer one only by searchStr, and no number by text', async () => {
    await control.addContact({ lastName: 'Long', mobile: '+1 9876543210 55' });
    expect((await ask('GET', '/search/contacts?searchStr=9876543210')).json.count).toBe(1);
    for (const path of ['/contacts/search?mobile=9876543210', '/contacts/search?mobile=Long*'])
      expect([path, (await ask('GET', path)).status]).toEqual([path, 204]);
  });

  it('finds contacts without a value, or with any value', async () => {
    const without = await control.addContact({ lastName: 'Rao' });
    const withPhone = await control.addContact({ lastName: 'Iyer', phone: '12345' });
    const search = async (pattern: string) =>
      (await ask('GET', `/contacts/search?phone=${encodeURIComponent(`\${${pattern}}`)}`)).json.data;
    expect(await search('empty')).toMatchObject([{ id: without }]);
    expect(await search('notempty')).toMatchObject([{ id: withPhone }]);
  });

  it('has pages, which begin at 0', async () => {
    for (const each of ['a', 'b', 'c']) await control.addContact({ lastName: `Page ${each}` });
    const page = await ask('GET', '/contacts/search?lastName=Page*&from=1&limit=1');
    expect(page.json).toMatchObject({ data: [{ lastName: 'Page b' }], count: 3 });
    expect(await ask('GET', '/contacts/search?lastName=Page*&from=3')).toMatchObject({ status: 204, json: undefined });
  });
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
  ['/tickets/search?createdTimeRange=2026-01-01', "'createdTimeRange'"],
  ['/tickets/search?createdTimeRange=2026-01-01T00:00:00%2B05:30,2026-01-02T00:00:00Z', "'createdTimeRange'"],
  ['/tickets/search?createdTimeRange=2026-01-02T00:00:00Z,2026-01-01T00:00:00Z', "'createdTimeRange'"],
  ['/tickets/search?sortBy=subject', "'sortBy'"],
  ['/tickets/search?colour=red', "Extra query parameter 'colour'"],
  ['/tickets/search?phone=98', "'phone'"],
])('a search refuses %s', async (path, text) => {
  const message = expect.stringContaining(text);
  expect(await ask('GET', path)).toMatchObject({ status: 422, json: { errorCode: 'UNPROCESSABLE_ENTITY', message } });
});

it.each<[string, string, object, string, 'missing' | 'invalid']>([
  ['a ticket without department', '', minimal({ departmentId: undefined }), '/departmentId', 'missing'],
  ['a ticket without subject', '', minimal({ subject: undefined }), '/subject', 'missing'],
  ['an empty subject', '', minimal({ subject: '' }), '/subject', 'invalid'],
  ['a subject of 256 characters', '', minimal({ subject: 'x'.repeat(256) }), '/subject', 'invalid'],
  ['a description of 65,536', '', minimal({ description: 'x'.repeat(65_536) }), '/description', 'invalid'],
  ['a ticket without contact', '', minimal({ contact: undefined }), '/contactId', 'missing'],
  ['a contact without name', '', minimal({ contact: { phone: '+919876543210' } }), '/contact/lastName', 'missing'],
  ['an unknown contact field', '', minimal({ contact: { lastName: 'x', a: 1 } }), '/contact/a', 'invalid'],
  ['a ticket with tags', '', minimal({ tags: ['modem'] }), '/tags', 'invalid'],
  ['an unknown field of a ticket', '', minimal({ colour: 'red' }), '/colour', 'invalid'],
  ['an unknown status', '', minimal({ status: 'Started' }), '/status', 'invalid'],
  ['an unknown channel', '', minimal({ channel: 'Smoke' }), '/channel', 'invalid'],
  ['an unknown classification', '', minimal({ classification: 'Whale' }), '/classification', 'invalid'],
  ['a custom field of 101', '', minimal({ cf: { cf_note: 'x'.repeat(101) } }), '/cf/cf_note', 'invalid'],
  ['a comment without content', '/{id}/comments', {}, '/content', 'missing'],
  ['a comment of 32,001 characters', '/{id}/comments', { content: 'x'.repeat(32_001) }, '/content', 'invalid'],
  ['another type', '/{id}/comments', { content: 'x', contentType: 'plaintext' }, '/contentType', 'invalid'],
  ['a word for a boolean', '/{id}/comments', { content: 'x', isPublic: 'false' }, '/isPublic', 'invalid'],
  ['an unknown field of a comment', '/{id}/comments', { content: 'x', colour: 'red' }, '/colour', 'invalid'],
  ['an empty list of tags', '/{id}/associateTag', { tags: [] }, '/tags', 'invalid'],
  ['52 tags', '/{id}/associateTag', { tags: Array.from({ length: 52 }, (_, i) => `tag-${i}`) }, '/tags', 'invalid'],
  ['a tag of 2 characters', '/{id}/associateTag', { tags: ['ab'] }, '/tags/0', 'invalid'],
  ['a tag of 51 characters', '/{id}/associateTag', { tags: ['good', 'x'.repeat(51)] }, '/tags/1', 'invalid'],
  ['a colon in a tag', '/{id}/associateTag', { tags: ['kind:modem'] }, '/tags/0', 'invalid'],
  ['a slash in a tag', '/{id}/associateTag', { tags: ['kind/modem'] }, '/tags/0', 'invalid'],
  ['the tag null', '/{id}/associateTag', { tags: ['null'] }, '/tags/0', 'invalid'],
])('a write refuses %s, names the field and changes nothing', async (_, path, body, fieldName, errorType) => {
  const { id } = await created();
  const before = [await control.listTickets(), await control.listContacts()];
  const refused = await ask('POST', `/tickets${path.replace('{id}', id)}`, { body });
  expect(errorsOf(refused)).toMatchObject([{ fieldName, errorType }]);
  expect([await control.listTickets(), await control.listContacts()]).toEqual(before);
});

it('a contact needs a last name, and has only documented fields', async () => {
  await askAs(['Desk.contacts.CREATE', 'Desk.contacts.READ']);
  expect(errorsOf(await ask('POST', '/contacts', { body: { mobile: '+919876543210', colour: 'red' } }))).toMatchObject([
    { fieldName: '/lastName', errorType: 'missing' },
    { fieldName: '/colour', errorType: 'invalid' },
  ]);
  const body = { lastName: 'Iyer', firstName: 'Anu', mobile: '+91 98765-43210' };
  const { id } = (await ask('POST', '/contacts', { body })).json;
  expect(id).toMatch(/^\d{16,18}$/);
  expect((await ask('GET', `/contacts/${id}`)).json).toMatchObject({ ...body, id, phone: null });
});

describe('a ticket', () => {
  it('has the vendor’s form', async () => {
    const assigneeId = defaultOrganization.agents[0]?.id;
    const ticket = await created({ description: 'No light.', phone: '+919876543210', assigneeId });
    expect(ticket).toMatchObject({ ticketNumber: '101', status: 'Open', statusType: 'Open', closedTime: null });
    expect(ticket).not.toHaveProperty('tags');
    expect(ticket.id).toMatch(/^\d{16,18}$/);
    expect(ticket.createdTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect((await ask('GET', `/tickets/${ticket.id}`)).json).toEqual(ticket);
    expect((await ask('GET', `/tickets/${ticket.id}?include=contacts,assignee`)).json).toMatchObject({
      contact: { lastName: 'Iyer' },
      assignee: { firstName: 'Meera' },
    });
  });

  it('reuses the contact with its e-mail address', async () => {
    const id = await control.addContact({ lastName: 'Rao', email: 'rao@example.com' });
    expect((await created({ contact: { email: 'RAO@example.com' } })).contactId).toBe(id);
  });

  it('has the portal’s own statuses, of three types', async () => {
    await control.settings({ statuses: { Open: 'Open', 'With vendor': 'On Hold', Solved: 'Closed' } });
    const { id } = await created();
    const held = await ask('PATCH', `/tickets/${id}`, { body: { status: 'With vendor', priority: 'Low' } });
    expect(held.json).toMatchObject({ statusType: 'On Hold', priority: 'Low', closedTime: null });
    await control.setStatus(id, 'Solved');
    const { json } = await ask('GET', `/tickets/${id}`);
    expect(json).toMatchObject({ status: 'Solved', statusType: 'Closed', closedTime: json.modifiedTime });
    const refused = await ask('PATCH', `/tickets/${id}`, { body: { status: 'Started', contactId: '1' } });
    expect(errorsOf(refused)).toMatchObject([{ fieldName: '/status' }, { fieldName: '/contactId' }]);
  });
});

describe('the search for tickets', () => {
  it('finds by all parameters together, and shows no description', async () => {
    const { id, contactId, createdTime } = await created({ description: 'No light.', phone: '+919876543210' });
    await created({ contact: { lastName: 'Other' } });
    const at = Date.parse(createdTime);
    const range = (from: number, to: number) => [from, to].map((ms) => new Date(ms).toISOString()).join(',');
    const search = async (query: string) => (await ask('GET', `/tickets/search?${query}`)).json;
    const found = await search(`contactId=${contactId}&createdTimeRange=${range(at, at)}`);
    expect(found).toMatchObject({ count: 1, data: [{ id, contactId, phone: '+919876543210', createdTime }] });
    expect(found.data[0]).not.toHaveProperty('description');
    expect(await search(`contactId=${contactId}&createdTimeRange=${range(at + 1, at + 9)}`)).toBeUndefined();
    expect((await search('phone=*9876543210&status=open,closed')).count).toBe(1);
    expect((await search(`departmentId=${departmentId}&limit=1`)).count).toBe(2);
  });

  it('sorts by a time, in both directions', async () => {
    const first = await created({ subject: 'first' });
    moveClock(10);
    await created({ subject: 'second' });
    const subjects = async (sortBy: string) =>
      (await ask('GET', `/tickets/search?sortBy=${sortBy}`)).json.data.map((row: { subject: string }) => row.subject);
    expect(await subjects('createdTime')).toEqual(['first', 'second']);
    expect(await subjects('-createdTime')).toEqual(['second', 'first']);
    moveClock(20);
    await control.changeTicket(first.id, { priority: 'Low' });
    expect(await subjects('modifiedTime')).toEqual(['second', 'first']);
  });

  it('begins at position 0, as lists do with the newest ticket', async () => {
    const first = await created();
    const second = await created({ contact: undefined, contactId: first.contactId });
    for (const path of ['/tickets', `/contacts/${first.contactId}/tickets`]) {
      expect((await ask('GET', path)).json.data).toMatchObject([{ id: second.id }, { id: first.id }]);
      expect((await ask('GET', `${path}?from=1&limit=1`)).json.data).toMatchObject([{ id: first.id }]);
      expect((await ask('GET', `${path}?from=2`)).status).toBe(204);
    }
  });
});

describe('an attachment', () => {
  it('has a name with any characters and a size, and is listed', async () => {
    const path = `/tickets/${(await created()).id}/attachments`;
    const answer = await ask('POST', `${path}?isPublic=false`, { form: fileForm('Anruf – 1.wav') });
    expect(answer).toMatchObject({ status: 200, json: { name: 'Anruf – 1.wav', size: '100', isPublic: false } });
    expect((await ask('GET', path)).json.data).toEqual([answer.json]);
  });

  it('is refused with another part, another name, a long name, and without a form', async () => {
    const { id } = await created();
    const path = `/tickets/${id}/attachments`;
    const both = fileForm('a.wav');
    both.set('isPublic', 'false');
    const fieldOf = async (form: FormData) => errorsOf(await ask('POST', path, { form }));
    expect(await fieldOf(both)).toMatchObject([{ fieldName: '/isPublic' }]);
    expect(await fieldOf(fileForm('a.wav', wav(9), 'recording'))).toMatchObject([{ fieldName: '/recording' }]);
    expect(await fieldOf(fileForm(`${'x'.repeat(97)}.wav`))).toMatchObject([{ fieldName: '/file' }]);
    expect((await ask('POST', path, { body: {} })).json).toMatchObject({ errorCode: 'UNSUPPORTED_MEDIA_TYPE' });
    expect((await ask('POST', `${path}?isPublic=no`, { form: fileForm('a.wav') })).status).toBe(422);
    expect((await control.ticket(id))?.attachments).toEqual([]);
  });

  it.each([
    ['at the limit', 1000, 200],
    ['one byte above it', 1001, 413],
  ])('%s has %i bytes and is answered %i', async (_, size, status) => {
    await control.settings({ attachmentBytes: 1000 });
    const path = `/tickets/${(await created()).id}/attachments`;
    expect((await send('POST', path, { form: fileForm('a.wav', wav(size)) })).status).toBe(status);
  });
});

it('comments are public HTML by default, counted in the ticket and listed', async () => {
  const { id } = await created();
  await ask('POST', `/tickets/${id}/comments`, { body: { content: 'x'.repeat(32_000) } });
  expect((await ask('GET', `/tickets/${id}/comments`)).json.data).toMatchObject([
    { isPublic: true, contentType: 'html' },
  ]);
  expect((await ask('GET', `/tickets/${id}`)).json.commentCount).toBe('1');
});

it('tags are counted in the ticket and listed', async () => {
  const { id } = await created();
  const tags = ['voice call', 'नमस्ते', 'a_1.b-c+d%'];
  await ask('POST', `/tickets/${id}/associateTag`, { body: { tags } });
  expect((await ask('GET', `/tickets/${id}`)).json.tagCount).toBe('3');
  expect((await ask('GET', `/tickets/${id}/tags`)).json.data).toMatchObject(tags.map((name) => ({ name })));
});
