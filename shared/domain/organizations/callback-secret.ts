import { randomBytes } from 'node:crypto';

/** The number of last characters that identify a secret to an operator. */
export const HINT_CHARACTERS = 4;

/** How long a replaced secret signs in addition to the new one. */
export const FORMER_SECRET_SECONDS = 24 * 60 * 60;

const SECRET_BYTES = 32;

/** Creates a signing secret by Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
