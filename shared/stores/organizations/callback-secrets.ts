import type { KMSClient } from '@aws-sdk/client-kms';
import { callbackSecretContext, unseal } from '../sealing.ts';
import type { OrganizationStore } from './organizations.ts';

/**
 * Builds a reader of an organization's callback signing secrets in clear text, the current one first. Only the role of
 * the signing function may decrypt them. The cache is keyed by ciphertext, which changes with the secret.
 */
export function callbackSecrets(kms: KMSClient, keyId: string, organizations: Pick<OrganizationStore, 'get'>) {
  const cache = new Map<string, string>();
  return async (orgId: string, now: Date): Promise<[string, ...string[]]> => {
    const org = await organizations.get(orgId);
    const live = (org?.callback_secrets ?? []).filter(({ until }) => until === undefined || until > now.toISOString());
    const [current, ...former] = await Promise.all(
      live.map(async ({ ciphertext }) => {
        const secret = cache.get(ciphertext) ?? (await unseal(kms, keyId, ciphertext, callbackSecretContext(orgId)));
        cache.set(ciphertext, secret);
        return secret;
      }),
    );
    if (!current) throw new Error(`org ${orgId} has no callback secret`);
    return [current, ...former];
  };
}
