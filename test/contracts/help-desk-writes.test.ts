import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { helpDeskControl } from '../../local/simulators/help-desk/control.ts';
import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import { startHelpDeskSimulator } from '../../local/simulators/help-desk/server.ts';
import { contactFields, ticketFields, transcriptComment } from '../../shared/domain/after-call/help-desk-ticket.ts';
import { helpDeskApi, type Upload } from '../../shared/integrations/help-desk/api.ts';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import { helpDeskFollowUps, MOST_ATTACHMENT_BYTES } from '../../shared/integrations/help-desk/follow-ups.ts';
import type { HelpDeskAccess } from '../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import { aToken } from '../support/access-token.ts';

/** The scopes of the interface: they hold no right to create contacts. */
const scopes = ['HB.basic.READ', 'HB.contacts.READ', 'HB.tickets.ALL', 'HB.settings.READ', 'HB.search.READ'];
const granted = new Map<string, string[]>();
const simulator = await startHelpDeskSimulator({
  grants: async (token) => {
    const rights = granted.get(token);
    return rights && { userId: 'agent', clientId: 'client', scopes: rights };
  },
});
const control = helpDeskControl(simulator.url);
/** Tests wait this long for faults without an answer; other requests have time on a busy machine. */
const impatient = helpDeskApi({ timeoutMs: 400 });
const api = helpDeskApi({ timeoutMs: 10_000 });
const tickets = helpDeskTickets(api);
const followUps = helpDeskFollowUps(api);

const departmentId = '189200000000006907';
const PHONE = '+919876543210';
const fields = ticketFields({
  departmentId,
  subject: 'complaint — +919876543210',
  description: 'The meter is wrong.\n\nShe wants a call: "today" & not <later>.',
  phone: PHONE,
  priority: 'High',
  classification: 'Problem',
  assigneeId: '189200000000056001',
});
const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
const fileOf = (content: Buffer): Upload => ({
  filename: 'call_0123.wav',
  contentType: 'audio/wav',
  contentLength: content.length,
  open: async () => Readable.from([content]),
});

let access: HelpDeskAccess;
let contactId: string;

beforeEach(async () => {
  await control.reset();
  granted.clear();
  granted.set('token-1', scopes).set('token-2', scopes);
  access = {
    host: simulator.url,
    orgId: '60012345678',
    token: async (rejected) => aToken(rejected === undefined ? 'token-1' : 'token-2'),
  };
  contactId = await control.addContact({ lastName: 'Rao', phone: PHONE });
});
afterAll(() => simulator.stop());

const now = () => new Date();
const wanted = () => ({ ...fields, contactId, since: now(), until: now() });

async function aTicket(): Promise<string> {
  const written = await tickets.create(access, fields, { contactId });
  if (written.kind !== 'written') throw new Error(written.kind);
  return written.id;
}

describe('a ticket', () => {
  it('has the documented fields and no tags', async () => {
    const written = await tickets.create(access, fields, { contactId });
    const [found] = await control.listTickets();
    expect(written).toEqual({ kind: 'written', id: found?.id, contactId });
    expect(found).toMatchObject({ ...fields, contactId, status: 'Open', channel: 'Phone', tags: [] });
    expect(await control.requests('POST /api/v1/tickets')).toMatchObject([
      { body: { ...fields, contactId, status: 'Open', channel: 'Phone' }, orgId: '60012345678' },
    ]);
  });

  it('creates its contact if none exists', async () => {
    const contact = contactFields('Asha Devi Iyer', '+919812300000');
    const written = await tickets.create(access, fields, { contact });
    if (written.kind !== 'written') throw new Error(written.kind);
    const [, made] = await control.listContacts();
    expect(made).toMatchObject({ firstName: 'Asha Devi', lastName: 'Iyer', phone: '+919812300000' });
    expect(written.contactId).toBe(made?.id);
  });

  it.each([
    ['long', 'x'.repeat(100_000)],
    ['long and of pairs of surrogates', `a${'😀'.repeat(50_000)}`],
    ['empty', ''],
    ['of nothing but space', ' \n'],
    ['HTML', '<script>alert(1)</script>'],
    ['a template', '{phone} {{x}} $1'],
  ])('is accepted and found again if its texts are %s', async (_, said) => {
    const odd = ticketFields({ departmentId, subject: said, description: said, phone: PHONE });
    const written = await tickets.create(access, odd, { contactId });
    if (written.kind !== 'written') throw new Error(written.kind);
    expect(await tickets.find(access, { ...odd, contactId, since: now(), until: now() })).toEqual({
      kind: 'found',
      ids: [written.id],
    });
  });

  it.each([
    [{ departmentId: '1' }, 'INVALID_DATA /departmentId'],
    [{ priority: 'Top' }, 'INVALID_DATA /priority'],
    [{ assigneeId: '1' }, 'INVALID_DATA /assigneeId'],
  ])('is refused with the name of the wrong field: %j', async (wrong, code) => {
    expect(await tickets.create(access, { ...fields, ...wrong }, { contactId })).toEqual({
      kind: 'refused',
      status: 422,
      code,
    });
    expect(await control.listTickets()).toEqual([]);
  });

  it('is refused for a deleted contact', async () => {
    await control.deleteContact(contactId);
    expect(await tickets.create(access, fields, { contactId })).toMatchObject({ code: 'INVALID_DATA /contactId' });
  });
});

