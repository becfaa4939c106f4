import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { helpDeskControl } from '../../local/simulators/help-desk/control.ts';
import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import { startHelpDeskSimulator } from '../../local/simulators/help-desk/server.ts';
import { helpDeskApi } from '../../shared/integrations/help-desk/api.ts';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import type { HelpDeskAccess } from '../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskOrganizations } from '../../shared/integrations/help-desk/organizations.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import { aToken } from '../support/access-token.ts';

/** The scopes of the interface. */
const scopes = ['HB.basic.READ', 'HB.contacts.READ', 'HB.tickets.ALL', 'HB.settings.READ', 'HB.search.READ'];
const granted = new Map<string, string[]>();
const simulator = await startHelpDeskSimulator({
  grants: async (token) => {
    const rights = granted.get(token);
    return rights && { userId: 'agent', clientId: 'client', scopes: rights };
  },
});
const control = helpDeskControl(simulator.url);
/** Tests wait this long if the help desk does not answer; other requests have time on a busy machine. */
const impatient = helpDeskApi({ timeoutMs: 400 });
const api = helpDeskApi({ timeoutMs: 10_000 });
const contacts = helpDeskContacts(api);
const tickets = helpDeskTickets(api);
const organizations = helpDeskOrganizations(api);

const departmentId = '189200000000006907';
const orgId = '60012345678';
const PHONE = '+919876543210';
let access: HelpDeskAccess;

beforeEach(async () => {
  await control.reset();
  granted.clear();
  granted.set('token-1', scopes).set('token-2', scopes);
  access = {
    host: simulator.url,
    orgId,
    token: async (rejected) => aToken(rejected === undefined ? 'token-1' : 'token-2'),
  };
});
afterAll(() => simulator.stop());

const find = (phone = PHONE) => contacts.find(access, phone, 'IN');
const searching = 'GET /api/v1/search/contacts';

describe('a contact', () => {
  it.each([
    ['+919876543210'],
    ['+91 98765 43210'],
    ['(+91) 98765-43210'],
    ['098765 43210'],
    ['9876543210'],
    ['00919876543210'],
    ['919876543210'],
  ])('is found by its number in any notation: %s', async (typed) => {
    for (const field of ['phone', 'mobile']) {
      const id = await control.addContact({ lastName: 'Rao', [field]: typed });
      expect(await find()).toEqual({ kind: 'found', id });
      await control.deleteContact(id);
    }
  });

  it.each([['+91 98765 43210'], ['9876543210'], ['+919876543210'], ['098765 43210']])(
    'is found where the help desk compares numbers as typed, if the number was typed without gaps: %s',
    async (typed) => {
      await control.settings({ phonesBy: 'characters' });
      const id = await control.addContact({ lastName: 'Rao', phone: typed });
      expect(await find()).toEqual(typed.includes('8765 4') ? { kind: 'absent' } : { kind: 'found', id });
    },
  );

  it('is not found by a longer number, a name or a text that contains the number', async () => {
    await control.addContact({ lastName: 'Longer', phone: '+9198765432101' });
    await control.addContact({ lastName: 'American', phone: '+1 987 654 3210' });
    await control.addContact({ lastName: 'Extension', phone: '9876543210 ext. 5' });
    await control.addContact({ lastName: PHONE, description: `called ${PHONE}` });
    expect(await find()).toEqual({ kind: 'absent' });
    expect(await control.requests(searching)).toMatchObject([
      { query: { searchStr: PHONE } },
      { query: { searchStr: '9876543210' } },
    ]);
  });

  it('is absent if the help desk answers 204', async () => {
    expect(await find()).toEqual({ kind: 'absent' });
  });

  it('is the oldest of several in the result of the search for the whole number', async () => {
    const national = [];
    for (const phone of ['098765 43210', '9876543210'])
      national.push(await control.addContact({ lastName: 'A', phone }));
    expect(await find()).toEqual({ kind: 'found', id: national[0] });
    const whole = [];
    for (const mobile of ['+91 98765-43210', PHONE]) whole.push(await control.addContact({ lastName: 'B', mobile }));
    expect(await find()).toEqual({ kind: 'found', id: whole[0] });
  });

  it('is found on the last page too', async () => {
    for (let index = 0; index < 100; index += 1)
      await control.addContact({ lastName: `No. ${index}`, description: PHONE });
    const id = await control.addContact({ lastName: 'Rao', phone: PHONE });
    expect(await find()).toEqual({ kind: 'found', id });
    expect((await control.requests(searching)).map(({ query }) => query.from)).toEqual(['0', '100']);
  });

  it("is found by the vendor's own search if the documented path is unknown", async () => {
    await control.settings({ knowsSearchContacts: false });
    for (const [field, typed] of [
      ['phone', '+919876543210'],
      ['mobile', '098765-43210'],
    ] as const) {
      const id = await control.addContact({ lastName: 'Rao', [field]: typed });
      expect(await find()).toEqual({ kind: 'found', id });
      await control.deleteContact(id);
    }
    expect(await find()).toEqual({ kind: 'absent' });
  });
});

