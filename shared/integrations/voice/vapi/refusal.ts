import * as z from 'zod/mini';
import type { DialOutcome } from '../voice-platform.ts';

type Limit = NonNullable<Extract<DialOutcome, { kind: 'not_dialed' }>['limit']>;

/**
 * Statuses that refuse the account and not the call: no phone rang, and an operator has to act (Vapi docs, "Error
 * codes").
 */
export const operatorFaults: ReadonlySet<number> = new Set([401, 402, 403]);
/** Statuses that may come from a gateway in front of the platform, so that the outcome is unknown. */
const uncertain = new Set([408, 409, 425]);

/**
 * Vapi answers 400 for every "client or policy failure" (API reference, POST /call), including limits of the account
 * and faults of our configuration. Only the message distinguishes these from an invalid request. They are temporary, so
 * the call waits. A fraud check and the ban of international calls may concern only one destination.
 */
const temporaryRefusals: readonly { message: RegExp; isOperatorFault: boolean; limit: Limit }[] = [
  { message: /concurren/i, isOperatorFault: false, limit: 'account' },
  { message: /\bdaily (outbound )?(call )?limit/i, isOperatorFault: true, limit: 'number' },
  { message: /\b(wallet|credits|balance|billing|payment|subscription)\b/i, isOperatorFault: true, limit: 'account' },
  // Requires the name of the request's member, so that a refusal of the customer's "phone number" does not match.
  { message: /\bphoneNumber(Id)?\b/, isOperatorFault: true, limit: 'number' },
  { message: /\bfraud\b|\binternational calls?\b/i, isOperatorFault: true, limit: 'destination' },
  // The carrier of an imported number (Twilio, error codes 21215 and 21219; 21210, 20003 and 10001; 20429).
  { message: /\bnot authorized to call\b|\btrial accounts\b/i, isOperatorFault: true, limit: 'destination' },
  {
    message:
      /\bsource phone number\b|\bTwilio Error: (Authenticat|Account (\w{1,40} )?(is )?(not active|suspended)\b)/i,
    isOperatorFault: true,
    limit: 'number',
  },
  { message: /\bTwilio Error: Too Many Requests\b/i, isOperatorFault: false, limit: 'number' },
];

const bodySchema = z.object({ message: z.union([z.string(), z.array(z.string())]) });

/**
 * Reads an answer to POST /call that is not a call.
 * @param body the parsed JSON, if it is JSON. @param retryAfterSeconds as the answer says.
 * @param quotable the organization's own texts in the request. The platform's messages quote values, such as a voice
 * that it does not know: one organization's voice "wallet" must not stop the calls of all
 */
export function outcomeOfRefusal(
  status: number,
  body: unknown,
  retryAfterSeconds?: number,
  quotable: readonly (string | undefined)[] = [],
): Exclude<DialOutcome, { kind: 'accepted' }> {
  const reason = `platform answered ${status}`;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  // A permission may concern only one destination, so it does not stop other calls.
  if (status === 403) return { kind: 'not_dialed', reason, isOperatorFault: true, limit: 'destination' };
  if (operatorFaults.has(status))
    return { kind: 'not_dialed', reason, isOperatorFault: true, limit: 'account', ...wait };
  if (status === 429) return { kind: 'not_dialed', reason, isOperatorFault: false, limit: 'account', ...wait };
  if (status < 400 || status >= 500 || uncertain.has(status)) return { kind: 'unknown', reason };
  const found =
    status === 400 || status === 404
      ? temporaryRefusals.find(({ message }) => message.test(withoutQuotes(messageOf(body), quotable)))
      : undefined;
  if (found) {
    const { isOperatorFault, limit } = found;
    const what = limit === 'number' ? 'calling number' : limit;
    return { kind: 'not_dialed', reason: `${reason}: about the ${what}`, isOperatorFault, limit, ...wait };
  }
  // The request names no object of the platform except the calling number. Or the configured URL is wrong.
  if (status === 404) return { kind: 'not_dialed', reason, isOperatorFault: true, limit: 'number', ...wait };
  return { kind: 'refused', reason };
}

function messageOf(body: unknown): string {
  const read = bodySchema.safeParse(body);
  return read.success ? [read.data.message].flat().join(' ').slice(0, 1_000) : '';
}

/** Removes texts from a message, in upper and lower case, where they are not part of a longer word. */
function withoutQuotes(message: string, quotable: readonly (string | undefined)[]): string {
  let left = message;
  for (const text of quotable) {
    const part = text?.trim().toLowerCase();
    if (!part) continue;
    for (let at = left.toLowerCase().indexOf(part); at !== -1; at = left.toLowerCase().indexOf(part, at + 1)) {
      const [before, after] = [left.slice(0, at), left.slice(at + part.length)];
      if (!/\w$/.test(before) && !/^\w/.test(after)) left = `${before}…${after}`;
    }
  }
  return left;
}
