import type { Ticket } from '../model.ts';
import type { HelpDeskState } from '../state.ts';

/** Shows one ticket as the API does. Counts are strings, and the tags appear only as a count. */
export function ticketRecord(state: HelpDeskState, ticket: Ticket) {
  const { fields } = ticket;
  return {
    ...ticketRow(state, ticket),
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

/** Shows a ticket as lists and searches do: without its description, modified time and custom fields. */
export function ticketRow(state: HelpDeskState, ticket: Ticket) {
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
    webUrl: `${state.url}/tickets/${ticket.id}`,
  };
}
