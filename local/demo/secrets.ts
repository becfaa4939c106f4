import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { names } from '../../lib/names.ts';
import { putSecret } from '../../shared/stores/secrets.ts';
import type { LocalClient } from '../client.ts';
import { defaultApiKey } from '../simulators/voice/server.ts';
import { defaultClient } from '../simulators/zoho-accounts/model.ts';

/** The simulator accepts any number id of the vendor's form. */
const NUMBER_ID = '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10';

/** Stores the simulators' keys as the stage's secrets. */
export async function putSimulatorSecrets(client: LocalClient, named: ReturnType<typeof names>): Promise<void> {
  const secrets = new SecretsManagerClient(client);
  const account = JSON.stringify({ api_key: defaultApiKey, phone_number_id: NUMBER_ID });
  await putSecret(secrets, named.secret('voice'), account);
  const oauthClient = { client_id: defaultClient.id, client_secret: defaultClient.secret };
  const oauthClients = JSON.stringify({ in: oauthClient });
  await putSecret(secrets, named.secret('crm-b-oauth'), oauthClients);
  await putSecret(secrets, named.secret('help-desk-oauth'), oauthClients);
}