describe('a lookup of a ticket', () => {
  it('finds all tickets with the same contents, the oldest first, and no others', async () => {
    const [first, second] = [await aTicket(), await aTicket()];
    const other = await control.addContact({ lastName: 'Other', phone: PHONE });
    await tickets.create(access, fields, { contactId: other });
    for (const change of [{ subject: 'callback' }, { description: 'Other.' }, { phone: '+919876543211' }])
      await tickets.create(access, { ...fields, ...change }, { contactId });
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'found', ids: [first, second] });
  });

  it('finds no ticket outside its time', async () => {
    await aTicket();
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const find = (since: Date, until: Date) => tickets.find(access, { ...wanted(), since, until });
    expect(await find(at(-60), at(-10))).toEqual({ kind: 'absent' });
    expect(await find(at(10), at(60))).toEqual({ kind: 'absent' });
    expect(await find(at(-60), at(60))).toMatchObject({ kind: 'found' });
  });

  it('finds a ticket that the search does not show yet, among those of its contact', async () => {
    await control.settings({ searchDelaySeconds: 3_600 });
    const id = await aTicket();
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'found', ids: [id] });
    expect(await control.requests('GET /api/v1/contacts/{id}/tickets')).toHaveLength(1);
  });

  it('finds a ticket that created its contact, by the department', async () => {
    const written = await tickets.create(access, fields, { contact: contactFields('', PHONE) });
    if (written.kind !== 'written') throw new Error(written.kind);
    expect(await tickets.find(access, { ...wanted(), contactId: undefined })).toEqual({
      kind: 'found',
      ids: [written.id],
    });
  });

  it('finds a ticket that created its contact and that the search does not show yet, in the list of its department', async () => {
    const before = await aTicket();
    await control.settings({ searchDelaySeconds: 3_600 });
    const written = await tickets.create(access, fields, { contact: contactFields('', PHONE) });
    if (written.kind !== 'written') throw new Error(written.kind);
    const inline = { ...wanted(), contactId: undefined };
    expect(await tickets.find(access, inline)).toEqual({ kind: 'found', ids: [before, written.id] });
    expect(await tickets.find(access, { ...inline, departmentId: '1' })).toEqual({ kind: 'absent' });
  });

  it("finds a ticket that the search does not show yet, although it shows another call's with the same contents", async () => {
    const taken = await aTicket();
    const path = '/api/v1/tickets/search';
    const earlier = await api(access, { method: 'GET', path, query: { contactId } });
    const lagging = helpDeskTickets(async (...asked) => (asked[1].path === path ? earlier : api(...asked)));
    const freeOf = async (ids: string[]) => ids.filter((id) => id !== taken);
    for (const whom of [contactId, undefined])
      expect(await lagging.find(access, { ...wanted(), contactId: whom }, freeOf)).toEqual({ kind: 'absent' });
    const hidden = await aTicket();
    expect(await lagging.find(access, wanted())).toEqual({ kind: 'found', ids: [taken] });
    for (const whom of [contactId, undefined])
      expect(await lagging.find(access, { ...wanted(), contactId: whom }, freeOf)).toEqual({
        kind: 'found',
        ids: [hidden],
      });
  });

  it("reads all pages of the search and of the contact's list", async () => {
    await control.settings({ credits: 100_000 });
    const id = await aTicket();
    for (let index = 0; index < 100; index += 1)
      await tickets.create(access, { ...fields, subject: `no. ${index}` }, { contactId });
    const last = await aTicket();
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'found', ids: [id, last] });
    await control.settings({ searchDelaySeconds: 3_600 });
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'found', ids: [id, last] });
  });

  it('is not complete if a page or a ticket cannot be read', async () => {
    await aTicket();
    for (const route of ['GET /api/v1/tickets/search', 'GET /api/v1/tickets/{id}']) {
      await control.fault({ route, kind: 'server-error' });
      expect(await tickets.find(access, wanted())).toEqual({ kind: 'unavailable', reason: 'status 500' });
    }
    await control.settings({ searchDelaySeconds: 3_600 });
    await control.fault({ route: 'GET /api/v1/contacts/{id}/tickets', kind: 'server-error' });
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'unavailable', reason: 'status 500' });
  });
});

