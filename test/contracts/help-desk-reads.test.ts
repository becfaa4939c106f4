import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import type { HelpDeskAccess } from '../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskOrganizations } from '../../shared/integrations/help-desk/organizations.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import { api, apiFor, createdTicket, orgId, PHONE, startHelpDesk, ticketOf } from './support/help-desk.ts';

const { begin, control, granted, simulator } = await startHelpDesk();

const tickets = helpDeskTickets(api);
const organizations = helpDeskOrganizations(api);
const searching = 'GET /api/v1/search/contacts';
const listing = 'GET /api/v1/accessibleOrganizations';

let access: HelpDeskAccess;

beforeEach(async () => {
  access = await begin();
});
afterAll(() => simulator.stop());

describe('a contact', () => {
  const find = () => helpDeskContacts(api).find(access, PHONE, 'IN');
  const add = (fields: { phone?: string; mobile?: string; description?: string }, lastName = 'Rao') =>
    control.addContact({ lastName, ...fields });

  it.each([
    '+919876543210',
    '+91 98765 43210',
    '(+91) 98765-43210',
    '098765 43210',
    '9876543210',
    '00919876543210',
    '919876543210',
  ])('is found by its number in any notation: %s', async (typed) => {
    for (const field of ['phone', 'mobile']) {
      const id = await add({ [field]: typed });
      expect(await find()).toEqual({ kind: 'found', id });
      await control.deleteContact(id);
    }
  });

  it.each(['+91 98765 43210', '9876543210', '+919876543210', '098765 43210'])(
    'is found on a help desk that compares numbers as typed only if it was typed without gaps: %s',
    async (phone) => {
      await control.settings({ phonesBy: 'characters' });
      const id = await add({ phone });
      expect(await find()).toEqual(phone.includes(' ') ? { kind: 'absent' } : { kind: 'found', id });
    },
  );

  it('is not found by a longer number, a name or a text that contains the number', async () => {
    for (const phone of ['+9198765432101', '+1 987 654 3210', '9876543210 ext. 5']) await add({ phone });
    await add({ description: `called ${PHONE}` }, PHONE);
    expect(await find()).toEqual({ kind: 'absent' });
    expect(await control.requests(searching)).toMatchObject([
      { query: { searchStr: PHONE } },
      { query: { searchStr: '9876543210' } },
    ]);
  });

  it('is absent if the help desk answers 204', async () => {
    expect(await find()).toEqual({ kind: 'absent' });
  });

  it('is the oldest match of the search for the whole number', async () => {
    const national = await add({ phone: '098765 43210' });
    await add({ phone: '9876543210' });
    expect(await find()).toEqual({ kind: 'found', id: national });
    const whole = await add({ mobile: '+91 98765-43210' });
    await add({ mobile: PHONE });
    expect(await find()).toEqual({ kind: 'found', id: whole });
  });

  it('is found on the last page too', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, index) => add({ description: PHONE }, `No. ${index}`)));
    const id = await add({ phone: PHONE });
    expect(await find()).toEqual({ kind: 'found', id });
    expect((await control.requests(searching)).map(({ query }) => query.from)).toEqual(['0', '100']);
  });

  it.each(['+91 98765 43210', '098765-43210', '987 654 3210', '+91 (98765) 43210', '9876543210'])(
    "is found by the vendor's own search, which compares numbers as typed: %s",
    async (typed) => {
      await control.settings({ knowsSearchContacts: false, phonesBy: 'characters' });
      await add({ phone: '+91 91234 43210', mobile: '+91 98765 03210' }, 'Other');
      for (const field of ['phone', 'mobile']) {
        const id = await add({ [field]: typed });
        expect(await find()).toEqual({ kind: 'found', id });
        await control.deleteContact(id);
      }
      expect(await find()).toEqual({ kind: 'absent' });
    },
  );

  it("is absent if the vendor's own search refuses patterns, or too many numbers have the same end", async () => {
    await control.settings({ knowsSearchContacts: false });
    const ofEnd = ({ query = {} }: { query?: Record<string, string> }) => 'phone' in query || 'mobile' in query;
    const refusing = helpDeskContacts(async (to, request) =>
      ofEnd(request) ? { kind: 'refused', status: 422, code: 'UNPROCESSABLE_ENTITY' } : api(to, request),
    );
    expect(await refusing.find(access, PHONE, 'IN')).toEqual({ kind: 'absent' });
    const rows = Array.from({ length: 100 }, (_, index) => ({ id: String(index), phone: '3210' }));
    let pages = 0;
    const crowded = helpDeskContacts(async (to, request) => {
      if (!ofEnd(request)) return api(to, request);
      pages += 1;
      return { kind: 'answered', body: { data: rows.map(({ id, phone }) => ({ id: `${pages}${id}`, phone })) } };
    });
    expect(await crowded.find(access, PHONE, 'IN')).toEqual({ kind: 'absent' });
  });

  it("is found by the vendor's own search if the documented path is unknown", async () => {
    await control.settings({ knowsSearchContacts: false });
    for (const fields of [{ phone: '+919876543210' }, { mobile: '098765-43210' }]) {
      const id = await add(fields);
      expect(await find()).toEqual({ kind: 'found', id });
      await control.deleteContact(id);
    }
    expect(await find()).toEqual({ kind: 'absent' });
  });
});

