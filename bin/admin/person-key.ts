import { readSecret, SecretNotSet } from '../../shared/stores/secrets.ts';
import type { Cloud } from './cloud/cloud.ts';

/** Reads the key that names persons and signs receipts. @throws SecretNotSet */
export async function personKey({ secrets, named }: Cloud): Promise<string> {
  const id = named.secret('person-key');
  const key = await readSecret(secrets, id);
  if (!key) throw new SecretNotSet(`secret ${id} holds no key`);
  return key;
}
