import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../../lib/names.ts';
import type { LocalClient } from '../client.ts';
import { connectDemo } from './connections.ts';
import type { Demo } from './model.ts';
import { createDemoOrganization } from './organization.ts';
import { createDemoOwner } from './people.ts';
import { putSimulatorSecrets } from './secrets.ts';

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
