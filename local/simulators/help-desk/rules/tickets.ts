import * as z from 'zod';
import {
  type Contact,
  contactFieldsSchema,
  idSchema,
  type Organization,
  type Ticket,
  type TicketChange,
  type TicketFields,
  ticketFieldsSchema,
} from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Caller, Handler } from './caller.ts';
import { addContact, contactRecord } from './contacts.ts';
import { type FieldError, fieldError, problems, validated } from './problems.ts';
import { allowOnly } from './query.ts';
import { ticketRecord } from './ticket-records.ts';

/** The contact of a new ticket without a contactId. A known contact with the same e-mail address is used instead. */
const inlineContactSchema = contactFieldsSchema
  .pick({ firstName: true, phone: true, mobile: true, email: true })
  .extend({ lastName: contactFieldsSchema.shape.lastName.optional() });

const createSchema = ticketFieldsSchema.extend({
  contactId: idSchema.optional(),
  contact: inlineContactSchema.optional(),
});
const changeSchema = ticketFieldsSchema.extend({ contactId: idSchema }).partial();

/** Finds the values that the portal does not have: departments, agents, and values of picklists. */
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
    .map(([name]) => fieldError([name], `The portal does not have this value of '${name}'.`));
}

export const createTicket: Handler = (state, caller) => {
  const { organization, query, user, number } = caller;
  allowOnly(query, []);
  const contactOf = (contactId: string | undefined) => {
    const contact = state.contacts.get(contactId ?? '');
    return contact?.orgId === organization.id ? contact : undefined;
  };
  const { contactId, contact, ...fields } = validated(createSchema, caller.json(), (body) => [
    ...unknowns(state, organization, body),
    ...contactErrors(body, contactOf(body.contactId)),
    ...(body.contact?.phone === undefined || state.settings.takesPhoneOfInlineContact
      ? []
      : [fieldError(['contact', 'phone'], "Extra parameter 'phone' is found.")]),
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
  return { status: 200, json: ticketRecord(state, ticket) };
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

/** Changes a ticket as an agent does. */
export function changeTicket(state: HelpDeskState, ticket: Ticket, change: TicketChange): void {
  const wasClosed = isClosed(state, ticket);
  ticket.fields = { ...ticket.fields, ...change };
  ticket.modifiedAt = state.second();
  if (isClosed(state, ticket) !== wasClosed) ticket.closedAt = wasClosed ? null : ticket.modifiedAt;
}

export const patchTicket: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  const ticket = ticketOf(state, caller);
  const { contactId, ...change } = validated(changeSchema, caller.json(), (body) => [
    ...unknowns(state, caller.organization, body),
    ...(body.contactId === undefined || state.contacts.get(body.contactId)?.orgId === ticket.orgId
      ? []
      : [fieldError(['contactId'], 'There is no such contact.')]),
  ]);
  changeTicket(state, ticket, Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)));
  ticket.contactId = contactId ?? ticket.contactId;
  return { status: 200, json: ticketRecord(state, ticket) };
};

/** Finds the ticket of the path. @throws Problem 404. */
export function ticketOf(state: HelpDeskState, { organization, names }: Caller): Ticket {
  const ticket = state.tickets.get(names.id ?? '');
  if (ticket?.orgId !== organization.id) throw problems.notFound();
  return ticket;
}

const trashSchema = z.strictObject({ ticketIds: z.array(idSchema).min(1).max(100) });

/** Moves tickets into the trash (Zoho Desk OpenAPI v1.0, Ticket.json: moveRequestsToTrash), all or none. */
export const trashTickets: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  const { ticketIds } = validated(trashSchema, caller.json());
  const found = ticketIds.map((id) => ticketOf(state, { ...caller, names: { id } }));
  for (const ticket of found) {
    state.tickets.delete(ticket.id);
    state.trash.set(ticket.id, ticket);
  }
  return { status: 204 };
};

/** Finds a ticket in the trash, if the settings show trashed tickets. */
const trashedOf = ({ settings, trash }: HelpDeskState, { organization, names }: Caller): Ticket | undefined => {
  const ticket = settings.showsTrashedTickets ? trash.get(names.id ?? '') : undefined;
  return ticket?.orgId === organization.id ? ticket : undefined;
};

export const getTicket: Handler = (state, caller) => {
  const { query } = caller;
  allowOnly(query, ['include']);
  const trashed = trashedOf(state, caller);
  const ticket = trashed ?? ticketOf(state, caller);
  const include = query.get('include')?.split(',') ?? [];
  const known = ['contacts', 'products', 'assignee', 'departments', 'contract', 'isRead', 'team', 'skills'];
  if (include.some((name) => !known.includes(name))) throw problems.invalidParam('include');
  const agent = caller.organization.agents.find((each) => each.id === ticket.fields.assigneeId);
  const department = caller.organization.departments.find((each) => each.id === ticket.fields.departmentId);
  const contact = state.contacts.get(ticket.contactId);
  return {
    status: 200,
    json: {
      ...ticketRecord(state, ticket),
      isTrashed: trashed !== undefined,
      ...(include.includes('contacts') && { contact: contact ? contactRecord(state, contact) : null }),
      ...(include.includes('assignee') && { assignee: agent ?? null }),
      ...(include.includes('departments') && { department: department ?? null }),
    },
  };
};
