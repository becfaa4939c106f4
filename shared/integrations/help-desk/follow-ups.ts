import * as z from 'zod/mini';
import type { HelpDeskApi, Upload } from './api.ts';
import type { HelpDeskAccess, HelpDeskWrite } from './help-desk.ts';
import { idSchema, write } from './records.ts';

export type HelpDeskFollowUps = ReturnType<typeof helpDeskFollowUps>;

/** What the help desk takes as one file. It documents no limit; 20 MB is what it is known to take. */
export const MOST_ATTACHMENT_BYTES = 20 * 1024 * 1024;

const receipt = z.object({ id: idSchema });

/** What follows upon a ticket. Each throws ReconnectNeeded and AccessUnavailable; then nothing was done. */
export const helpDeskFollowUps = (api: HelpDeskApi) => {
  const below = (ticketId: string, what: string) => `/api/v1/tickets/${ticketId}/${what}`;
  return {
    /**
     * Tags a ticket (POST /api/v1/tickets/{id}/associateTag); once more with the same tags changes nothing.
     * @param tags as the connection's settings allow them. @returns with the ticket's id.
     */
    async associateTags(access: HelpDeskAccess, ticketId: string, tags: readonly string[]): Promise<HelpDeskWrite> {
      const answer = await api(access, { method: 'POST', path: below(ticketId, 'associateTag'), json: { tags } });
      return answer.kind === 'answered' ? { kind: 'written', id: ticketId } : answer;
    },

    /**
     * Attaches a file, for agents only. @returns refused as `too_large` without a request, where it is larger than 20 MiB.
     * @throws also what opening the file throws.
     */
    async attach(access: HelpDeskAccess, ticketId: string, file: Upload): Promise<HelpDeskWrite> {
      if (file.contentLength > MOST_ATTACHMENT_BYTES) return { kind: 'refused', code: 'too_large', status: 0 };
      const query = { isPublic: 'false' };
      return write(api, access, { path: below(ticketId, 'attachments'), query, upload: file }, receipt);
    },

    /** Comments, for agents only. @param content plain text, at most 32,000 characters (`transcriptComment`). */
    comment: (access: HelpDeskAccess, ticketId: string, content: string): Promise<HelpDeskWrite> =>
      write(
        api,
        access,
        { path: below(ticketId, 'comments'), json: { content, isPublic: false, contentType: 'plainText' } },
        receipt,
      ),
  };
};
