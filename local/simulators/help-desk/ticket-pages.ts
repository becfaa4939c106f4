import type { IncomingMessage } from 'node:http';
import { type Answer, Problem } from '../answer.ts';
import { formFields } from '../body.ts';
import { escapeHtml } from '../page.ts';
import { fullName } from './contacts.ts';
import { page } from './page.ts';
import type { Attachment, Comment, HelpDeskState, Simulator, Ticket } from './state.ts';
import { changeTicket, ticketRow } from './tickets.ts';

/** For people: the tickets, a ticket with all that hangs on it and a form to change it, and its files. */
export function serveTicketPages(simulator: Simulator, request: IncomingMessage, url: URL, text: string): Answer {
  const { state } = simulator;
  const [, , id, part, attachmentId] = url.pathname.split('/');
  if (!id) return { status: 200, html: ticketsPage(simulator, url.searchParams.get('contactId')) };
  const ticket = known(state, id);
  if (part === 'attachments') return file(ticket, attachmentId);
  if (part) throw notFound();
  if (request.method === 'POST') {
    const { status, priority, assigneeId } = formFields(request.headers['content-type'], text);
    if (status === undefined || !Object.hasOwn(state.settings.statuses, status))
      throw new Problem({ status: 400, html: page('No such status', back(id)) });
    // What is left empty is empty: null, as the API shows it.
    changeTicket(state, ticket, { status, priority: priority || null, assigneeId: assigneeId || null });
    return { status: 303, headers: { location: `/tickets/${id}` } };
  }
  if (request.method !== 'GET') throw new Problem({ status: 405, html: page('Not that way', back(id)) });
  return { status: 200, html: ticketPage(simulator, ticket) };
}

const notFound = () =>
  new Problem({ status: 404, html: page('No such ticket', '<p><a href="/tickets">All tickets</a></p>') });

const back = (id: string) => `<p><a href="/tickets/${escapeHtml(id)}">The ticket</a></p>`;

function known(state: HelpDeskState, id: string): Ticket {
  const ticket = state.tickets.get(id);
  if (!ticket) throw notFound();
  return ticket;
}

function ticketsPage(simulator: Simulator, contactId: string | null): string {
  const { state } = simulator;
  const rows = [...state.tickets.values()]
    .filter((ticket) => contactId === null || ticket.contactId === contactId)
    .reverse()
    .map((ticket) => {
      const { fields, ticketNumber, id } = ticket;
      const link = `<a href="/tickets/${id}">#${ticketNumber} ${escapeHtml(fields.subject)}</a>`;
      const cells = [fields.status, fields.priority, contactName(state, ticket), indianTime(ticket.createdAt)];
      return `<tr><td>${link}</td>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
    });
  return page(
    'Tickets',
    `<p><a href="/tickets">Look again</a></p>\n<table>${rows.join('\n') || '<tr><td>None yet.</td></tr>'}</table>`,
  );
}

function contactName(state: HelpDeskState, { contactId }: Ticket): string {
  const contact = state.contacts.get(contactId);
  return contact ? fullName(contact.fields) : '';
}

function ticketPage(simulator: Simulator, ticket: Ticket): string {
  const { state } = simulator;
  const { fields } = ticket;
  const contact = state.contacts.get(ticket.contactId)?.fields;
  const organization = state.organizations.get(ticket.orgId);
  const agent = organization?.agents.find((each) => each.id === fields.assigneeId);
  const { statusType } = ticketRow(simulator, ticket);
  const none = '<p>None.</p>';
  return page(
    `#${ticket.ticketNumber} ${fields.subject}`,
    `<p><a href="/tickets">All tickets</a> · <a href="/tickets/${ticket.id}">Look again</a></p>
${table({
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
})}
<h2>Comments</h2>
${ticket.comments.map(commentPart).join('\n') || none}
<h2>Attachments</h2>
${ticket.attachments.map((attachment) => attachmentPart(ticket, attachment)).join('\n') || none}
<h2>Change it</h2>
${form(state, ticket)}`,
  );
}

/** Values that are set. */
function table(values: Record<string, string | null | undefined>): string {
  const rows = Object.entries(values)
    .filter(([, value]) => value)
    .map(([name, value]) => `<tr><th>${name}</th><td><pre>${escapeHtml(value)}</pre></td></tr>`);
  return `<table>${rows.join('\n')}</table>`;
}

const commentPart = ({ isPublic, content, commentedAt }: Comment) =>
  `<table><tr><th>${isPublic ? 'Public' : 'Internal'}<br><small>${indianTime(commentedAt)}</small></th>
<td><pre>${escapeHtml(content)}</pre></td></tr></table>`;

function attachmentPart(ticket: Ticket, { id, name, bytes, isPublic }: Attachment): string {
  const address = `/tickets/${ticket.id}/attachments/${id}`;
  const player = isWav(name) ? `<br><audio controls preload="none" src="${address}"></audio>` : '';
  const size = `${(bytes.length / 1024).toFixed(1)} KB`;
  return `<p><a href="${address}">${escapeHtml(name)}</a> <small>${size}, ${isPublic ? 'public' : 'internal'}</small>${player}</p>`;
}

const isWav = (name: string) => name.toLowerCase().endsWith('.wav');

/** Only sound is shown in the browser; anything else is a download, whatever it calls itself. */
function file({ attachments }: Ticket, id: string | undefined): Answer {
  const found = attachments.find((each) => each.id === id);
  if (!found) throw notFound();
  const name = `filename*=UTF-8''${encodeURIComponent(found.name)}`;
  return {
    status: 200,
    bytes: found.bytes,
    headers: {
      'content-type': isWav(found.name) ? 'audio/wav' : 'application/octet-stream',
      'content-disposition': `${isWav(found.name) ? 'inline' : 'attachment'}; ${name}`,
      'content-length': String(found.bytes.length),
      'x-content-type-options': 'nosniff',
    },
  };
}

function form(state: HelpDeskState, { id, orgId, fields }: Ticket): string {
  const { statuses, priorities } = state.settings;
  const agents = state.organizations.get(orgId)?.agents ?? [];
  const named = (names: string[]) => names.map((name) => [name, name] as const);
  return `<form method="post" action="/tickets/${id}">
${select('status', 'Status', named(Object.keys(statuses)), fields.status)}
${select('priority', 'Priority', [['', 'none'], ...named(priorities)], fields.priority)}
${select('assigneeId', 'Assignee', [['', 'nobody'], ...agents.map((each) => [each.id, `${each.firstName} ${each.lastName}`] as const)], fields.assigneeId)}
<button>Save</button></form>`;
}

function select(
  name: string,
  label: string,
  options: (readonly [value: string, shown: string])[],
  chosen: string | null | undefined,
): string {
  const choices = options.map(
    ([value, shown]) =>
      `<option value="${escapeHtml(value)}"${value === (chosen ?? '') ? ' selected' : ''}>${escapeHtml(shown)}</option>`,
  );
  return `<label>${label} <select name="${name}">${choices.join('')}</select></label>`;
}

const indianTime = (ms: number) =>
  `${new Date(ms).toLocaleString('en-GB', { timeZone: 'Asia/Kolkata', dateStyle: 'medium', timeStyle: 'medium' })} IST`;

const bothTimes = (ms: number) => `${indianTime(ms)} (${new Date(ms).toISOString()})`;
