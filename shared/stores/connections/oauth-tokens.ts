import type { KMSClient } from '@aws-sdk/client-kms';
import { oauthTokenContext, seal, unseal } from '../sealing.ts';

export type OauthTokens = ReturnType<typeof oauthTokens>;

/** The maximum number of cached tokens. A token has a few hundred bytes. */
const CACHE_SIZE = 500;

/** Seals tokens under their connection's id. Opened tokens are cached in memory by their ciphertext. */
export function oauthTokens(kms: KMSClient, keyId: string) {
  const opened = new Map<string, string>();
  const keep = (sealed: string, token: string): string => {
    opened.set(sealed, token);
    const [first] = opened.keys();
    if (opened.size > CACHE_SIZE && first !== undefined) opened.delete(first);
    return token;
  };
  const cacheKeyOf = (connectionId: string, sealed: string) => `${connectionId} ${sealed}`;

  return {
    async seal(connectionId: string, token: string): Promise<string> {
      const sealed = await seal(kms, keyId, token, oauthTokenContext(connectionId));
      keep(cacheKeyOf(connectionId, sealed), token);
      return sealed;
    },

    /** Opens a token. @throws the KMS error if the token was sealed for another connection */
    async open(connectionId: string, sealed: string): Promise<string> {
      const key = cacheKeyOf(connectionId, sealed);
      return opened.get(key) ?? keep(key, await unseal(kms, keyId, sealed, oauthTokenContext(connectionId)));
    },
  };
}
