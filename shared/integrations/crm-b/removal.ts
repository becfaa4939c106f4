import * as z from 'zod/mini';
import type { RecordRemoval } from '../../domain/after-call/erasure/erased-record.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { readRefusal } from './records.ts';

/** The result of the only record of a request (Zoho CRM v8, "Delete Records", "Delete Notes"). */
const result = z.object({ data: z.array(z.object({ code: z.string(), status: z.string() })).check(z.minLength(1)) });

const scopes = { Notes: 'ZohoCRM.modules.notes.DELETE', Calls: 'ZohoCRM.modules.calls.DELETE' } as const;

/**
 * Deletes a note or a call log (`DELETE /crm/v8/{module}/{id}`). The vendor has no code of its own for a record that
 * does not exist, so after a refusal the record is read.
 */
export async function removeCrmBRecord(
  api: CrmBApi,
  access: CrmBAccess,
  module: keyof typeof scopes,
  id: string,
): Promise<RecordRemoval> {
  const path = `/crm/v8/${module}/${id}`;
  const answer = await api(access, { method: 'DELETE', path });
  if (answer.kind === 'refused') {
    const refusal = readRefusal(answer);
    if (refusal.kind === 'unavailable') return refusal;
    if (refusal.code === 'OAUTH_SCOPE_MISMATCH') return { kind: 'scope_missing', scope: scopes[module] };
    return isUnknownRecord(answer) ? isGone(api, access, path, refusal.code) : refusal;
  }
  if (answer.kind !== 'answered') return answer;
  const [item] = z.safeParse(result, answer.body).data?.data ?? [];
  if (item?.status === 'success') return { kind: 'removed' };
  if (item?.status === 'error') return isGone(api, access, path, item.code);
  return { kind: 'unknown', reason: 'an answer that cannot be read' };
}

const isUnknownRecord = ({ status, code }: { status: number; code?: string }): boolean =>
  (status === 404 && code !== 'INVALID_URL_PATTERN') || code === 'INVALID_DATA';

/** Reads a record that could not be deleted: 204 means that it does not exist. */
async function isGone(api: CrmBApi, access: CrmBAccess, path: string, code: string): Promise<RecordRemoval> {
  const answer = await api(access, { method: 'GET', path });
  if (answer.kind === 'refused') return readRefusal(answer);
  if (answer.kind !== 'answered') return answer;
  return answer.body === undefined ? { kind: 'absent' } : { kind: 'refused', code };
}
