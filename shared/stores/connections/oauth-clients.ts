import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DataCenter } from '../../domain/connections/access/data-center.ts';
import { type OauthClient, oauthClients } from '../../domain/connections/access/oauth-client.ts';
import { SecretNotSet, secretReader } from '../secrets.ts';

/** Returns the client of a data center; undefined if none is set. `fresh` bypasses the cache. */
export type OauthClientReader = (dataCenter: DataCenter, fresh?: boolean) => Promise<OauthClient | undefined>;

/** Creates a reader of the OAuth clients, one per data center (admin secret set … --data-center). */
export function oauthClientReader(secrets: SecretsManagerClient, secretId: string): OauthClientReader {
  const read = secretReader(secrets, secretId, oauthClients);
  return async (dataCenter, fresh) => {
    try {
      return (await read(fresh))[dataCenter];
    } catch (error) {
      if (error instanceof SecretNotSet) return undefined;
      throw error;
    }
  };
}
