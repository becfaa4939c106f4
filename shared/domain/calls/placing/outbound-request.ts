import { writtenNumber } from '../../text/exact-json.ts';
import { canonicalE164 } from '../../text/national-number.ts';
import { isE164 } from '../../text/phone-number.ts';
import { checkCallbackAddress } from './callback-address.ts';

/** The parsed body of POST /v1/calls/outbound. */
export type OutboundRequest = {
  /** In canonical E.164. */
  phone_number: string;
  assistant_id: string;
  metadata: Record<string, unknown>;
  idempotency_key: string | undefined;
  callback_url: string | undefined;
};

export type OutboundRefusal = {
  error: 'invalid_phone_number' | 'assistant_id_required' | 'invalid_request' | 'invalid_callback_url';
  message: string;
};

const METADATA_BYTES = 16 * 1024;
/** Far fewer levels than overflow the stack of any function that reads or writes the call, or of a client's parser. */
const METADATA_LEVELS = 64;
export const KEY_CHARACTERS = 255;

/**
 * Validates the body (docs/rest-api.md, "POST /v1/calls/outbound"): first the phone number, then the assistant, then
 * the optional fields. Unknown fields are ignored; null counts as absent.
 * @param body the parsed JSON. @param rules the stage's rules for callback addresses.
 */
export function readOutboundRequest(
  body: unknown,
  rules: { allowLoopback: boolean },
): { ok: true; request: OutboundRequest } | ({ ok: false } & OutboundRefusal) {
  if (!isObject(body)) return refuse('invalid_request', 'The body must be a JSON object.');
  const { phone_number, assistant_id } = body;
  const metadata = body.metadata ?? {};
  const idempotencyKey = body.idempotency_key ?? undefined;
  const callbackUrl = body.callback_url ?? undefined;

  if (!isE164(phone_number))
    return refuse('invalid_phone_number', 'phone_number must be in E.164 form, such as +919812345678.');
  const number = canonicalE164(phone_number);
  if (typeof assistant_id !== 'string' || assistant_id === '')
    return refuse('assistant_id_required', 'assistant_id is required.');
  if (!isObject(metadata)) return refuse('invalid_request', 'metadata must be an object.');
  if (isDeeper(metadata, METADATA_LEVELS))
    return refuse('invalid_request', `metadata must not be nested deeper than ${METADATA_LEVELS} levels.`);
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES)
    return refuse('invalid_request', 'metadata must not exceed 16 KB.');
  if (idempotencyKey !== undefined && !isText(idempotencyKey, KEY_CHARACTERS))
    return refuse(
      'invalid_request',
      `idempotency_key must be a string of 1 to ${KEY_CHARACTERS} characters without U+FFFD.`,
    );
  if (callbackUrl !== undefined) {
    if (typeof callbackUrl !== 'string') return refuse('invalid_callback_url', 'callback_url must be a string.');
    const address = checkCallbackAddress(callbackUrl, rules);
    if (!address.ok) return refuse('invalid_callback_url', `callback_url is not accepted: ${address.reason}.`);
  }
  return {
    ok: true,
    request: {
      phone_number: number,
      assistant_id,
      metadata,
      idempotency_key: idempotencyKey,
      callback_url: callbackUrl,
    },
  };
}

const refuse = (error: OutboundRefusal['error'], message: string) => ({ ok: false as const, error, message });

/** @param levels of objects and arrays, the outermost included. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  writtenNumber(value) === undefined &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && writtenNumber(value) === undefined;

/** Refuses U+FFFD, too, which the gateway may have substituted for bytes that are not UTF-8. */
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' &&
  value.length >= 1 &&
  value.length <= most &&
  value.isWellFormed() &&
  !/\uFFFD/.test(value);
