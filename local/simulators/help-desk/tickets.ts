import * as z from 'zod';
import { type FieldError, fieldError, problems, validated } from './answers.ts';
import type { Caller, Handler } from './api-routes.ts';
import { addContact, contactFieldsSchema, contactRecord } from './contacts.ts';
import { allowOnly } from './query.ts';
import type { Contact, HelpDeskState, Organization, Simulator, Ticket } from './state.ts';

const text = (max: number) => z.string().max(max).nullish();
const id = z
  .union([z.string(), z.int()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,19}$/));

/**
 * Fields of a ticket (Zoho Desk OpenAPI v1.0, Ticket.json: createTicketRequest); what is not among them is refused,
 * `tags` too.
 */
const ticketFieldsSchema = z.strictObject({
  departmentId: id,
  subject: z.string().min(1).max(255),
  description: text(65_535),
  status: text(120),
  channel: text(120),
  phone: text(120),
  email: text(150),
  priority: text(120),
  classification: text(100),
  category: text(300),
  subCategory: text(300),
  assigneeId: id.nullish(),
  teamId: id.nullish(),
  productId: id.nullish(),
  dueDate: z.iso.datetime().nullish(),
  language: text(120),
  resolution: text(65_535),
  cf: z.record(z.string(), z.string().max(100).nullable()).nullish(),
});

/** A contact may come with the ticket instead of its id; by its e-mail address it may be one there is. */
const inlineContactSchema = contactFieldsSchema
  .pick({ firstName: true, phone: true, mobile: true, email: true })
  .extend({ lastName: contactFieldsSchema.shape.lastName.optional() });

const createSchema = ticketFieldsSchema.extend({ contactId: id.optional(), contact: inlineContactSchema.optional() });
const changeSchema = ticketFieldsSchema.extend({ contactId: id }).partial();

export type TicketFields = z.infer<typeof ticketFieldsSchema>;
export type TicketChange = Partial<Omit<TicketFields, 'departmentId'>>;

/** Values that the portal does not have: unknown departments and agents, and what is on no picklist. */
function unknowns(
  { settings }: HelpDeskState,
  organization: Organization,
  fields: Partial<Record<keyof TicketFields, unknown>>,
): FieldError[] {
  const { statuses, channels, priorities, classifications } = settings;
  const known: Partial<Record<keyof TicketFields, string[]>> = {
    departmentId: organization.departments.filter(({ isEnabled }) => isEnabled).map((each) => each.id),
    assigneeId: organization.agents.map((each) => each.id),
    status: Object.keys(statuses),
    channel: channels,
    priority: priorities,
    classification: classifications,
  };
  return Object.entries(known)
    .filter(([name, values]) => {
      const value = fields[name as keyof TicketFields];
      return typeof value === 'string' && !values.includes(value);
    })
    .map(([name]) => fieldError([name], `The value of '${name}' is none of the portal's.`));
}

export const createTicket: Handler = (simulator, caller) => {
  const { state } = simulator;
  const { organization, query, user, number } = caller;
  allowOnly(query, []);
  const contactOf = (contactId: string | undefined) => {
    const contact = state.contacts.get(contactId ?? '');
    return contact?.orgId === organization.id ? contact : undefined;
  };
  const { contactId, contact, ...fields } = validated(createSchema, caller.json(), (body) => [
    ...unknowns(state, organization, body),
    ...contactErrors(body, contactOf(body.contactId)),
  ]);
  const now = state.second();
  const ticket: Ticket = {
    id: state.nextId(),
    ticketNumber: state.nextTicketNumber(organization.id),
    orgId: organization.id,
    contactId: (contactOf(contactId) ?? inlineContact(state, organization, contact ?? {})).id,
    fields: { ...fields, status: fields.status ?? 'Open', channel: fields.channel ?? 'Web' },
    createdBy: user,
    createdAt: now,
    modifiedAt: now,
    closedAt: null,
    comments: [],
    attachments: [],
    tags: [],
    requestNumber: number,
  };
  ticket.closedAt = isClosed(state, ticket) ? now : null;
  state.tickets.set(ticket.id, ticket);
  return { status: 200, json: ticketRecord(simulator, ticket) };
};

function contactErrors({ contactId, contact }: z.infer<typeof createSchema>, found: Contact | undefined): FieldError[] {
  if (contactId !== undefined) return found ? [] : [fieldError(['contactId'], 'There is no such contact.')];
  if (!contact) return [fieldError(['contactId'], 'The contact is missing.', 'missing')];
  if (contact.lastName || contact.email) return [];
  return [fieldError(['contact', 'lastName'], 'A contact needs a last name or an e-mail address.', 'missing')];
}

