import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header that a dial request asks the platform to send along with every message of the call. */
export const CALL_SIGNATURE_HEADER = 'x-call-signature';

/** @param key the stage's webhook key. @returns what proves that a message is about this call and from its platform. */
export const signCall = (key: string, callId: string): string =>
  createHmac('sha256', key).update(callId).digest('base64url');

/** @param keys the current key and, while it is being replaced, the one before. Constant time. */
export function isCallSignature(keys: readonly string[], callId: string, signature: string | undefined): boolean {
  const presented = digest(signature ?? '');
  return keys.some((key) => timingSafeEqual(digest(signCall(key, callId)), presented));
}

// Equal lengths, whatever was presented: timingSafeEqual throws otherwise.
const digest = (text: string): Buffer => createHmac('sha256', 'call-signature').update(text).digest();