describe('the list of organizations', () => {
  it('has the ones that the token may use, with ids of any form, without naming one in the request', async () => {
    await control.organization('60000000001', { companyName: 'Rao & Sons' });
    await control.organization('60000000002', { companyName: 'Other', isAccessible: false });
    const both = [
      { id: orgId, name: 'Example Support' },
      { id: '60000000001', name: 'Rao & Sons' },
    ];
    expect(await organizations.list({ ...access, orgId: undefined })).toEqual({ kind: 'found', organizations: both });
    await control.settings({ organizationIdsAs: 'numbers' });
    expect(await organizations.list(access)).toEqual({ kind: 'found', organizations: both });
    expect((await control.requests('GET /api/v1/accessibleOrganizations')).map((each) => each.orgId)).toEqual([
      null,
      null,
    ]);
  });

  it('has all organizations of the user if the help desk does not reveal which the token may use', async () => {
    const older = helpDeskOrganizations((to, asked) =>
      asked.path === '/api/v1/accessibleOrganizations'
        ? Promise.resolve({ kind: 'refused', status: 404, code: 'URL_NOT_FOUND' })
        : api(to, asked),
    );
    expect(await older.list(access)).toMatchObject({ kind: 'found', organizations: [{ id: orgId }] });
  });

  it('may be empty', async () => {
    await control.organization(orgId, { isAccessible: false });
    expect(await organizations.list(access)).toEqual({ kind: 'absent' });
  });
});

async function aTicket(): Promise<string> {
  const contactId = await control.addContact({ lastName: 'Rao', phone: PHONE });
  const fields = {
    departmentId,
    subject: 'complaint',
    description: 'x',
    phone: PHONE,
    priority: 'High',
    classification: 'Problem',
    assigneeId: '189200000000056001',
  };
  const written = await tickets.create(access, fields, { contactId });
  if (written.kind !== 'written') throw new Error(written.kind);
  return written.id;
}

describe('a ticket', () => {
  it.each(['iso', 'epoch'] as const)("is read with an agent's changes, times in the form %s", async (timesAs) => {
    await control.settings({ timesAs });
    const id = await aTicket();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const open = {
      id,
      ticketNumber: '101',
      status: 'Open',
      statusType: 'Open',
      priority: 'High',
      classification: 'Problem',
      assigneeId: '189200000000056001',
      webUrl: `${simulator.url}/tickets/${id}`,
      createdTime: time,
      modifiedTime: time,
    };
    expect(await tickets.get(access, id)).toEqual({ kind: 'found', ticket: open });
    await control.changeTicket(id, { status: 'Closed', priority: 'Low' });
    expect(await tickets.get(access, id)).toEqual({
      kind: 'found',
      ticket: { ...open, status: 'Closed', statusType: 'Closed', priority: 'Low', closedTime: time },
    });
  });

  it('that was deleted is absent', async () => {
    const id = await aTicket();
    await control.deleteTicket(id);
    expect(await tickets.get(access, id)).toEqual({ kind: 'absent' });
  });
});

const reads: [string, string, (with_: typeof api) => Promise<unknown>][] = [
  ['contacts', searching, (with_) => helpDeskContacts(with_).find(access, PHONE, 'IN')],
  ['organizations', 'GET /api/v1/accessibleOrganizations', (with_) => helpDeskOrganizations(with_).list(access)],
  ['a ticket', 'GET /api/v1/tickets/{id}', (with_) => helpDeskTickets(with_).get(access, '1')],
  [
    'tickets',
    'GET /api/v1/tickets/search',
    (with_) =>
      helpDeskTickets(with_).find(access, {
        departmentId,
        subject: 'x',
        description: 'x',
        phone: PHONE,
        since: new Date(),
        until: new Date(),
      }),
  ],
];

describe.each(reads)('a request for %s', (_what, route, ask) => {
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
    [
      'a token that is refused twice',
      { kind: 'invalid-token', times: 2 },
      { reason: expect.stringContaining('INVALID_OAUTH') },
    ],
  ])('is unavailable by %s, and may be repeated', async (_, fault, expected) => {
    await control.fault({ route, ...fault });
    expect(await ask(api)).toEqual({ kind: 'unavailable', ...expected });
  });

  it('is given up if no answer arrives', async () => {
    await control.fault({ route, kind: 'hang' });
    expect(await ask(impatient)).toEqual({ kind: 'unavailable', reason: 'ABORT_ERR' });
  });

  it('is repeated once with another token if the first is revoked', async () => {
    granted.delete('token-1');
    expect(await ask(api)).toMatchObject({ kind: expect.stringMatching(/^(found|absent)$/) });
    expect((await control.requests(route)).at(0)).toMatchObject({ answer: 401 });
  });

  it('is unavailable if the credits of the day are used up', async () => {
    await control.settings({ credits: 0 });
    expect(await ask(api)).toMatchObject({
      kind: 'unavailable',
      reason: 'THRESHOLD_EXCEEDED',
      retryAfterSeconds: expect.any(Number),
    });
  });

  it('is refused without the scope', async () => {
    granted.set('token-1', ['HB.nothing.READ']);
    expect(await ask(api)).toEqual({ kind: 'refused', status: 403, code: 'SCOPE_MISMATCH' });
  });

  it('is unavailable if no server listens', async () => {
    access = { ...access, host: 'http://127.0.0.1:9' };
    expect(await ask(api)).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it('says that a new consent is needed if the grant is gone', async () => {
    const noToken = { kind: 'reconnect_needed' as const, reason: 'revoked' };
    access = { ...access, token: async () => noToken };
    expect(await ask(api)).toEqual(noToken);
  });
});

describe('an organization that the token may not use', () => {
  it('is refused', async () => {
    access = { ...access, orgId: '60099999999' };
    const refused = { kind: 'refused', status: 403, code: 'OAUTH_ORG_MISMATCH' };
    expect(await find()).toEqual(refused);
    expect(await tickets.get(access, '1')).toEqual(refused);
  });
});
