import {
  contactFields,
  ticketFields,
  transcriptComment,
} from '../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import { helpDeskFollowUps, MAX_ATTACHMENT_BYTES } from '../../shared/integrations/help-desk/follow-ups.ts';
import type { HelpDeskAccess } from '../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import {
  api,
  bytes,
  createdTicket,
  departmentId,
  fields,
  fileOf,
  orgId,
  PHONE,
  scopes,
  startHelpDesk,
} from './support/help-desk.ts';

const { begin, control, granted, simulator } = await startHelpDesk();

const tickets = helpDeskTickets(api);
const followUps = helpDeskFollowUps(api);
const search = '/api/v1/tickets/search';

let access: HelpDeskAccess;
let contactId: string;

beforeEach(async () => {
  access = await begin();
  contactId = await control.addContact({ lastName: 'Rao', phone: PHONE });
});
afterAll(() => simulator.stop());

const aTicket = () => createdTicket(access, fields, { contactId });
const aTicketWithItsContact = () => createdTicket(access, fields, { contact: contactFields('', PHONE) });

/** Looks up a ticket with `fields` that was created just now. */
const find = (more: object = {}, client = tickets) =>
  client.find(access, { ...fields, contactId, requestedAt: new Date(), ...more });

describe('a ticket', () => {
  it('has the documented fields and no tags', async () => {
    const written = await tickets.create(access, fields, { contactId });
    const [found] = await control.listTickets();
    const body = { ...fields, contactId, status: 'Open', channel: 'Phone' };
    expect(written).toEqual({ kind: 'written', id: found?.id, contactId });
    expect(found).toMatchObject({ ...body, tags: [] });
    expect(await control.requests('POST /api/v1/tickets')).toMatchObject([{ body, orgId }]);
  });

  it('creates its contact if none exists', async () => {
    const contact = contactFields('Asha Devi Iyer', '+919812300000');
    const written = await tickets.create(access, fields, { contact });
    const [, created] = await control.listContacts();
    expect(created).toMatchObject({ firstName: 'Asha Devi', lastName: 'Iyer', phone: '+919812300000' });
    expect(written).toMatchObject({ kind: 'written', contactId: created?.id });
  });

  it('is created although the help desk takes no phone of a contact within a ticket', async () => {
    await control.settings({ takesPhoneOfInlineContact: false });
    const contact = contactFields('Meera Nair', PHONE);
    const written = await tickets.create(access, fields, { contact });
    const created = await control.ticket(written.kind === 'written' ? written.id : '');
    expect([written, created]).toMatchObject([{ kind: 'written' }, { phone: PHONE }]);
    expect(await control.listTickets()).toHaveLength(1);
    expect((await control.listContacts()).at(-1)).toMatchObject({ firstName: 'Meera', lastName: 'Nair' });
  });

  it.each([
    ['long', 'x'.repeat(100_000)],
    ['long and of pairs of surrogates', `a${'😀'.repeat(50_000)}`],
    ['empty', ''],
    ['only white space', ' \n'],
    ['HTML', '<script>alert(1)</script>'],
    ['a template', '{phone} {{x}} $1'],
  ])('is accepted and found again if its texts are %s', async (_, text) => {
    const odd = ticketFields({ departmentId, subject: text, description: text, phone: PHONE });
    const id = await createdTicket(access, odd, { contactId });
    expect(await find(odd)).toEqual({ kind: 'found', ids: [id] });
  });

  it.each([
    [{ departmentId: '1' }, 'INVALID_DATA /departmentId'],
    [{ priority: 'Top' }, 'INVALID_DATA /priority'],
    [{ assigneeId: '1' }, 'INVALID_DATA /assigneeId'],
  ])('is refused with the name of the wrong field: %j', async (wrong, code) => {
    const written = await tickets.create(access, { ...fields, ...wrong }, { contactId });
    expect(written).toEqual({ kind: 'refused', status: 422, code });
    expect(await control.listTickets()).toEqual([]);
  });

  it('is refused for a deleted contact', async () => {
    await control.deleteContact(contactId);
    expect(await tickets.create(access, fields, { contactId })).toMatchObject({ code: 'INVALID_DATA /contactId' });
  });
});

