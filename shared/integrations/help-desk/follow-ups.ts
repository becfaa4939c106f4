import * as z from 'zod/mini';
import { beginsWith } from '../../domain/after-call/tickets/help-desk-ticket.ts';
import type { HelpDeskApi, Upload } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskWrite } from './help-desk.ts';
import { idSchema, read, write } from './records.ts';

export type HelpDeskFollowUps = ReturnType<typeof helpDeskFollowUps>;

/** The largest file. The help desk documents no limit, but is known to accept 20 MB. */
export const MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024;

const receipt = z.object({ id: idSchema });
const attachmentRow = z.object({ id: idSchema, name: z.string() });
const commentRow = z.object({ id: idSchema, content: z.string() });

/**
 * The maximum `limit` (Zoho Desk v1, "List ticket attachments", "List all ticket comments"). A new ticket has fewer
 * entries.
 */
const PER_PAGE = 100;

/** Writes the follow-ups of a ticket, and looks them up. */
export const helpDeskFollowUps = (api: HelpDeskApi) => {
  const below = (ticketId: string, what: string) => `/api/v1/tickets/${ticketId}/${what}`;
  /** Searches the attachments or comments of a ticket. */
  const find = async <Row extends z.ZodMiniType<{ id: string }>>(
    access: HelpDeskAccess,
    path: string,
    row: Row,
    isWanted: (row: z.infer<Row>) => boolean,
  ): Promise<HelpDeskReading<{ id: string }>> => {
    const query = { limit: String(PER_PAGE) };
    const answer = await read(api, access, { path, query }, z.object({ data: z.array(row) }));
    if (answer.kind !== 'read') return answer;
    const rows = answer.value?.data ?? [];
    const found = rows.find(isWanted);
    if (found) return { kind: 'found', id: found.id };
    return rows.length < PER_PAGE ? { kind: 'absent' } : { kind: 'unavailable', reason: 'too many entries to search' };
  };

  return {
    /**
     * Tags a ticket (POST /api/v1/tickets/{id}/associateTag). Idempotent.
     * @param tags as the connection's settings allow them. @returns the ticket's id.
     */
    async associateTags(access: HelpDeskAccess, ticketId: string, tags: readonly string[]): Promise<HelpDeskWrite> {
      const answer = await api(access, { method: 'POST', path: below(ticketId, 'associateTag'), json: { tags } });
      return answer.kind === 'answered' ? { kind: 'written', id: ticketId } : answer;
    },

    /**
     * Attaches a file, for agents only. Refuses a file larger than 20 MiB as `too_large`, without a request.
     * @throws the error of opening the file.
     */
    async attach(access: HelpDeskAccess, ticketId: string, file: Upload): Promise<HelpDeskWrite> {
      if (file.contentLength > MAX_ATTACHMENT_BYTES) return { kind: 'refused', code: 'too_large', status: 0 };
      const query = { isPublic: 'false' };
      return write(api, access, { path: below(ticketId, 'attachments'), query, upload: file }, receipt);
    },

    /** Looks up an attachment by its file name (GET /api/v1/tickets/{id}/attachments). */
    findAttachment: (access: HelpDeskAccess, ticketId: string, filename: string) =>
      find(access, below(ticketId, 'attachments'), attachmentRow, ({ name }) => name === filename),

    /** Looks up a comment by its beginning (GET /api/v1/tickets/{id}/comments). */
    findComment: (access: HelpDeskAccess, ticketId: string, beginning: string) =>
      find(access, below(ticketId, 'comments'), commentRow, ({ content }) => beginsWith(content, beginning)),

    /** Adds a comment, for agents only. @param content plain text from `transcriptComment`. */
    comment: (access: HelpDeskAccess, ticketId: string, content: string): Promise<HelpDeskWrite> =>
      write(
        api,
        access,
        { path: below(ticketId, 'comments'), json: { content, isPublic: false, contentType: 'plainText' } },
        receipt,
      ),
  };
};
