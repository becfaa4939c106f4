import { randomBytes } from 'node:crypto';

/** Last characters of a secret, which identify it to an operator. */
export const HINT_CHARACTERS = 4;

/** How long a replaced secret signs, too. */
export const FORMER_SECRET_SECONDS = 24 * 60 * 60;

const SECRET_BYTES = 32;

/** Creates a signing secret by Standard Webhooks: `whsec_` and 24 to 64 random bytes in base64. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
