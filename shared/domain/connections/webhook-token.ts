import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Connection } from './connection.ts';

type TokenHashes = Pick<Connection, 'token_hash' | 'pending_token_hashes' | 'former_token'>;

const TOKEN_BYTES = 32; // 256 bits: 43 characters of base64url

/** A new secret token of a connection. It is shown once; what is kept is its hash. */
export const newWebhookToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** What is kept of a token. 256 random bits need no slow password hash. */
export const hashWebhookToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Whether a presented token is one of a connection's; takes the same time whichever it is. */
export function isTokenOf(
  { token_hash, pending_token_hashes = [], former_token }: TokenHashes,
  presented: string | undefined,
  now: Date,
): boolean {
  const former = former_token && former_token.until > now.toISOString() ? former_token.hash : undefined;
  const looks = [token_hash, former, ...pending_token_hashes].map((hash) => isWebhookToken(presented, hash));
  return looks.includes(true);
}

/** Whether a presented token is the one of this hash; takes the same time wherever they differ. */
export function isWebhookToken(presented: string | undefined, hash: string | undefined): boolean {
  if (presented === undefined || hash === undefined) return false;
  const [one, other] = [Buffer.from(hashWebhookToken(presented)), Buffer.from(hash)];
  return one.length === other.length && timingSafeEqual(one, other);
}