describe('a lookup of a ticket', () => {
  const delaySearch = () => control.settings({ searchDelaySeconds: 3_600 });

  it('finds all tickets with the same contents, the oldest first, and no others', async () => {
    const ids = [await aTicket(), await aTicket()];
    const other = await control.addContact({ lastName: 'Other', phone: PHONE });
    await createdTicket(access, fields, { contactId: other });
    for (const change of [{ subject: 'callback' }, { description: 'Other.' }, { phone: '+919876543211' }])
      await createdTicket(access, { ...fields, ...change }, { contactId });
    expect(await find()).toEqual({ kind: 'found', ids });
  });

  it.each([
    [-10, 'absent'],
    [-4, 'found'],
    [4, 'found'],
    [10, 'absent'],
  ])('with a request time %d minutes from now has the result %s', async (minutes, kind) => {
    await aTicket();
    expect(await find({ requestedAt: new Date(Date.now() + minutes * 60_000) })).toMatchObject({ kind });
  });

  it.each([0, 1] as const)('finds a ticket in the lists if their first row has the number %i', async (listsBeginAt) => {
    await control.settings({ listsBeginAt });
    await delaySearch();
    const id = await aTicket();
    const inline = await aTicketWithItsContact();
    expect(await find()).toEqual({ kind: 'found', ids: [id] });
    expect(await find({ contactId: undefined })).toEqual({ kind: 'found', ids: [id, inline] });
  });

  it('finds a ticket that the search does not show yet among the tickets of its contact', async () => {
    await delaySearch();
    const id = await aTicket();
    expect(await find()).toEqual({ kind: 'found', ids: [id] });
    expect(await control.requests('GET /api/v1/contacts/{id}/tickets')).toHaveLength(1);
  });

  it('finds by its department a ticket that created its contact', async () => {
    const id = await aTicketWithItsContact();
    expect(await find({ contactId: undefined })).toEqual({ kind: 'found', ids: [id] });
  });

  it('finds in the list of its department a ticket that created its contact, if the search does not show it yet', async () => {
    const before = await aTicket();
    await delaySearch();
    const id = await aTicketWithItsContact();
    expect(await find({ contactId: undefined })).toEqual({ kind: 'found', ids: [before, id] });
    expect(await find({ contactId: undefined, departmentId: '1' })).toEqual({ kind: 'absent' });
  });

  it("finds a ticket that the search does not show yet, even if it shows another call's with the same contents", async () => {
    const claimed = await aTicket();
    const earlier = await api(access, { method: 'GET', path: search, query: { contactId } });
    const lagging = helpDeskTickets(async (to, request) => (request.path === search ? earlier : api(to, request)));
    const withoutClaimed = async (ids: string[]) => ids.filter((id) => id !== claimed);
    const findUnclaimed = (more: object) =>
      lagging.find(access, { ...fields, contactId, requestedAt: new Date(), ...more }, withoutClaimed);
    const lookups = [{}, { contactId: undefined }];
    for (const lookup of lookups) expect(await findUnclaimed(lookup)).toEqual({ kind: 'absent' });
    const hidden = await aTicket();
    expect(await find({}, lagging)).toEqual({ kind: 'found', ids: [claimed] });
    for (const lookup of lookups) expect(await findUnclaimed(lookup)).toEqual({ kind: 'found', ids: [hidden] });
  });

  it.each([0, 1] as const)('is complete over all pages, with lists that begin at %i', async (listsBeginAt) => {
    await control.settings({ credits: 100_000, concurrency: 100, listsBeginAt });
    const first = await aTicket();
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        createdTicket(access, { ...fields, subject: `no. ${index}` }, { contactId }),
      ),
    );
    const found = { kind: 'found', ids: [first, await aTicket()] };
    expect(await find()).toEqual(found);
    await delaySearch();
    expect(await find()).toEqual(found);
  });

  it('is reported as unavailable if a page or a ticket cannot be read', async () => {
    await aTicket();
    const unavailable = { kind: 'unavailable', reason: 'status 500' };
    for (const route of [`GET ${search}`, 'GET /api/v1/tickets/{id}']) {
      await control.fault({ route, kind: 'server-error' });
      expect(await find()).toEqual(unavailable);
    }
    await delaySearch();
    await control.fault({ route: 'GET /api/v1/contacts/{id}/tickets', kind: 'server-error' });
    expect(await find()).toEqual(unavailable);
  });

  it.each(['drop-after', 'server-error-after', 'cut-after'] as const)(
    'finds exactly the ticket whose answer was lost: %s',
    async (kind) => {
      await control.fault({ route: 'POST /api/v1/tickets', kind });
      expect(await tickets.create(access, fields, { contactId })).toMatchObject({ kind: 'unknown' });
      const [created] = await control.listTickets();
      expect(await find()).toEqual({ kind: 'found', ids: [created?.id] });
    },
  );
});

describe('creating a contact', () => {
  const create = () => helpDeskContacts(api).create(access, contactFields('Asha Rao', PHONE));

  it('is refused with the default scopes', async () => {
    expect(await create()).toEqual({ kind: 'refused', status: 403, code: 'SCOPE_MISMATCH' });
  });

  it('stores the number unchanged', async () => {
    granted.set('token-1', [...scopes, 'Desk.contacts.CREATE']);
    const written = await create();
    const created = (await control.listContacts()).at(-1);
    expect(written).toEqual({ kind: 'written', id: created?.id });
    expect(created).toMatchObject({ firstName: 'Asha', lastName: 'Rao', phone: PHONE });
  });
});

