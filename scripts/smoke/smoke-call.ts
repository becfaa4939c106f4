import type * as z from 'zod/mini';
import { terminalStatuses } from '../../shared/domain/calls/call-status.ts';
import { call, queuedCall } from '../../shared/messages/rest/calls.ts';
import { sleep } from '../../shared/runtime/clock.ts';

/** A deployment and the call that verifies it. */
export type Smoke = {
  /** Base of the API. */
  url: string;
  /** With calls:write and calls:read. */
  apiKey: string;
  assistantId: string;
  /** A number that always answers, E.164. */
  phoneNumber: string;
  /** A repeat with the same key places no second call. */
  idempotencyKey: string;
  /** The longest time until the call has ended, in milliseconds. */
  timeLimitMs: number;
};

/** The deployment's fault, in a sentence without the number or the key. */
export class SmokeError extends Error {
  override readonly name = 'SmokeError';
}

const REQUEST_MS = 30_000;
const POLL_MS = 2_000;

/**
 * Places one call by REST and follows it to its end. Answers of 429 and 5xx, and lost connections, are retried until
 * the time is over.
 * @returns the call's id, its connected seconds and its cost in credits.
 * @throws SmokeError if a request is refused, if an answer is not as the API describes, or if the call is not answered
 * and charged in time.
 */
export async function smokeCall(smoke: Smoke): Promise<{ callId: string; seconds: number; cost: number }> {
  const end = performance.now() + smoke.timeLimitMs;
  const { apiKey, assistantId, phoneNumber, idempotencyKey } = smoke;
  const request = async <T>(shape: z.ZodMiniType<T>, method: string, path: string, body?: object): Promise<T> => {
    const { status, text } = await requestUntil(end, `${smoke.url}${path}`, method, apiKey, body);
    const read = shape.safeParse(readJson(text));
    if (!read.success)
      throw new SmokeError(
        `${method} ${path} is answered with ${status}, but not with the body that the API describes.`,
      );
    return read.data;
  };

  const { call_id: callId } = await request(queuedCall, 'POST', '/v1/calls/outbound', {
    phone_number: phoneNumber,
    assistant_id: assistantId,
    idempotency_key: idempotencyKey,
  });
  let last = 'queued';
  while (performance.now() < end) {
    const { status, duration, cost, ended_reason } = await request(call, 'GET', `/v1/calls/${callId}`);
    last = status;
    if (terminalStatuses.some((one) => one === status)) {
      if (status !== 'completed' && status !== 'transferred')
        throw new SmokeError(`${callId} ended as ${status} (${ended_reason ?? 'without a reason'}).`);
      if (!duration || cost === null) throw new SmokeError(`${callId} was answered, but has no duration or no cost.`);
      return { callId, seconds: duration, cost };
    }
    await sleep(POLL_MS);
  }
  throw new SmokeError(`${callId} is still ${last} after ${smoke.timeLimitMs / 1000} s.`);
}

type Answer = { status: number; text: string };

async function requestUntil(end: number, url: string, method: string, apiKey: string, body?: object): Promise<Answer> {
  for (;;) {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: Error) => ({ status: 0, text: codeOf(error) }));
    if (answer.status >= 200 && answer.status < 300) return answer;
    const { error } = readJson(answer.text) as { error?: unknown };
    const answered = `is answered with ${answer.status}${typeof error === 'string' ? ` ${error}` : ''}`;
    const what = `${method} ${new URL(url).pathname} ${answer.status === 0 ? `is not answered: ${answer.text}` : answered}`;
    const mayPass = answer.status === 0 || answer.status === 429 || answer.status >= 500;
    if (!mayPass || performance.now() + POLL_MS > end) throw new SmokeError(`${what}.`);
    await sleep(POLL_MS);
  }
}

/** Names a failure of `fetch` without the address: `ECONNREFUSED`, `TimeoutError`. */
const codeOf = ({ name, cause }: Error): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : name;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
