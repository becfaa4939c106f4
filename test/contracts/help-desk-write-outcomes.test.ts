import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import { contactFields } from '../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import { helpDeskFollowUps } from '../../shared/integrations/help-desk/follow-ups.ts';
import type { HelpDeskAccess } from '../../shared/integrations/help-desk/help-desk.ts';
import { removeTicket } from '../../shared/integrations/help-desk/removal.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import {
  api,
  apiFor,
  bytes,
  createdTicket,
  fields,
  fileOf,
  orgId,
  PHONE,
  scopes,
  startHelpDesk,
} from './support/help-desk.ts';

const { begin, control, granted, simulator } = await startHelpDesk();

let access: HelpDeskAccess;
let contactId: string;

beforeEach(async () => {
  access = await begin();
  contactId = await control.addContact({ lastName: 'Rao', phone: PHONE });
});
afterAll(() => simulator.stop());

const aTicket = () => createdTicket(access, fields, { contactId });

const theTicket = async () => (await control.listTickets())[0];
const idOfTicket = async () => (await theTicket())?.id ?? '';

type Write = (client?: typeof api) => Promise<unknown>;
/** `count` counts the written records, without the contact and the ticket that existed before. */
const writes: { what: string; route: string; write: Write; count: () => Promise<number | undefined> }[] = [
  {
    what: 'a ticket',
    route: 'POST /api/v1/tickets',
    write: (client = api) => helpDeskTickets(client).create(access, fields, { contactId }),
    count: async () => (await control.listTickets()).length - 1,
  },
  {
    what: 'a contact',
    route: 'POST /api/v1/contacts',
    write: (client = api) => helpDeskContacts(client).create(access, contactFields('Asha', PHONE)),
    count: async () => (await control.listContacts()).length - 1,
  },
  {
    what: 'tags',
    route: 'POST /api/v1/tickets/{id}/associateTag',
    write: async (client = api) => helpDeskFollowUps(client).associateTags(access, await idOfTicket(), ['tag']),
    count: async () => (await theTicket())?.tags.length,
  },
  {
    what: 'a recording',
    route: 'POST /api/v1/tickets/{id}/attachments',
    write: async (client = api) => helpDeskFollowUps(client).attach(access, await idOfTicket(), fileOf(bytes)),
    count: async () => (await theTicket())?.attachments.length,
  },
  {
    what: 'a comment',
    route: 'POST /api/v1/tickets/{id}/comments',
    write: async (client = api) => helpDeskFollowUps(client).comment(access, await idOfTicket(), 'x'),
    count: async () => (await theTicket())?.comments.length,
  },
];

describe.each(writes)('writing $what', ({ what, route, write, count }) => {
  beforeEach(async () => {
    const rights = [...scopes, 'Desk.contacts.CREATE'];
    granted.set('token-1', rights).set('token-2', rights);
    await aTicket();
  });
  const countRequests = async () => (await control.requests(route)).length - (what === 'a ticket' ? 1 : 0);

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
    ['no answer and no work', { kind: 'hang' }, { kind: 'unknown', reason: 'ABORT_ERR' }, 0],
    ['no answer after the work', { kind: 'hang-after' }, { kind: 'unknown', reason: 'ABORT_ERR' }, 1],
  ])('has the expected outcome after %s', async (_, fault, outcome, written) => {
    await control.fault({ route, ...fault });
    expect(await write(apiFor(fault))).toMatchObject(outcome);
    expect([await count(), await countRequests()]).toEqual([written, fault.times ?? 1]);
  });

  it('is repeated once with another token if the first is revoked', async () => {
    granted.delete('token-1');
    expect(await write()).toMatchObject({ kind: 'written' });
    expect([await count(), await countRequests()]).toEqual([1, 2]);
  });

  it('is refused for an organization that the token may not use', async () => {
    access = { ...access, orgId: '60099999999' };
    expect(await write()).toEqual({ kind: 'refused', status: 403, code: 'OAUTH_ORG_MISMATCH' });
  });

  it('is refused without the scope, without a try with another token', async () => {
    granted.set('token-1', ['HB.basic.READ']);
    expect(await write()).toEqual({ kind: 'refused', status: 403, code: 'SCOPE_MISMATCH' });
    expect(await countRequests()).toBe(1);
  });

  it('is not sent if no server listens, no organization is chosen, or access is missing', async () => {
    const usual = access;
    access = { ...usual, host: 'http://127.0.0.1:9' };
    expect(await write()).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
    access = { ...usual, orgId: undefined };
    expect(await write()).toMatchObject({ kind: 'unavailable' });
    const noToken = { kind: 'reconnect_needed', reason: 'revoked' } as const;
    access = { ...usual, token: async () => noToken };
    expect(await write()).toEqual(noToken);
    expect(await countRequests()).toBe(0);
  });
});

describe('removing a ticket', () => {
  const route = 'POST /api/v1/tickets/moveToTrash';
  let id: string;
  const remove = (client = api) => removeTicket(client, access, id);

  beforeEach(async () => {
    id = await aTicket();
  });

  it.each([false, true])(
    'moves it to the trash, and finds it absent after that; the help desk shows trashed tickets: %s',
    async (shows) => {
      await control.settings({ showsTrashedTickets: shows });
      const other = await aTicket();
      expect(await remove()).toEqual({ kind: 'removed' });
      expect((await control.listTickets()).map((one) => one.id)).toEqual([other]);
      expect(await control.requests(route)).toMatchObject([{ body: { ticketIds: [id] }, orgId }]);
      expect(await remove()).toEqual({ kind: 'absent' });
    },
  );

  it('names the scope that a token lacks', async () => {
    granted.set('token-1', ['HB.tickets.READ']);
    expect(await remove()).toEqual({ kind: 'scope_missing', scope: 'tickets.DELETE' });
    expect(await control.listTickets()).toHaveLength(1);
  });

  it('is refused for an organization that does not own it', async () => {
    access = { ...access, orgId: '1' };
    expect(await remove()).toEqual({ kind: 'refused', code: 'OAUTH_ORG_MISMATCH' });
  });

  it.each<[string, Omit<Fault, 'route'>, object, number]>([
    ['429', { kind: 'too-many-requests', seconds: 7 }, { kind: 'unavailable', retryAfterSeconds: 7 }, 1],
    ['a refused token', { kind: 'invalid-token' }, { kind: 'removed' }, 0],
    ['500 before the work', { kind: 'server-error' }, { kind: 'unknown' }, 1],
    ['a connection dropped after the work', { kind: 'drop-after' }, { kind: 'unknown' }, 0],
    ['no answer after the work', { kind: 'hang-after' }, { kind: 'unknown' }, 0],
  ])('has the expected outcome after %s, and a repeat completes it', async (_, fault, outcome, count) => {
    await control.fault({ route, ...fault });
    expect(await remove(apiFor(fault))).toMatchObject(outcome);
    expect(await control.listTickets()).toHaveLength(count);
    expect(await remove()).toEqual({ kind: count === 0 ? 'absent' : 'removed' });
  });
});
