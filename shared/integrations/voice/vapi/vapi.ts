import * as z from 'zod/mini';
import { parseJson } from '../../../domain/json.ts';
import { type HttpRequest, open, request } from '../../http/request.ts';
import { readRetryAfter } from '../../http/retry-after.ts';
import type {
  DialOutcome,
  EraseOutcome,
  HangUpOutcome,
  ReadOutcome,
  RecordingOutcome,
  Unknown,
  VoicePlatform,
} from '../voice-platform.ts';
import { callListing, type ListedCall, type Page, type PageQuery } from './call-listing.ts';
import { createCallBody } from './create-call.ts';
import { createdCallSchema, readVapiCall, type VapiCall, vapiCallSchema } from './messages.ts';
import { operatorFaults, outcomeOfRefusal } from './refusal.ts';

/** The secret of the platform: the account's private key, and the id of the default calling number. */
export const vapiCredentials = z.object({ api_key: z.string(), phone_number_id: z.optional(z.string()) });

type VapiCredentials = z.infer<typeof vapiCredentials>;

export type VapiOptions = {
  /** https://api.vapi.ai, or a compatible origin. */
  url: string;
  /** Reads the secret. `fresh` bypasses the cache. */
  credentials: (fresh?: boolean) => Promise<VapiCredentials>;
  now: () => Date;
  /** Milliseconds for one request. */
  timeoutMs?: number;
};

const RECORDING_TIMEOUT_MS = 45_000;

/** Statuses of calls that can no longer ring or talk. */
const endedStatuses: ReadonlySet<string | undefined> = new Set(['ended', 'not-found', 'deletion-failed']);

