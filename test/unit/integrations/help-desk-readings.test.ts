import fc from 'fast-check';
import type { HelpDeskAnswer, HelpDeskRequest } from '../../../shared/integrations/help-desk/api.ts';
import { helpDeskContacts } from '../../../shared/integrations/help-desk/contacts.ts';
import { helpDeskFollowUps } from '../../../shared/integrations/help-desk/follow-ups.ts';
import type { HelpDeskAccess } from '../../../shared/integrations/help-desk/help-desk.ts';
import { helpDeskOrganizations } from '../../../shared/integrations/help-desk/organizations.ts';
import { helpDeskTickets } from '../../../shared/integrations/help-desk/tickets.ts';
import { aToken } from '../../support/connections/access-token.ts';

const access: HelpDeskAccess = { host: 'https://desk.zoho.in', orgId: '1', token: async () => aToken('token') };
const PHONE = '+919876543210';
const wanted = {
  departmentId: '7',
  contactId: '5',
  subject: 'complaint',
  description: 'The meter is wrong.',
  phone: PHONE,
  requestedAt: new Date('2026-03-02T06:00:00.000Z'),
};
const row = { id: '100', subject: 'complaint', phone: PHONE, createdTime: '2026-03-02T06:00:10.000Z' };
const gone: HelpDeskAnswer = { kind: 'refused', status: 404, code: 'URL_NOT_FOUND' };

/** Gives the answers of the test and records the requests. */
function helpDesk(answer: (asked: HelpDeskRequest) => unknown) {
  const asked: HelpDeskRequest[] = [];
  const api = async (_: HelpDeskAccess, request: HelpDeskRequest): Promise<HelpDeskAnswer> => {
    asked.push(request);
    const body = answer(request);
    return body === gone ? gone : { kind: 'answered', body };
  };
  const find = () => helpDeskTickets(api).find(access, wanted);
  return { api, asked, find };
}

describe('an unexpected answer', () => {
  const unreadable = [
    ...[null, [], 'text', 7, {}, { data: 'x' }, { data: [null] }],
    // The last number is too large to be exact: it may be the id of another record.
    ...[{ phone: PHONE }, { id: '' }, { id: '../users' }, { id: 2 ** 60 }].map((record) => ({ data: [record] })),
  ];

  it.each(unreadable)('proves no absence: %j', async (body) => {
    const { api, find } = helpDesk(() => body);
    const unavailable = { kind: 'unavailable', reason: 'an unreadable answer' };
    expect(await helpDeskContacts(api).find(access, PHONE, 'IN')).toEqual(unavailable);
    expect(await helpDeskOrganizations(api).list(access)).toEqual(unavailable);
    expect(await find()).toEqual(unavailable);
  });

  it.each([undefined, ...unreadable])('leaves the outcome of a write unknown: %j', async (body) => {
    const { api } = helpDesk(() => body);
    const unknown = { kind: 'unknown', reason: 'an unreadable answer' };
    expect(await helpDeskContacts(api).create(access, { lastName: 'x', phone: PHONE })).toEqual(unknown);
    expect(await helpDeskTickets(api).create(access, wanted, { contactId: '5' })).toEqual(unknown);
    expect(await helpDeskFollowUps(api).comment(access, '100', 'x')).toEqual(unknown);
  });

  it('never makes the adapters throw, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.option(fc.jsonValue()), fc.jsonValue(), async (fields, value) => {
        const { api, find } = helpDesk(({ path }) =>
          path.endsWith('/search') ? { data: [{ ...row, ...Object(fields) }] } : Object.assign(Object(value), row),
        );
        for (const outcome of [
          await find(),
          await helpDeskTickets(api).get(access, '100'),
          await helpDeskContacts(api).find(access, PHONE, 'IN'),
        ])
          expect(outcome.kind).toMatch(/^(found|absent|unavailable)$/);
      }),
    );
  });

  it('with endless pages never completes a lookup', async () => {
    const page = Array.from({ length: 100 }, (_, index) => ({ ...row, id: String(index), subject: 'other' }));
    const { find, asked } = helpDesk(() => ({ data: page }));
    expect(await find()).toEqual({ kind: 'unavailable', reason: 'too many records to search' });
    expect(asked).toHaveLength(10);
    const entries = Array.from({ length: 100 }, (_, index) => ({ id: String(index), name: 'other' }));
    const { api } = helpDesk(() => ({ data: entries }));
    expect(await helpDeskFollowUps(api).findAttachment(access, '100', 'call_1.wav')).toEqual({
      kind: 'unavailable',
      reason: 'too many entries to search',
    });
  });
});

