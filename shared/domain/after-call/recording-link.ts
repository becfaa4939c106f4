import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../text/is-same-secret.ts';

/** The lifetime of a recording link (docs/crm-b.md, "Recording links"). */
const LINK_SECONDS = 30 * 24 * 60 * 60;
const KEY_ID_CHARACTERS = 8;

/** The parts of a link besides the call's id. */
export type LinkParts = Readonly<Partial<Record<'expires' | 'key' | 'signature', string>>>;

/** `unknown_key`: the link names a key that is not among the given ones. */
export type LinkCheck = 'valid' | 'expired' | 'invalid' | 'unknown_key';

/**
 * Creates the recording link of a note in CRM-B. A presigned link of S3 would expire after 7 days at most. The link
 * names its key, so that links of the previous key still work after a rotation.
 * @param key the current one @param publicUrl base of the service's own addresses
 */
export function recordingLink(key: string, publicUrl: string, callId: string, now: Date): string {
  const expires = String(Math.floor(now.getTime() / 1000) + LINK_SECONDS);
  const url = new URL(`api/recordings/${callId}`, publicUrl.endsWith('/') ? publicUrl : `${publicUrl}/`);
  url.search = new URLSearchParams({ expires, key: keyId(key), signature: sign(key, callId, expires) }).toString();
  return url.href;
}

/** Compares in constant time, and checks the signature before the expiry, so that a forged link reveals nothing. */
export function checkRecordingLink(keys: readonly string[], callId: string, parts: LinkParts, now: Date): LinkCheck {
  const { expires = '', signature = '' } = parts;
  const key = keys.find((each) => keyId(each) === parts.key);
  if (!key) return 'unknown_key';
  if (!isSameSecret(sign(key, callId, expires), signature)) return 'invalid';
  return Number(expires) * 1000 > now.getTime() ? 'valid' : 'expired';
}

/** Identifies a key without revealing it. */
const keyId = (key: string): string =>
  createHash('sha256').update(`recording-link-key\n${key}`).digest('hex').slice(0, KEY_ID_CHARACTERS);

const sign = (key: string, callId: string, expires: string): string =>
  createHmac('sha256', key).update(`${callId}\n${expires}`).digest('base64url');