/** Creates the client of Vapi (docs.vapi.ai, API reference) as the voice platform. */
export function vapi({ url, credentials, now, timeoutMs = 10_000 }: VapiOptions): VoicePlatform {
  const send = async (options: Pick<HttpRequest, 'method' | 'json'> & { path: string }) => {
    const { api_key } = await credentials();
    const answer = await request({
      ...options,
      url: new URL(options.path, url),
      headers: { authorization: `Bearer ${api_key}` },
      totalTimeoutMs: timeoutMs,
    });
    // The key may have been rotated. The next request uses the new one; this request is never repeated.
    if (answer.kind === 'answered' && answer.status === 401) await credentials(true).catch(() => undefined);
    return answer;
  };

  const getCall = async (
    platformId: string,
  ): Promise<{ kind: 'call'; call: VapiCall } | Exclude<ReadOutcome, { kind: 'known' }>> => {
    const answer = await send({ method: 'GET', path: `/call/${encodeURIComponent(platformId)}` });
    if (answer.kind !== 'answered') return { kind: 'unknown', reason: answer.reason, isUnanswered: true };
    if (answer.status === 404) return { kind: 'not_found' };
    if (answer.status !== 200) return unknownFor(answer.status);
    const call = vapiCallSchema.safeParse(parseJson(answer.body));
    return call.success ? { kind: 'call', call: call.data } : { kind: 'unknown', reason: 'unreadable answer' };
  };

  const readPage = async ({ from, to, limit }: PageQuery): Promise<Page> => {
    const query = new URLSearchParams({
      createdAtGe: new Date(from).toISOString(),
      createdAtLt: new Date(to).toISOString(),
      limit: String(limit),
    });
    const answer = await send({ method: 'GET', path: `/call?${query}` });
    if (answer.kind === 'not_sent') return { kind: 'unknown', reason: answer.reason };
    if (answer.kind === 'no_answer') return answer;
    if (answer.status !== 200) return unknownFor(answer.status);
    const list = z.array(vapiCallSchema).safeParse(parseJson(answer.body));
    if (!list.success) return { kind: 'unknown', reason: 'unreadable answer' };
    return { kind: 'page', calls: list.data.map(listedCall) };
  };

  return {
    /**
     * Deletes a call. Vapi answers 503 while recordings are left: "retry" (Vapi API reference, "Delete Call"). A
     * success contains the call, whose status may be `deletion-failed`.
     */
    async erase(platformId): Promise<EraseOutcome> {
      const answer = await send({ method: 'DELETE', path: `/call/${encodeURIComponent(platformId)}` });
      if (answer.kind !== 'answered') return { kind: 'left', reason: answer.reason };
      if (answer.status === 404) return { kind: 'absent' };
      if (answer.status < 200 || answer.status >= 300) return { kind: 'left', reason: `status ${answer.status}` };
      const call = vapiCallSchema.safeParse(parseJson(answer.body));
      return call.data?.status === 'deletion-failed'
        ? { kind: 'left', reason: 'the deletion failed' }
        : { kind: 'erased' };
    },

    async prepare() {
      await credentials();
    },

    async dial(dialRequest): Promise<DialOutcome> {
      const { phone_number_id } = await credentials();
      const phoneNumberId = dialRequest.voiceNumberId ?? phone_number_id;
      if (!phoneNumberId)
        return {
          kind: 'not_dialed',
          reason: 'no calling number is configured',
          isOperatorFault: true,
          limit: 'number',
        };
      const answer = await send({ method: 'POST', path: '/call', json: createCallBody(dialRequest, phoneNumberId) });
      if (answer.kind === 'not_sent') return { kind: 'not_dialed', reason: answer.reason, isOperatorFault: false };
      if (answer.kind === 'no_answer') return { kind: 'unknown', reason: answer.reason };
      const body = parseJson(answer.body);
      if (answer.status !== 200 && answer.status !== 201) {
        const { voice, language, assistantName, firstMessage, transferNumber } = dialRequest;
        const quotable = [voice, language, assistantName, firstMessage, transferNumber];
        return outcomeOfRefusal(answer.status, body, readRetryAfter(answer.headers['retry-after'], now()), quotable);
      }
      const call = createdCallSchema.safeParse(body);
      if (!call.success) return { kind: 'unknown', reason: 'unreadable answer' };
      const isQueued = call.data.subscriptionLimits?.concurrencyBlocked === true;
      return { kind: 'accepted', platformId: call.data.id, ...(isQueued && { isQueued }) };
    },

    lookup: () => callListing(readPage, { now: () => now().getTime() }),

    async read(platformId): Promise<ReadOutcome> {
      const found = await getCall(platformId);
      if (found.kind !== 'call') return found;
      const { status } = found.call;
      if (status === 'not-found' || status === 'deletion-failed') return { kind: 'not_found' };
      const message = readVapiCall(found.call, now());
      return message ? { kind: 'known', message } : { kind: 'unknown', reason: 'unknown status' };
    },

    async hangUp(platformId): Promise<HangUpOutcome> {
      const found = await getCall(platformId);
      if (found.kind === 'unknown') return { kind: 'unreachable', reason: found.reason };
      if (found.kind === 'not_found' || endedStatuses.has(found.call.status)) return { kind: 'not_live' };
      const controlUrl = found.call.monitor?.controlUrl;
      if (!controlUrl) return { kind: 'no_way' };
      const answer = await request({
        method: 'POST',
        url: new URL(controlUrl),
        json: { type: 'end-call' },
        totalTimeoutMs: timeoutMs,
      });
      if (answer.kind !== 'answered') return { kind: 'unreachable', reason: answer.reason };
      // These answers are temporary. Every other refusal means that the call is over.
      if (answer.status >= 500 || answer.status === 408 || answer.status === 429)
        return { kind: 'unreachable', reason: `status ${answer.status}` };
      return { kind: answer.status < 300 ? 'hung_up' : 'not_live' };
    },

    /** Uses the authenticated artifact route. Its redirect to the storage is followed without the key. */
    async recording(platformId): Promise<RecordingOutcome> {
      const answer = await send({ method: 'GET', path: `/call/${encodeURIComponent(platformId)}/mono-recording` });
      if (answer.kind !== 'answered') return { kind: 'unknown', reason: answer.reason };
      if (answer.status === 404) return { kind: 'not_there' };
      const location = answer.headers.location;
      if (answer.status !== 302 || !location) return unknownFor(answer.status);
      const storage = URL.parse(location, url);
      if (!storage) return { kind: 'unknown', reason: 'unreadable recording address' };
      if (storage.protocol !== 'https:' && storage.protocol !== new URL(url).protocol)
        return { kind: 'unknown', reason: 'insecure recording address' };
      const file = await open({
        method: 'GET',
        url: storage,
        headers: { accept: 'audio/*' },
        totalTimeoutMs: RECORDING_TIMEOUT_MS,
      });
      if (file.kind !== 'answered') return { kind: 'unknown', reason: file.reason };
      if (file.status !== 200) {
        file.body.destroy();
        return file.status === 404
          ? { kind: 'not_there' }
          : { kind: 'unknown', reason: `storage status ${file.status}` };
      }
      const length = Number(file.headers['content-length']);
      return {
        kind: 'found',
        contentType: file.headers['content-type'] ?? 'audio/wav',
        contentLength: Number.isSafeInteger(length) && length > 0 ? length : undefined,
        body: file.body,
      };
    },
  };
}

const listedCall = ({ id, customer, createdAt }: VapiCall): ListedCall => ({
  id,
  callId: customer?.externalId,
  createdAt: createdAt === undefined ? undefined : Date.parse(createdAt),
});

const unknownFor = (status: number): Unknown => ({
  kind: 'unknown',
  reason: `status ${status}`,
  ...(operatorFaults.has(status) && { isOperatorFault: true }),
});
