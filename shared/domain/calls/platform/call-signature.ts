import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The header that the platform sends with every message about the call. The dial request sets its value. */
export const CALL_SIGNATURE_HEADER = 'x-call-signature';

/** Makes the proof that a message about this call is the platform's. @param key the stage's webhook key. */
export const signCall = (key: string, callId: string): string =>
  createHmac('sha256', key).update(callId).digest('base64url');

/** Compares in constant time. @param keys the current key, and the previous one during a rotation. */
export function isCallSignature(keys: readonly string[], callId: string, signature: string | undefined): boolean {
  if (signature === undefined) return false;
  const presented = digest(signature);
  return keys.some((key) => timingSafeEqual(digest(signCall(key, callId)), presented));
}

// Makes the lengths equal, because timingSafeEqual throws otherwise.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
