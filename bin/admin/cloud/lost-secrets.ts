import {
  CreateSecretCommand,
  DescribeSecretCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  RestoreSecretCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { tagsOf } from '../../../lib/names.ts';
import type { SecretName } from '../../../lib/uses.ts';
import { putSecret, readSecret } from '../../../shared/stores/secrets.ts';
import type { Cloud } from './cloud.ts';

/** The generated keys that are never replaced, because receipts and erased persons' records depend on them. */
export const permanentKeys = ['person-key', 'do-not-call-key'] as const satisfies SecretName[];

export type Replaceable = Exclude<SecretName, (typeof permanentKeys)[number]>;

type At = Pick<Cloud, 'secrets' | 'named' | 'place'>;

/**
 * Stores a new version of a secret. Cancels the secret's deletion if one is scheduled. If the secret no longer exists,
 * creates it with the name by which functions read it, and with the tags that the stack gives it.
 */
export async function storeSecret(
  { secrets, named, place }: At,
  name: Replaceable,
  value: string,
): Promise<{ version: string | undefined; isCreated: boolean }> {
  const Name = named.secret(name);
  try {
    return {
      version: await cancelingDeletion(secrets, Name, () => putSecret(secrets, Name, value)),
      isCreated: false,
    };
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
    const Tags = Object.entries(tagsOf(place.stage)).map(([Key, Value]) => ({ Key, Value }));
    const Description = 'Created again by admin secret, after its loss.';
    const created = await secrets.send(new CreateSecretCommand({ Name, SecretString: value, Description, Tags }));
    return { version: created.VersionId, isCreated: true };
  }
}

/** Reads a secret, and cancels its deletion if one is scheduled. @returns undefined if it has no value */
export const readReplaceable = ({ secrets, named }: At, name: Replaceable): Promise<string | undefined> =>
  cancelingDeletion(secrets, named.secret(name), () => readSecret(secrets, named.secret(name)));

/** Sends a request. If Secrets Manager refuses it because of a scheduled deletion, cancels the deletion and repeats. */
async function cancelingDeletion<Result>(
  secrets: SecretsManagerClient,
  SecretId: string,
  request: () => Promise<Result>,
): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof InvalidRequestException)) throw error;
    const { DeletedDate } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    if (!DeletedDate) throw error;
    await secrets.send(new RestoreSecretCommand({ SecretId }));
    return request();
  }
}
