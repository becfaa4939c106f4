import type { CreateCall } from '../../../local/simulators/voice/create-call.ts';
import type { VendorCall } from '../../../local/simulators/voice/model.ts';

/** The vendor's answer to a placed call. */
type PlacedCall = VendorCall & { subscriptionLimits: Record<string, unknown> };

/** An answer of 400 or higher. */
export class VoiceError extends Error {
  readonly statusCode: number;
  readonly body: unknown;

  constructor(statusCode: number, body: unknown) {
    super(`the platform answered ${statusCode}`);
    this.statusCode = statusCode;
    this.body = body;
  }
}

const LONGEST_MS = 10_000;

/**
 * A client of the voice platform's API, which sends each request once (https://docs.vapi.ai/api-reference/calls).
 * @throws VoiceError if a request is refused, or a TimeoutError if there is no answer in time
 */
export function voiceClient(url: string, apiKey: string) {
  async function send(method: string, path: string, { body, ms = LONGEST_MS }: { body?: object; ms?: number } = {}) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ms),
    });
    const value: unknown = await answer.json();
    if (!answer.ok) throw new VoiceError(answer.status, value);
    return value;
  }

  return {
    create: (call: CreateCall, ms?: number) => send('POST', '/call', { body: call, ms }) as Promise<PlacedCall>,
    get: (id: string) => send('GET', `/call/${id}`) as Promise<VendorCall>,
    list: (filter: Record<string, string | number> = {}, ms?: number) =>
      send('GET', `/call?${new URLSearchParams(filter as Record<string, string>)}`, { ms }) as Promise<VendorCall[]>,
    update: (id: string, changes: object) => send('PATCH', `/call/${id}`, { body: changes }) as Promise<VendorCall>,
    delete: (id: string, ms?: number) => send('DELETE', `/call/${id}`, { ms }),
  };
}
