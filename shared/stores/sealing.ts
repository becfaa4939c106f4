import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';

/**
 * The context of a sealed text, which names its purpose and owner. The text can be unsealed only with an equal context
 * (AWS KMS, "Encryption context").
 */
export type SealingContext = Readonly<Record<string, string>>;

export const callbackSecretContext = (orgId: string): SealingContext => ({ purpose: 'callback-secret', org_id: orgId });

export const oauthTokenContext = (connectionId: string): SealingContext => ({
  purpose: 'oauth-token',
  connection_id: connectionId,
});

/** Encrypts a text. @returns base64. */
export async function seal(kms: KMSClient, KeyId: string, text: string, context: SealingContext): Promise<string> {
  const { CiphertextBlob } = await kms.send(
    new EncryptCommand({ KeyId, Plaintext: Buffer.from(text), EncryptionContext: context }),
  );
  if (!CiphertextBlob) throw new Error('KMS returned no ciphertext');
  return Buffer.from(CiphertextBlob).toString('base64');
}

/** Decrypts a sealed text. @throws the KMS error if key or context differ from those of the sealing. */
export async function unseal(kms: KMSClient, KeyId: string, sealed: string, context: SealingContext): Promise<string> {
  const { Plaintext } = await kms.send(
    new DecryptCommand({ KeyId, CiphertextBlob: Buffer.from(sealed, 'base64'), EncryptionContext: context }),
  );
  if (!Plaintext) throw new Error('KMS returned no plaintext');
  return Buffer.from(Plaintext).toString('utf8');
}
