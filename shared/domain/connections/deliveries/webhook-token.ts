import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../connection.ts';

type TokenHashes = Pick<Connection, 'token_hash' | 'pending_token_hashes' | 'former_token'>;

const TOKEN_BYTES = 32; // 256 bits: 43 characters of base64url

/** Creates a webhook token. It is shown once, and only its hash is stored. */
export const newWebhookToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Hashes a token for storage. 256 random bits need no slow password hash. */
export const hashWebhookToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Compares a presented token with all tokens of a connection, in the same time whichever matches. */
export function isTokenOf(
  { token_hash, pending_token_hashes = [], former_token }: TokenHashes,
  presented: string | undefined,
  now: Date,
): boolean {
  const former = former_token && former_token.until > now.toISOString() ? former_token.hash : undefined;
  const matches = [token_hash, former, ...pending_token_hashes].map((hash) => isWebhookToken(presented, hash));
  return matches.includes(true);
}

/** Compares a presented token with a hash in constant time. */
export function isWebhookToken(presented: string | undefined, hash: string | undefined): boolean {
  if (presented === undefined || hash === undefined) return false;
  const [one, other] = [Buffer.from(hashWebhookToken(presented)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}