describe('a lookup of a ticket', () => {
  const mine = { ...row, description: wanted.description };
  const found = { kind: 'found', ids: ['100'] };
  const { contactId: _, ...inline } = wanted;
  const searching = (rows: unknown[], whole: unknown, listed: unknown = { data: [] }) =>
    helpDesk(({ path }) => (path.endsWith('/search') ? { data: rows } : path.endsWith('/tickets') ? listed : whole));

  it.each([undefined, null, 'The meter'])(
    'reads a ticket whose description the search omits or truncates: %j',
    async (description) => {
      const { find, asked } = searching([{ ...row, description }], { ...row, description: wanted.description });
      expect(await find()).toEqual(found);
      expect(asked.map(({ path }) => path)).toEqual(['/api/v1/tickets/search', '/api/v1/tickets/100']);
    },
  );

  it('does not read a ticket whose description the search returns in full', async () => {
    const { find, asked } = searching([mine], gone);
    expect(await find()).toEqual(found);
    expect(asked).toHaveLength(1);
  });

  it('finds a ticket whose description or number this user may not see', async () => {
    const { id, subject } = row;
    expect(await searching([{ id, subject }], { id, subject }).find()).toEqual(found);
  });

  it('proves an absence if the ticket or its contact has been deleted', async () => {
    expect(await searching([row], gone).find()).toEqual({ kind: 'absent' });
    expect(await searching([], gone, gone).find()).toEqual({ kind: 'absent' });
  });

  it.each<[string | number | undefined, boolean]>([
    ['2026-03-02T06:00:10.000Z', true],
    [Date.parse('2026-03-02T06:00:10.000Z'), true],
    [undefined, true],
    // Clocks may differ by five minutes either way.
    ['2026-03-02T05:55:00.000Z', true],
    ['2026-03-02T05:54:59.999Z', false],
    ['2026-03-02T06:05:00.001Z', false],
  ])('may find the ticket among those of its contact, but only within its time: %s', async (createdTime, isFound) => {
    const { find } = searching([], gone, { data: [{ ...mine, createdTime }] });
    expect(await find()).toEqual(isFound ? found : { kind: 'absent' });
  });

  it('searches by time and contact, or by time and department if the contact was created with the ticket', async () => {
    const { api, asked } = helpDesk(() => undefined);
    await helpDeskTickets(api).find(access, wanted);
    await helpDeskTickets(api).find(access, inline);
    const createdTimeRange = '2026-03-02T05:55:00.000Z,2026-03-02T06:05:00.000Z';
    expect(asked.map(({ path, query }) => [path, query])).toEqual([
      ['/api/v1/tickets/search', { contactId: '5', createdTimeRange, from: '0', limit: '100' }],
      ['/api/v1/contacts/5/tickets', { from: '0', limit: '100' }],
      ['/api/v1/tickets/search', { departmentId: '7', createdTimeRange, from: '0', limit: '100' }],
      ['/api/v1/tickets', { departmentId: '7', sortBy: '-createdTime', from: '0', limit: '100' }],
    ]);
  });

  it('reads the list of a department only back to the earliest possible time, however long the list is', async () => {
    const other = { ...row, subject: 'another', createdTime: '2026-03-02T06:01:00.000Z' };
    let ids = 1_000;
    const next = (last: object = {}) => {
      ids += 1;
      return { ...other, id: String(ids), ...last };
    };
    const page = (last: object) => ({ data: [...Array.from({ length: 99 }, () => next()), next(last)] });
    const lists = [page({}), page({ createdTime: '2026-03-02T05:54:59.999Z' })];
    const { api, asked } = helpDesk(({ path }) => (path === '/api/v1/tickets' ? lists.shift() : undefined));
    expect(await helpDeskTickets(api).find(access, inline)).toEqual({ kind: 'absent' });
    expect(asked.map(({ query }) => query?.from)).toEqual(['0', '0', '100']);

    lists.push(page({}), page(mine), page({ createdTime: '2026-03-02T05:54:59.999Z' }));
    expect(await helpDeskTickets(api).find(access, inline)).toEqual(found);
  });
});

describe('a ticket', () => {
  it('is read with its valid members only', async () => {
    const { api } = helpDesk(() => ({
      id: 100,
      ticketNumber: '101',
      status: 's'.repeat(1_000),
      statusType: null,
      priority: 7,
      assigneeId: '../users',
      webUrl: 'javascript:alert(1)',
      createdTime: '1772431210000',
      modifiedTime: 'yesterday',
      closedTime: '',
    }));
    expect(await helpDeskTickets(api).get(access, '100')).toEqual({
      kind: 'found',
      ticket: { id: '100', ticketNumber: '101', status: 's'.repeat(200), createdTime: '2026-03-02T06:00:10.000Z' },
    });
  });
});
