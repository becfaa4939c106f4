import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { doNotCallStore } from '../stores/organizations/do-not-call.ts';
import { permanentKey } from '../stores/secrets.ts';

type Config = { DO_NOT_CALL_TABLE: string; DO_NOT_CALL_KEY_ID: string };

/**
 * Composes the do-not-call list with the key of its hashes, which is read once.
 * @param bounds of the client that reads the key.
 * @param options.isEarly reads it while the function starts, so that its first request does not wait for it.
 */
export function wireDoNotCall(
  config: Config,
  db: DynamoDBDocumentClient,
  bounds: SecretsManagerClientConfig,
  { isEarly = false } = {},
) {
  const readKey = permanentKey(new SecretsManagerClient(bounds), config.DO_NOT_CALL_KEY_ID);
  // Ignores a failure, because the first use reads it again.
  if (isEarly) readKey().catch(() => undefined);
  return doNotCallStore(db, config.DO_NOT_CALL_TABLE, readKey);
}
