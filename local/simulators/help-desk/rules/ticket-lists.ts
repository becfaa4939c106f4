import type { Ticket } from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Caller, Handler } from './caller.ts';
import { contactOf } from './contacts.ts';
import { allowOnly, cut, inRange, isLike, isOneOf, phoneForm, readPage, sorted } from './query.ts';
import { ticketRow } from './ticket-records.ts';

const times = {
  createdTime: ({ createdAt }: Ticket) => createdAt,
  modifiedTime: ({ modifiedAt }: Ticket) => modifiedAt,
  customerResponseTime: ({ createdAt }: Ticket) => createdAt,
};

const inOrganization = (state: HelpDeskState, { organization }: Caller) =>
  [...state.tickets.values()].filter(({ orgId }) => orgId === organization.id);

/** `GET /tickets/search`: every parameter must match (Zoho Desk OpenAPI v1.0, Search.json: searchTickets). */
export const searchTickets: Handler = (state, caller) => {
  const { query } = caller;
  const exact = {
    id: ({ id }: Ticket) => id,
    ticketNumber: ({ ticketNumber }: Ticket) => ticketNumber,
    contactId: ({ contactId }: Ticket) => contactId,
    departmentId: ({ fields }: Ticket) => fields.departmentId,
    assigneeId: ({ fields }: Ticket) => fields.assigneeId,
    status: ({ fields }: Ticket) => fields.status,
    priority: ({ fields }: Ticket) => fields.priority,
    channel: ({ fields }: Ticket) => fields.channel,
  };
  const like = {
    subject: ({ fields }: Ticket) => fields.subject,
    description: ({ fields }: Ticket) => fields.description,
    email: ({ fields }: Ticket) => fields.email,
  };
  allowOnly(query, [
    ...[...Object.keys(exact), ...Object.keys(like), 'phone', 'tag', 'createdTimeRange', 'modifiedTimeRange'],
    ...['from', 'limit', 'sortBy'],
  ]);
  const phone = isLike(query, 'phone', phoneForm(state.settings.phonesBy));
  const tag = isLike(query, 'tag');
  const created = inRange(query, 'createdTimeRange');
  const modified = inRange(query, 'modifiedTimeRange');
  const tests = [
    ...Object.entries(exact).map(([name, read]) => [isOneOf(query, name), read] as const),
    ...Object.entries(like).map(([name, read]) => [isLike(query, name), read] as const),
  ];
  const found = inOrganization(state, caller).filter(
    (ticket) =>
      state.isIndexed(ticket) &&
      tests.every(([test, read]) => test(read(ticket))) &&
      phone(ticket.fields.phone) &&
      (!query.has('tag') || ticket.tags.some(({ name }) => tag(name))) &&
      created(ticket.createdAt) &&
      modified(ticket.modifiedAt),
  );
  const rows = cut(sorted(found, query, times), readPage(query, 0));
  if (rows.length === 0) return { status: 204 };
  return { status: 200, json: { data: rows.map((ticket) => ticketRow(state, ticket)), count: found.length } };
};

const listNames = ['from', 'limit', 'sortBy', 'include', 'departmentId', 'status', 'channel', 'priority'];

/** `GET /tickets`: newest first by default. */
export const listTickets: Handler = (state, caller) => {
  allowOnly(caller.query, listNames);
  return list(state, caller, inOrganization(state, caller));
};

/** `GET /contacts/{id}/tickets`. */
export const listContactTickets: Handler = (state, caller) => {
  allowOnly(caller.query, listNames);
  const { id } = contactOf(state, caller);
  return list(
    state,
    caller,
    inOrganization(state, caller).filter(({ contactId }) => contactId === id),
  );
};

function list(state: HelpDeskState, { query }: Caller, tickets: Ticket[]): ReturnType<Handler> {
  const department = isOneOf(query, 'departmentId');
  const [status, channel, priority] = ['status', 'channel', 'priority'].map((name) => isOneOf(query, name));
  const found = tickets
    .filter(
      ({ fields }) =>
        department(fields.departmentId) &&
        status?.(fields.status) &&
        channel?.(fields.channel) &&
        priority?.(fields.priority),
    )
    .reverse();
  const rows = cut(sorted(found, query, times), readPage(query, state.settings.listsBeginAt, 4999));
  if (rows.length === 0) return { status: 204 };
  return { status: 200, json: { data: rows.map((ticket) => ticketRow(state, ticket)) } };
}