describe('a follow-up to a ticket', () => {
  it('adds tags, and adding them twice changes nothing', async () => {
    const id = await aTicket();
    const tags = ['voice call', 'लीड', 'a_b.c-d+e%'];
    for (let time = 0; time < 2; time += 1)
      expect(await followUps.associateTags(access, id, tags)).toEqual({ kind: 'written', id });
    expect((await control.ticket(id))?.tags).toEqual(tags);
  });

  it.each(['other', 'a:b'])('adds no tags that the help desk forbids: %s', async (tag) => {
    await control.settings({ allowedTags: ['vip'] });
    const refused = { kind: 'refused', status: 422, code: 'INVALID_DATA /tags/0' };
    expect(await followUps.associateTags(access, await aTicket(), [tag])).toEqual(refused);
  });

  it.each([
    [200, bytes],
    [201, bytes],
    [200, Buffer.alloc(0)],
  ] as const)('attaches the recording, byte for byte, for agents only: %d', async (attachmentStatus, content) => {
    await control.settings({ attachmentStatus });
    const id = await aTicket();
    const written = await followUps.attach(access, id, fileOf(content));
    const [file] = (await control.ticket(id))?.attachments ?? [];
    expect(written).toEqual({ kind: 'written', id: file?.id });
    expect(file).toMatchObject({ name: 'call_0123.wav', isPublic: false });
    const stored = await fetch(`${simulator.url}/api/v1/tickets/${id}/attachments/${file?.id}/content`, {
      headers: { authorization: 'Zoho-oauthtoken token-1', orgId },
    });
    expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
  });

  it('attaches a recording up to the limit of the help desk and refuses a larger one', async () => {
    const id = await aTicket();
    const largest = Buffer.alloc(MAX_ATTACHMENT_BYTES);
    expect(await followUps.attach(access, id, fileOf(largest))).toMatchObject({ kind: 'written' });
    const larger = { ...fileOf(largest), contentLength: MAX_ATTACHMENT_BYTES + 1 };
    expect(await followUps.attach(access, id, larger)).toEqual({ kind: 'refused', status: 0, code: 'too_large' });
    expect(await control.requests('POST /api/v1/tickets/{id}/attachments')).toHaveLength(1);
  });

  it('is refused if this help desk has a lower limit', async () => {
    await control.settings({ attachmentBytes: 1_000 });
    const refused = { kind: 'refused', status: 413, code: 'RESOURCE_SIZE_EXCEEDED' };
    expect(await followUps.attach(access, await aTicket(), fileOf(bytes))).toEqual(refused);
  });

  it.each([
    ['short', 'Assistant: Namaste.\nCustomer: <b>Hello</b>'],
    ['too long', 'नमस्ते 😀 '.repeat(10_000)],
  ])('adds the transcript as plain text, for agents only, if it is %s', async (_, transcript) => {
    const id = await aTicket();
    const content = transcriptComment(transcript);
    const written = await followUps.comment(access, id, content);
    const [comment] = (await control.ticket(id))?.comments ?? [];
    expect(written).toEqual({ kind: 'written', id: comment?.id });
    expect(comment).toMatchObject({ content, contentType: 'plainText', isPublic: false });
  });

  it.each(['sent', 'html'] as const)(
    'is found if its answer is lost, with comments shown as %s',
    async (commentsAs) => {
      await control.settings({ commentsAs });
      const id = await aTicket();
      const heading = 'Transcript of call_0123:';
      expect(await followUps.findComment(access, id, heading)).toEqual({ kind: 'absent' });
      await control.fault({ route: 'POST /api/v1/tickets/{id}/comments', kind: 'drop-after' });
      const content = transcriptComment(`${heading}\nAI: Namaste.`);
      expect(await followUps.comment(access, id, content)).toMatchObject({ kind: 'unknown' });
      const [comment] = (await control.ticket(id))?.comments ?? [];
      expect(await followUps.findComment(access, id, heading)).toEqual({ kind: 'found', id: comment?.id });
      expect(await followUps.findComment(access, id, 'Transcript of call_0124:')).toEqual({ kind: 'absent' });
    },
  );

  it('is refused for a deleted ticket', async () => {
    const refused = { kind: 'refused', status: 404, code: 'URL_NOT_FOUND' };
    expect(await followUps.associateTags(access, '1', ['tag'])).toEqual(refused);
    expect(await followUps.attach(access, '1', fileOf(bytes))).toEqual(refused);
    expect(await followUps.comment(access, '1', 'x')).toEqual(refused);
  });
});
