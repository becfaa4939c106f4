import { isUtf8 } from 'node:buffer';
import { readJsonAsWritten } from '../../domain/text/exact-json.ts';
import type { BodyRefusal } from '../../operations/calls/place-call.ts';
import type { RestRequest } from './rest-route.ts';

const MAX_BYTES = 64 * 1024;

/**
 * Reads a JSON body, with numbers as `readJsonAsWritten` returns them. A missing content type counts as JSON. Refuses
 * bytes that are not UTF-8, because their replacement would make different idempotency keys equal.
 */
export function readJson(request: RestRequest): { ok: true; value: unknown } | BodyRefusal {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type))
    return { ok: false, error: 'unsupported_media_type', message: 'Send the body as application/json.' };
  if (request.body.length > MAX_BYTES)
    return { ok: false, error: 'payload_too_large', message: `The body must not exceed ${MAX_BYTES} bytes.` };
  if (!isUtf8(request.body)) return { ok: false, error: 'invalid_request', message: 'The body is not text in UTF-8.' };
  try {
    return { ok: true, value: readJsonAsWritten(request.body.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return { ok: false, error: 'invalid_request', message: 'The body is not valid JSON.' };
  }
}
