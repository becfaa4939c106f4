import * as z from 'zod/mini';
import type { RecordRemoval } from '../../domain/after-call/erasure/erased-record.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess } from './help-desk.ts';
import { read } from './records.ts';

/** Some answers have `isTrashed` as text. */
const trashed = z.object({ isTrashed: z.catch(z.optional(z.union([z.boolean(), z.string()])), undefined) });

/**
 * Moves a ticket into the trash (`POST /api/v1/tickets/moveToTrash`; Zoho Desk v1 has no request that deletes one). The
 * vendor does not document the refusal of an unknown ticket, so after a refusal the ticket is read.
 */
export async function removeTicket(api: HelpDeskApi, access: HelpDeskAccess, id: string): Promise<RecordRemoval> {
  const answer = await api(access, { method: 'POST', path: '/api/v1/tickets/moveToTrash', json: { ticketIds: [id] } });
  if (answer.kind === 'answered') return { kind: 'removed' };
  if (answer.kind !== 'refused') return answer;
  if (answer.code === 'SCOPE_MISMATCH') return { kind: 'scope_missing', scope: 'tickets.DELETE' };
  if (answer.status !== 404 && answer.status !== 422) return { kind: 'refused', code: answer.code };
  const found = await read(api, access, { path: `/api/v1/tickets/${id}` }, trashed);
  if (found.kind === 'refused')
    return found.status === 404 ? { kind: 'absent' } : { kind: 'refused', code: found.code };
  if (found.kind !== 'read') return found;
  const isAbsent = found.value === undefined || String(found.value.isTrashed) === 'true';
  return isAbsent ? { kind: 'absent' } : { kind: 'refused', code: answer.code };
}
