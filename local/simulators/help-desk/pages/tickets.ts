import { html } from 'hono/html';
import { type Html, type Option, options, pageOf, valueTable } from '../../kit/page.ts';
import type { Attachment, Comment, Ticket } from '../model.ts';
import { fullName } from '../rules/contacts.ts';
import { ticketRow } from '../rules/ticket-records.ts';
import type { HelpDeskState } from '../state.ts';

export const page = pageOf('the help desk');

export const isWav = (name: string): boolean => name.toLowerCase().endsWith('.wav');

/** @param contactId lists only the tickets of this contact. */
export function ticketsPage(state: HelpDeskState, contactId: string | undefined): Html {
  const rows = [...state.tickets.values()]
    .filter((ticket) => contactId === undefined || ticket.contactId === contactId)
    .reverse()
    .map((ticket) => {
      const { fields, ticketNumber, id } = ticket;
      const link = html`<a href="/tickets/${id}">#${ticketNumber} ${fields.subject}</a>`;
      const cells = [fields.status, fields.priority, contactName(state, ticket), indianTime(ticket.createdAt)];
      return html`<tr><td>${link}</td>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
    });
  return page(
    'Tickets',
    html`<p><a href="/tickets">Reload</a></p>
<table>${rows.length > 0 ? rows : html`<tr><td>None yet.</td></tr>`}</table>`,
  );
}

export function ticketPage(state: HelpDeskState, ticket: Ticket): Html {
  return page(
    `#${ticket.ticketNumber} ${ticket.fields.subject}`,
    html`<p><a href="/tickets">All tickets</a> · <a href="/tickets/${ticket.id}">Reload</a></p>
${details(state, ticket)}
<h2>Comments</h2>
${orNone(ticket.comments.map(commentPart))}
<h2>Attachments</h2>
${orNone(ticket.attachments.map((attachment) => attachmentPart(ticket, attachment)))}
<h2>Edit</h2>
${ticketForm(state, ticket)}`,
  );
}

const orNone = (parts: Html[]): Html | Html[] => (parts.length > 0 ? parts : html`<p>None.</p>`);

function contactName(state: HelpDeskState, { contactId }: Ticket): string {
  const contact = state.contacts.get(contactId);
  return contact ? fullName(contact.fields) : '';
}

function details(state: HelpDeskState, ticket: Ticket): Html {
  const { fields } = ticket;
  const contact = state.contacts.get(ticket.contactId)?.fields;
  const organization = state.organizations.get(ticket.orgId);
  const agent = organization?.agents.find((each) => each.id === fields.assigneeId);
  const { statusType } = ticketRow(state, ticket);
  return valueTable({
    Description: fields.description,
    Status: statusType === fields.status ? fields.status : `${fields.status} (${statusType})`,
    Priority: fields.priority,
    Classification: fields.classification,
    Assignee: agent && `${agent.firstName} ${agent.lastName}`,
    Contact: [contactName(state, ticket), contact?.mobile, contact?.phone, contact?.email].filter(Boolean).join(', '),
    Phone: fields.phone,
    Channel: fields.channel,
    Tags: ticket.tags.map(({ name }) => name).join(', '),
    Department: organization?.departments.find(({ id }) => id === fields.departmentId)?.name,
    Organization: organization?.companyName,
    Created: bothTimes(ticket.createdAt),
    Changed: bothTimes(ticket.modifiedAt),
    Closed: ticket.closedAt === null ? null : bothTimes(ticket.closedAt),
    Id: ticket.id,
  });
}

const commentPart = ({ isPublic, content, commentedAt }: Comment): Html =>
  html`<table><tr><th>${isPublic ? 'Public' : 'Internal'}<br><small>${indianTime(commentedAt)}</small></th>
<td><pre>${content}</pre></td></tr></table>\n`;

function attachmentPart(ticket: Ticket, { id, name, bytes, isPublic }: Attachment): Html {
  const address = `/tickets/${ticket.id}/attachments/${id}`;
  const player = isWav(name) && html`<br><audio controls preload="none" src="${address}"></audio>`;
  const size = `${(bytes.length / 1024).toFixed(1)} KB`;
  return html`<p><a href="${address}">${name}</a> <small>${size}, ${isPublic ? 'public' : 'internal'}</small>${player}</p>\n`;
}

function ticketForm(state: HelpDeskState, { id, orgId, fields }: Ticket): Html {
  const { statuses, priorities } = state.settings;
  const agents = state.organizations.get(orgId)?.agents ?? [];
  const named = (names: string[]) => names.map((name) => ({ value: name, label: name }));
  const assignees = agents.map((agent) => ({ value: agent.id, label: `${agent.firstName} ${agent.lastName}` }));
  return html`<form method="post" action="/tickets/${id}">
${select('status', 'Status', named(Object.keys(statuses)), fields.status)}
${select('priority', 'Priority', [{ value: '', label: 'none' }, ...named(priorities)], fields.priority)}
${select('assigneeId', 'Assignee', [{ value: '', label: 'nobody' }, ...assignees], fields.assigneeId)}
<button>Save</button></form>`;
}

const select = (name: string, label: string, choices: Option[], chosen: string | null | undefined): Html =>
  html`<label>${label} <select name="${name}">${options(choices, chosen ?? '')}</select></label>`;

const indianTime = (ms: number) =>
  `${new Date(ms).toLocaleString('en-GB', { timeZone: 'Asia/Kolkata', dateStyle: 'medium', timeStyle: 'medium' })} IST`;

const bothTimes = (ms: number) => `${indianTime(ms)} (${new Date(ms).toISOString()})`;
