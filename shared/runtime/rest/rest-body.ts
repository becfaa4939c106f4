import { readJsonAsWritten } from '../../domain/text/exact-json.ts';
import type { BodyRefusal } from '../../operations/calls/place-call.ts';
import type { RestRequest } from './rest-route.ts';

const MAX_BYTES = 64 * 1024;

/**
 * Reads a JSON body, with numbers as `readJsonAsWritten` returns them. A missing content type counts as JSON. Refuses
 * bytes that are not UTF-8: replaced, they would make different idempotency keys equal.
 */
export function readJson(request: RestRequest): { ok: true; value: unknown } | BodyRefusal {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type))
    return { ok: false, error: 'unsupported_media_type', message: 'Send the body as application/json.' };
  if (request.body.length > MAX_BYTES)
    return { ok: false, error: 'payload_too_large', message: `The body must not exceed ${MAX_BYTES} bytes.` };
  try {
    return { ok: true, value: readJsonAsWritten(utf8.decode(request.body)) };
  } catch (error) {
    return { ok: false, error: 'invalid_request', message: messageOf(error) };
  }
}

/** Skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

const messageOf = (error: unknown): string =>
  error instanceof SyntaxError ? 'The body is not valid JSON.' : 'The body is not text in UTF-8.';
