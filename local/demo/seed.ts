import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../../lib/names.ts';
import { putSecret } from '../../shared/stores/secrets.ts';
import type { LocalClient } from '../client.ts';
import { defaultApiKey } from '../simulators/voice/server.ts';
import { defaultClient } from '../simulators/zoho-accounts/model.ts';
import { connectDemo } from './connections.ts';
import type { Demo } from './model.ts';
import { createDemoOrganization } from './organization.ts';
import { createDemoOwner } from './people.ts';

/**
 * Creates a demo organization on a fresh stage: credit, an API key, an assistant, and connections to both CRMs and the
 * help desk. The connections to CRM-B and the help desk still need a consent (`consent.ts`).
 * @param remote.crmBOwnerId the user of CRM-B whose leads are called; undefined if CRM-B is not the simulator
 * @param remote.userPoolId of the dashboard's people
 * @param remote.hasHelpDesk whether the help desk is the simulator
 */
export async function seed(
  client: LocalClient,
  stage: string,
  remote: { crmBOwnerId: string | undefined; hasHelpDesk: boolean; userPoolId: string },
): Promise<Demo> {
  const named = names(stage);
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
    marshallOptions: { removeUndefinedValues: true },
  });
  await putSimulatorSecrets(client, named);
  const organization = await createDemoOrganization(client, named, db);
  const { org_id } = organization;
  const dashboard_user = await createDemoOwner(client, named, db, { org_id, userPoolId: remote.userPoolId });
  return { ...organization, dashboard_user, connections: await connectDemo(named, db, organization, remote) };
}

/** The simulator accepts any number id of the vendor's form. */
const NUMBER_ID = '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10';

/** Stores the simulators' keys as the stage's secrets. */
async function putSimulatorSecrets(client: LocalClient, named: ReturnType<typeof names>): Promise<void> {
  const secrets = new SecretsManagerClient(client);
  const account = JSON.stringify({ api_key: defaultApiKey, phone_number_id: NUMBER_ID });
  await putSecret(secrets, named.secret('voice'), account);
  const oauthClient = { client_id: defaultClient.id, client_secret: defaultClient.secret };
  const oauthClients = JSON.stringify({ in: oauthClient });
  await putSecret(secrets, named.secret('crm-b-oauth'), oauthClients);
  await putSecret(secrets, named.secret('help-desk-oauth'), oauthClients);
}