function inlineContact(
  state: HelpDeskState,
  { id: orgId }: Organization,
  given: z.infer<typeof inlineContactSchema>,
): Contact {
  const same = [...state.contacts.values()].find(
    (each) => each.orgId === orgId && given.email && each.fields.email?.toLowerCase() === given.email.toLowerCase(),
  );
  return same ?? addContact(state, orgId, { ...given, lastName: given.lastName ?? given.email ?? '' });
}

const isClosed = ({ settings }: HelpDeskState, { fields }: Ticket) =>
  settings.statuses[fields.status ?? ''] === 'Closed';

/** A ticket changed by an agent. */
export function changeTicket(state: HelpDeskState, ticket: Ticket, change: TicketChange): void {
  const wasClosed = isClosed(state, ticket);
  ticket.fields = { ...ticket.fields, ...change };
  ticket.modifiedAt = state.second();
  if (isClosed(state, ticket) !== wasClosed) ticket.closedAt = wasClosed ? null : ticket.modifiedAt;
}

export const patchTicket: Handler = (simulator, caller) => {
  const { state } = simulator;
  allowOnly(caller.query, []);
  const ticket = ticketOf(simulator, caller);
  const { contactId, ...change } = validated(changeSchema, caller.json(), (body) => [
    ...unknowns(state, caller.organization, body),
    ...(body.contactId === undefined || state.contacts.get(body.contactId)?.orgId === ticket.orgId
      ? []
      : [fieldError(['contactId'], 'There is no such contact.')]),
  ]);
  changeTicket(state, ticket, Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)));
  ticket.contactId = contactId ?? ticket.contactId;
  return { status: 200, json: ticketRecord(simulator, ticket) };
};

/** The ticket of the path. @throws 404. */
export function ticketOf({ state }: Simulator, { organization, names }: Caller): Ticket {
  const ticket = state.tickets.get(names.id ?? '');
  if (ticket?.orgId !== organization.id) throw problems.notFound();
  return ticket;
}

export const getTicket: Handler = (simulator, caller) => {
  const { query } = caller;
  allowOnly(query, ['include']);
  const ticket = ticketOf(simulator, caller);
  const include = query.get('include')?.split(',') ?? [];
  const known = ['contacts', 'products', 'assignee', 'departments', 'contract', 'isRead', 'team', 'skills'];
  if (include.some((name) => !known.includes(name))) throw problems.invalidParam('include');
  const agent = caller.organization.agents.find((each) => each.id === ticket.fields.assigneeId);
  const department = caller.organization.departments.find((each) => each.id === ticket.fields.departmentId);
  const contact = simulator.state.contacts.get(ticket.contactId);
  return {
    status: 200,
    json: {
      ...ticketRecord(simulator, ticket),
      ...(include.includes('contacts') && { contact: contact ? contactRecord(simulator, contact) : null }),
      ...(include.includes('assignee') && { assignee: agent ?? null }),
      ...(include.includes('departments') && { department: department ?? null }),
    },
  };
};

/** As the API shows one ticket; counts are strings, and of the tags it tells the number alone. */
export function ticketRecord(simulator: Simulator, ticket: Ticket) {
  const { state } = simulator;
  const { fields } = ticket;
  return {
    ...ticketRow(simulator, ticket),
    description: fields.description ?? null,
    resolution: fields.resolution ?? null,
    modifiedTime: state.time(ticket.modifiedAt),
    cf: fields.cf ?? {},
    createdBy: ticket.createdBy,
    tagCount: String(ticket.tags.length),
    attachmentCount: String(ticket.attachments.length),
    isTrashed: false,
    isDeleted: 'false',
  };
}

/** As lists and searches show it: without the description, the time of its last change, and the portal's own fields. */
export function ticketRow({ state, url }: Simulator, ticket: Ticket) {
  const { fields } = ticket;
  return {
    id: ticket.id,
    ticketNumber: ticket.ticketNumber,
    subject: fields.subject,
    departmentId: fields.departmentId,
    contactId: ticket.contactId,
    status: fields.status ?? 'Open',
    statusType: state.settings.statuses[fields.status ?? ''] ?? 'Open',
    priority: fields.priority ?? null,
    classification: fields.classification ?? null,
    category: fields.category ?? null,
    subCategory: fields.subCategory ?? null,
    channel: fields.channel ?? null,
    phone: fields.phone ?? null,
    email: fields.email ?? null,
    assigneeId: fields.assigneeId ?? null,
    teamId: fields.teamId ?? null,
    productId: fields.productId ?? null,
    language: fields.language ?? null,
    dueDate: fields.dueDate ?? null,
    createdTime: state.time(ticket.createdAt),
    customerResponseTime: state.time(ticket.createdAt),
    closedTime: ticket.closedAt === null ? null : state.time(ticket.closedAt),
    threadCount: '0',
    commentCount: String(ticket.comments.length),
    isSpam: false,
    webUrl: `${url}/tickets/${ticket.id}`,
  };
}
