import { createHash, randomBytes } from 'node:crypto';
import type { ConnectionType } from '../connection-type.ts';

/** The types of connection that require a consent. */
export type OauthType = Exclude<ConnectionType, 'crm-a'>;

export const isOauthType = (type: ConnectionType): type is OauthType => type !== 'crm-a';

/**
 * Returns the address to which the vendor sends the browser after a consent.
 * @param publicUrl of the stage. The vendor's API console must list exactly the result.
 */
export const redirectUriOf = (type: OauthType, publicUrl: string): string =>
  new URL(`/api/oauth/${type}/callback`, publicUrl).href;

const RANDOM_BYTES = 32; // 256 bits: 43 characters of base64url, the minimum that PKCE accepts

/** Creates a state or a PKCE verifier (RFC 7636). The state is the only authentication of a callback. */
export const newOauthSecret = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** Hashes the secret of the browser that began a consent. 256 random bits need no slow password hash. */
export const hashOfBrowser = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/**
 * Returns the page on which a person consents (Zoho Accounts, "OAuth 2.0 for server-based applications"). The vendor
 * issues a refresh token only for offline access with an explicit consent. Servers without PKCE ignore the challenge.
 */
export function authorizeUrl(consent: {
  accountsServer: string;
  clientId: string;
  redirectUri: string;
  /** Comma-separated. */
  scopes: string;
  state: string;
  verifier: string;
}): string {
  const url = new URL('/oauth/v2/auth', consent.accountsServer);
  url.search = new URLSearchParams({
    client_id: consent.clientId,
    response_type: 'code',
    redirect_uri: consent.redirectUri,
    scope: consent.scopes,
    access_type: 'offline',
    prompt: 'consent',
    state: consent.state,
    code_challenge: createHash('sha256').update(consent.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url.href;
}

const CODE = /^[a-z][a-z_]{0,39}$/;

/** Returns the vendor's error code, or `refused` for any other text: free text could carry a secret. */
export const errorCode = (error: string): string => (CODE.test(error) ? error : 'refused');
