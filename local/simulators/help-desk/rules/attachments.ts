import type { Attachment, Ticket } from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Handler } from './caller.ts';
import { fieldError, problems } from './problems.ts';
import { allowOnly } from './query.ts';
import { ticketOf } from './tickets.ts';

const MAX_NAME_LENGTH = 100;

/** Takes one file in a part named `file`. `isPublic` is in the query (Zoho Desk OpenAPI v1.0, TicketAttachment.json). */
export const createAttachment: Handler = (state, caller) => {
  const { query, parts, user } = caller;
  allowOnly(query, ['isPublic']);
  const isPublic = query.get('isPublic') ?? 'false';
  if (isPublic !== 'true' && isPublic !== 'false') throw problems.invalidParam('isPublic');
  const ticket = ticketOf(state, caller);
  if (!parts) throw problems.mediaType();
  const extra = parts.find(({ name }) => name !== 'file');
  if (extra) throw problems.invalidData([fieldError([extra.name], `Extra parameter '${extra.name}' is found.`)]);
  const [part, ...others] = parts;
  if (!part?.fileName) throw problems.invalidData([fieldError(['file'], 'The file is missing.', 'missing')]);
  if (others.length > 0) throw problems.invalidData([fieldError(['file'], 'One file at a time.', 'duplicate')]);
  if (part.fileName.length > MAX_NAME_LENGTH)
    throw problems.invalidData([fieldError(['file'], `The name is longer than ${MAX_NAME_LENGTH} characters.`)]);
  if (part.bytes.length > state.settings.attachmentBytes) throw problems.tooLarge();
  const attachment: Attachment = {
    id: state.nextId(),
    name: part.fileName,
    isPublic: isPublic === 'true',
    bytes: part.bytes,
    creatorId: user,
    createdAt: state.second(),
  };
  ticket.attachments.push(attachment);
  return { status: state.settings.attachmentStatus, json: attachmentRecord(state, ticket, attachment) };
};

const attachmentRecord = (state: HelpDeskState, ticket: Ticket, { bytes, createdAt, ...rest }: Attachment) => ({
  ...rest,
  size: String(bytes.length),
  href: `${state.url}/api/v1/tickets/${ticket.id}/attachments/${rest.id}/content`,
  createdTime: state.time(createdAt),
  previewurl: null,
});

export const listAttachments: Handler = (state, caller) => {
  allowOnly(caller.query, ['from', 'limit', 'sortBy', 'isPublic', 'include']);
  const ticket = ticketOf(state, caller);
  if (ticket.attachments.length === 0) return { status: 204 };
  const data = ticket.attachments.map((attachment) => attachmentRecord(state, ticket, attachment));
  return { status: 200, json: { data } };
};

export const getAttachmentContent: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  const found = ticketOf(state, caller).attachments.find(({ id }) => id === caller.names.attachmentId);
  if (!found) throw problems.notFound();
  return { status: 200, bytes: found.bytes, headers: { 'content-type': 'application/octet-stream' } };
};
