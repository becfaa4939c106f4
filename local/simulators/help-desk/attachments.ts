import { Readable } from 'node:stream';
import busboy from 'busboy';
import { fieldError, problems } from './answers.ts';
import type { Handler } from './api-routes.ts';
import { allowOnly } from './query.ts';
import type { Attachment, Simulator, Ticket } from './state.ts';
import { ticketOf } from './tickets.ts';

/** A part of a form: a file has a file name. */
export type Part = { name: string; fileName?: string; bytes: Buffer };

/** The parts of a multipart form. @returns undefined where the body is none. */
export async function readParts(contentType: string | undefined, body: Buffer): Promise<Part[] | undefined> {
  if (!contentType?.startsWith('multipart/form-data')) return undefined;
  const parts: Part[] = [];
  try {
    const form = busboy({ headers: { 'content-type': contentType }, defParamCharset: 'utf8' });
    const done = new Promise((resolve, reject) => form.once('close', resolve).once('error', reject));
    form.on('field', (name, value) => parts.push({ name, bytes: Buffer.from(value) }));
    form.on('file', (name, stream, { filename }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('close', () => parts.push({ name, fileName: filename, bytes: Buffer.concat(chunks) }));
    });
    Readable.from([body]).pipe(form);
    await done;
    return parts;
  } catch {
    return undefined;
  }
}

const nameLength = 100;

/** One file, in a part named `file` and no other; `isPublic` is in the query (TicketAttachment.json). */
export const createAttachment: Handler = (simulator, caller) => {
  const { state } = simulator;
  const { query, parts, user } = caller;
  allowOnly(query, ['isPublic']);
  const isPublic = query.get('isPublic') ?? 'false';
  if (isPublic !== 'true' && isPublic !== 'false') throw problems.invalidParam('isPublic');
  const ticket = ticketOf(simulator, caller);
  if (!parts) throw problems.mediaType();
  const extra = parts.find(({ name }) => name !== 'file');
  if (extra) throw problems.invalidData([fieldError([extra.name], `Extra parameter '${extra.name}' is found.`)]);
  const [part, ...others] = parts;
  if (!part?.fileName) throw problems.invalidData([fieldError(['file'], 'The file is missing.', 'missing')]);
  if (others.length > 0) throw problems.invalidData([fieldError(['file'], 'One file at a time.', 'duplicate')]);
  if (part.fileName.length > nameLength)
    throw problems.invalidData([fieldError(['file'], `The name is longer than ${nameLength} characters.`)]);
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
  return { status: state.settings.attachmentStatus, json: attachmentRecord(simulator, ticket, attachment) };
};

const attachmentRecord = ({ state, url }: Simulator, ticket: Ticket, { bytes, createdAt, ...rest }: Attachment) => ({
  ...rest,
  size: String(bytes.length),
  href: `${url}/api/v1/tickets/${ticket.id}/attachments/${rest.id}/content`,
  createdTime: state.time(createdAt),
  previewurl: null,
});

export const listAttachments: Handler = (simulator, caller) => {
  allowOnly(caller.query, ['from', 'limit', 'sortBy', 'isPublic', 'include']);
  const ticket = ticketOf(simulator, caller);
  if (ticket.attachments.length === 0) return { status: 204 };
  const data = ticket.attachments.map((attachment) => attachmentRecord(simulator, ticket, attachment));
  return { status: 200, json: { data } };
};

export const getAttachmentContent: Handler = (simulator, caller) => {
  allowOnly(caller.query, []);
  const found = ticketOf(simulator, caller).attachments.find(({ id }) => id === caller.names.attachmentId);
  if (!found) throw problems.notFound();
  return { status: 200, bytes: found.bytes, headers: { 'content-type': 'application/octet-stream' } };
};
