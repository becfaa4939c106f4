import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../text/is-same-secret.ts';

/** The header that the platform sends with every message about the call. The dial request sets its value. */
export const CALL_SIGNATURE_HEADER = 'x-call-signature';

/** Makes the proof that a message about this call is the platform's. @param key the stage's webhook key. */
export const signCall = (key: string, callId: string): string =>
  createHmac('sha256', key).update(callId).digest('base64url');

/** Compares in constant time. @param keys the current key, and the previous one during a rotation. */
export function isCallSignature(keys: readonly string[], callId: string, signature: string | undefined): boolean {
  return signature !== undefined && keys.some((key) => isSameSecret(signCall(key, callId), signature));
}
