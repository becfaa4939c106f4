import type { KMSClient } from '@aws-sdk/client-kms';
import { callbackSecretContext, unseal } from '../sealing.ts';
import type { OrganizationStore } from './organizations.ts';

/**
 * The orgs' callback signing secrets in clear: only the function that signs has a role that may decrypt them.
 * Decrypted texts are kept in memory by their ciphertext, which changes with the secret.
 */
export function callbackSecrets(kms: KMSClient, keyId: string, organizations: Pick<OrganizationStore, 'get'>) {
  const opened = new Map<string, string>();
  return async (orgId: string, now: Date): Promise<[string, ...string[]]> => {
    const org = await organizations.get(orgId);
    const live = (org?.callback_secrets ?? []).filter(({ until }) => until === undefined || until > now.toISOString());
    const [current, ...former] = await Promise.all(
      live.map(async ({ ciphertext }) => {
        const secret = opened.get(ciphertext) ?? (await unseal(kms, keyId, ciphertext, callbackSecretContext(orgId)));
        opened.set(ciphertext, secret);
        return secret;
      }),
    );
    if (!current) throw new Error(`org ${orgId} has no callback secret`);
    return [current, ...former];
  };
}