describe('the list of organizations', () => {
  it('includes those that the token may use, with ids of any form, without naming one in the request', async () => {
    await control.organization('60000000001', { companyName: 'Rao & Sons' });
    await control.organization('60000000002', { companyName: 'Other', isAccessible: false });
    const both = [
      { id: orgId, name: 'Example Support' },
      { id: '60000000001', name: 'Rao & Sons' },
    ];
    expect(await organizations.list({ ...access, orgId: undefined })).toEqual({ kind: 'found', organizations: both });
    await control.settings({ organizationIdsAs: 'numbers' });
    expect(await organizations.list(access)).toEqual({ kind: 'found', organizations: both });
    expect((await control.requests(listing)).map((each) => each.orgId)).toEqual([null, null]);
  });

  it('includes all organizations of the user if the help desk does not reveal those of the token', async () => {
    const older = helpDeskOrganizations(async (to, request) =>
      listing.endsWith(request.path) ? { kind: 'refused', status: 404, code: 'URL_NOT_FOUND' } : api(to, request),
    );
    expect(await older.list(access)).toMatchObject({ kind: 'found', organizations: [{ id: orgId }] });
  });

  it('may be empty', async () => {
    await control.organization(orgId, { isAccessible: false });
    expect(await organizations.list(access)).toEqual({ kind: 'absent' });
  });
});

describe('a ticket', () => {
  const fields = ticketOf({ subject: 'complaint', description: 'x' });
  const created = () => createdTicket(access, fields, { contact: { lastName: 'Rao', phone: PHONE } });

  it.each(['iso', 'epoch'] as const)("is read with an agent's changes, times in the form %s", async (timesAs) => {
    await control.settings({ timesAs });
    const id = await created();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const open = {
      id,
      ticketNumber: '101',
      status: 'Open',
      statusType: 'Open',
      priority: 'High',
      classification: 'Problem',
      assigneeId: fields.assigneeId,
      webUrl: `${simulator.url}/tickets/${id}`,
      createdTime: time,
      modifiedTime: time,
    };
    expect(await tickets.get(access, id)).toEqual({ kind: 'found', ticket: open });
    await control.changeTicket(id, { status: 'Closed', priority: 'Low' });
    const closed = { ...open, status: 'Closed', statusType: 'Closed', priority: 'Low', closedTime: time };
    expect(await tickets.get(access, id)).toEqual({ kind: 'found', ticket: closed });
  });

  it('that was deleted is absent', async () => {
    const id = await created();
    await control.deleteTicket(id);
    expect(await tickets.get(access, id)).toEqual({ kind: 'absent' });
  });
});

const wanted = () => ({
  ...ticketOf({ subject: 'x', description: 'x' }),
  requestedAt: new Date(),
});
const reads: [string, string, (client?: typeof api) => Promise<unknown>][] = [
  ['contacts', searching, (client = api) => helpDeskContacts(client).find(access, PHONE, 'IN')],
  ['organizations', listing, (client = api) => helpDeskOrganizations(client).list(access)],
  ['a ticket', 'GET /api/v1/tickets/{id}', (client = api) => helpDeskTickets(client).get(access, '1')],
  ['tickets', 'GET /api/v1/tickets/search', (client = api) => helpDeskTickets(client).find(access, wanted())],
];

describe.each(reads)('a request for %s', (_what, route, request) => {
  it.each<[string, Omit<Fault, 'route'>, object]>([
    [
      '429 with Retry-After',
      { kind: 'too-many-requests', seconds: 7 },
      { reason: 'TOO_MANY_REQUESTS', retryAfterSeconds: 7 },
    ],
    ['500', { kind: 'server-error' }, { reason: 'status 500' }],
    ['a page of a proxy', { kind: 'html', status: 200 }, { reason: 'not JSON' }],
    ['a connection that breaks', { kind: 'drop' }, { reason: 'ECONNRESET' }],
    ['half an answer', { kind: 'cut-after' }, { reason: expect.any(String) }],
    ['no answer', { kind: 'hang' }, { reason: 'ABORT_ERR' }],
    [
      'a token that is refused twice',
      { kind: 'invalid-token', times: 2 },
      { reason: 'the access token is refused: INVALID_OAUTH' },
    ],
  ])('is reported as unavailable, and may be repeated, after %s', async (_, fault, expected) => {
    await control.fault({ route, ...fault });
    expect(await request(apiFor(fault))).toEqual({ kind: 'unavailable', ...expected });
  });

  it('is repeated once with another token if the first is revoked', async () => {
    granted.delete('token-1');
    expect(await request()).toMatchObject({ kind: expect.stringMatching(/^(found|absent)$/) });
    expect((await control.requests(route)).at(0)).toMatchObject({ answer: 401 });
  });

  it('is unavailable if the credits of the day are used up', async () => {
    await control.settings({ credits: 0 });
    expect(await request()).toEqual({
      kind: 'unavailable',
      reason: 'THRESHOLD_EXCEEDED',
      retryAfterSeconds: expect.any(Number),
    });
  });

  it('is refused without the scope', async () => {
    granted.set('token-1', ['HB.nothing.READ']);
    expect(await request()).toEqual({ kind: 'refused', status: 403, code: 'SCOPE_MISMATCH' });
  });

  it('is unavailable if no server listens', async () => {
    access = { ...access, host: 'http://127.0.0.1:9' };
    expect(await request()).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it('reports that a new consent is needed if the grant is gone', async () => {
    const noToken = { kind: 'reconnect_needed', reason: 'revoked' } as const;
    access = { ...access, token: async () => noToken };
    expect(await request()).toEqual(noToken);
  });
});

it.each(reads.filter(([what]) => what !== 'organizations'))(
  'a request for %s is refused for an organization that the token may not use',
  async (_what, _route, request) => {
    access = { ...access, orgId: '60099999999' };
    expect(await request()).toEqual({ kind: 'refused', status: 403, code: 'OAUTH_ORG_MISMATCH' });
  },
);
