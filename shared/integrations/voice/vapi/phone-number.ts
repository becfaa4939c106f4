import * as z from 'zod/mini';
import { parseJson } from '../../../domain/json.ts';
import { request } from '../../http/request.ts';

/** A number without a status counts as active (Vapi API reference, "Get Phone Number": the status is optional). */
const phoneNumberSchema = z.object({ status: z._default(z.string(), 'active') });

type Account = { url: string; apiKey: string; timeoutMs: number };

type PhoneNumber =
  | { kind: 'found'; status: string }
  | { kind: 'not_found' }
  | { kind: 'refused' }
  | { kind: 'unknown'; reason: string };

/** Reads a calling number of the account (Vapi API reference, "Get Phone Number"). It never returns the number. */
export async function readPhoneNumber({ url, apiKey, timeoutMs }: Account, id: string): Promise<PhoneNumber> {
  const answer = await request({
    method: 'GET',
    url: new URL(`/phone-number/${encodeURIComponent(id)}`, url),
    headers: { authorization: `Bearer ${apiKey}` },
    totalTimeoutMs: timeoutMs,
  });
  if (answer.kind !== 'answered') return { kind: 'unknown', reason: answer.reason };
  if (answer.status === 401 || answer.status === 403) return { kind: 'refused' };
  // An id that is not a UUID is refused as 400.
  if (answer.status === 404 || answer.status === 400) return { kind: 'not_found' };
  if (answer.status !== 200) return { kind: 'unknown', reason: `status ${answer.status}` };
  const found = phoneNumberSchema.safeParse(parseJson(answer.body));
  return found.success
    ? { kind: 'found', status: found.data.status }
    : { kind: 'unknown', reason: 'unreadable answer' };
}