describe('creating a contact', () => {
  it('is refused with the scopes of the interface', async () => {
    expect(await helpDeskContacts(api).create(access, contactFields('Asha', PHONE))).toEqual({
      kind: 'refused',
      status: 403,
      code: 'SCOPE_MISMATCH',
    });
  });

  it('stores the number unchanged', async () => {
    granted.set('token-1', [...scopes, 'Desk.contacts.CREATE']);
    const written = await helpDeskContacts(api).create(access, contactFields('Asha Rao', PHONE));
    const made = (await control.listContacts()).at(-1);
    expect(written).toEqual({ kind: 'written', id: made?.id });
    expect(made).toMatchObject({ firstName: 'Asha', lastName: 'Rao', phone: PHONE });
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

  it('adds no tags that the help desk forbids', async () => {
    await control.settings({ allowedTags: ['vip'] });
    const id = await aTicket();
    for (const [tag, code] of [
      ['other', 'INVALID_DATA /tags/0'],
      ['a:b', 'INVALID_DATA /tags/0'],
    ] as const)
      expect(await followUps.associateTags(access, id, [tag])).toEqual({ kind: 'refused', status: 422, code });
  });

  it.each([200, 201] as const)(
    'attaches the recording, byte for byte, for agents only: %d',
    async (attachmentStatus) => {
      await control.settings({ attachmentStatus });
      const id = await aTicket();
      const written = await followUps.attach(access, id, fileOf(bytes));
      const [file] = (await control.ticket(id))?.attachments ?? [];
      expect(written).toEqual({ kind: 'written', id: file?.id });
      expect(file).toMatchObject({ name: 'call_0123.wav', isPublic: false });
      const stored = await fetch(`${simulator.url}/api/v1/tickets/${id}/attachments/${file?.id}/content`, {
        headers: { authorization: 'Zoho-oauthtoken token-1', orgId: '60012345678' },
      });
      expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
    },
  );

  it('attaches a recording up to the limit of the help desk and refuses a larger one', async () => {
    const id = await aTicket();
    const largest = Buffer.alloc(MOST_ATTACHMENT_BYTES);
    expect(await followUps.attach(access, id, fileOf(largest))).toMatchObject({ kind: 'written' });
    const larger = { ...fileOf(largest), contentLength: MOST_ATTACHMENT_BYTES + 1 };
    expect(await followUps.attach(access, id, larger)).toEqual({ kind: 'refused', status: 0, code: 'too_large' });
    expect(await control.requests('POST /api/v1/tickets/{id}/attachments')).toHaveLength(1);
  });

  it('is refused where this help desk has a lower limit', async () => {
    await control.settings({ attachmentBytes: 1_000 });
    const id = await aTicket();
    expect(await followUps.attach(access, id, fileOf(bytes))).toEqual({
      kind: 'refused',
      status: 413,
      code: 'RESOURCE_SIZE_EXCEEDED',
    });
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

  it('is refused for a deleted ticket', async () => {
    const refused = { kind: 'refused', status: 404, code: 'URL_NOT_FOUND' };
    expect(await followUps.associateTags(access, '1', ['tag'])).toEqual(refused);
    expect(await followUps.attach(access, '1', fileOf(bytes))).toEqual(refused);
    expect(await followUps.comment(access, '1', 'x')).toEqual(refused);
  });
});

const writes = {
  'a ticket': {
    route: 'POST /api/v1/tickets',
    write: (with_ = api) => helpDeskTickets(with_).create(access, fields, { contactId }),
    written: async () => (await control.listTickets()).length - 1,
  },
  'a contact': {
    route: 'POST /api/v1/contacts',
    write: (with_ = api) => helpDeskContacts(with_).create(access, contactFields('Asha', PHONE)),
    written: async () => (await control.listContacts()).length - 1,
  },
  tags: {
    route: 'POST /api/v1/tickets/{id}/associateTag',
    write: async (with_ = api) => helpDeskFollowUps(with_).associateTags(access, await theTicket(), ['tag']),
    written: async () => (await control.listTickets())[0]?.tags.length,
  },
  'a recording': {
    route: 'POST /api/v1/tickets/{id}/attachments',
    write: async (with_ = api) => helpDeskFollowUps(with_).attach(access, await theTicket(), fileOf(bytes)),
    written: async () => (await control.listTickets())[0]?.attachments.length,
  },
  'a comment': {
    route: 'POST /api/v1/tickets/{id}/comments',
    write: async (with_ = api) => helpDeskFollowUps(with_).comment(access, await theTicket(), 'x'),
    written: async () => (await control.listTickets())[0]?.comments.length,
  },
};
const theTicket = async () => (await control.listTickets())[0]?.id ?? '';

describe.each(Object.entries(writes))('writing %s', (_what, { route, write, written }) => {
  beforeEach(async () => {
    const rights = [...scopes, 'Desk.contacts.CREATE'];
    granted.set('token-1', rights).set('token-2', rights);
    await aTicket();
  });
  const sent = async () => (await control.requests(route)).length - (route === 'POST /api/v1/tickets' ? 1 : 0);

  it.each<[string, Omit<Fault, 'route'>, object, number]>([
    [
      '429 with Retry-After',
      { kind: 'too-many-requests', seconds: 7 },
      { kind: 'unavailable', reason: 'TOO_MANY_REQUESTS', retryAfterSeconds: 7 },
      0,
    ],
    ['a token that is refused twice', { kind: 'invalid-token', times: 2 }, { kind: 'unavailable' }, 0],
    ['500 before the work', { kind: 'server-error' }, { kind: 'unknown', reason: 'status 500' }, 0],
    ['503 before the work', { kind: 'server-error', status: 503 }, { kind: 'unknown', reason: 'status 503' }, 0],
    ['500 after the work', { kind: 'server-error-after' }, { kind: 'unknown', reason: 'status 500' }, 1],
    ['a connection dropped before the work', { kind: 'drop' }, { kind: 'unknown' }, 0],
    ['a connection dropped after the work', { kind: 'drop-after' }, { kind: 'unknown' }, 1],
    ['half an answer', { kind: 'cut-after' }, { kind: 'unknown' }, 1],
    ['HTML on a 200', { kind: 'html', status: 200 }, { kind: 'unknown', reason: 'not JSON' }, 0],
  ])('has the expected outcome after %s', async (_, fault, outcome, count) => {
    await control.fault({ route, ...fault });
    expect(await write()).toMatchObject(outcome);
    expect(await written()).toBe(count);
    expect(await sent()).toBe(fault.times ?? 1);
  });

  it.each([
    ['hang', 0],
    ['hang-after', 1],
  ] as const)('gives up where no answer comes, and nobody knows what was done: %s', async (kind, count) => {
    await control.fault({ route, kind });
    expect(await write(impatient)).toEqual({ kind: 'unknown', reason: 'ABORT_ERR' });
    expect(await written()).toBe(count);
  });

  it('is repeated once with another token if the first is revoked', async () => {
    granted.delete('token-1');
    expect(await write()).toMatchObject({ kind: 'written' });
    expect([await written(), await sent()]).toEqual([1, 2]);
  });

  it('is refused for an organization that the token may not use', async () => {
    access = { ...access, orgId: '60099999999' };
    expect(await write()).toEqual({ kind: 'refused', status: 403, code: 'OAUTH_ORG_MISMATCH' });
  });

  it('is refused without the scope, which no other token has', async () => {
    granted.set('token-1', ['HB.basic.READ']);
    expect(await write()).toEqual({ kind: 'refused', status: 403, code: 'SCOPE_MISMATCH' });
    expect(await sent()).toBe(1);
  });

  it('is not sent if no server listens, no organization is chosen, or access is missing', async () => {
    const usual = access;
    access = { ...usual, host: 'http://127.0.0.1:9' };
    expect(await write()).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    access = { ...usual, orgId: undefined };
    expect(await write()).toMatchObject({ kind: 'unavailable' });
    const noToken = { kind: 'reconnect_needed' as const, reason: 'revoked' };
    access = { ...usual, token: async () => noToken };
    expect(await write()).toEqual(noToken);
    expect(await sent()).toBe(0);
  });
});

describe('a ticket whose answer was lost', () => {
  it.each<[string, Omit<Fault, 'route'>]>([
    ['dropped', { kind: 'drop-after' }],
    ['500', { kind: 'server-error-after' }],
    ['cut', { kind: 'cut-after' }],
  ])('is found exactly: %s', async (_, fault) => {
    await control.fault({ route: 'POST /api/v1/tickets', ...fault });
    expect(await tickets.create(access, fields, { contactId })).toMatchObject({ kind: 'unknown' });
    const [made] = await control.listTickets();
    expect(await tickets.find(access, wanted())).toEqual({ kind: 'found', ids: [made?.id] });
  });
});
