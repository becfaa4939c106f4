import type { KMSClient } from '@aws-sdk/client-kms';
import { oauthTokenContext, seal, unseal } from '../sealing.ts';

export type OauthTokens = ReturnType<typeof oauthTokens>;

/** Some hundred bytes each; a worker that has seen more connections forgets the first. */
const MOST_KEPT = 500;

/** Seals the tokens of connections, each under its connection's id. Opened texts are kept in memory by their ciphertext. */
export function oauthTokens(kms: KMSClient, keyId: string) {
  const opened = new Map<string, string>();
  const keep = (sealed: string, token: string): string => {
    opened.set(sealed, token);
    const [first] = opened.keys();
    if (opened.size > MOST_KEPT && first !== undefined) opened.delete(first);
    return token;
  };
  const placeOf = (connectionId: string, sealed: string) => `${connectionId} ${sealed}`;

  return {
    async seal(connectionId: string, token: string): Promise<string> {
      const sealed = await seal(kms, keyId, token, oauthTokenContext(connectionId));
      keep(placeOf(connectionId, sealed), token);
      return sealed;
    },

    /** @throws the KMS error where it was sealed for another connection. */
    async open(connectionId: string, sealed: string): Promise<string> {
      const place = placeOf(connectionId, sealed);
      return opened.get(place) ?? keep(place, await unseal(kms, keyId, sealed, oauthTokenContext(connectionId)));
    },
  };
}
