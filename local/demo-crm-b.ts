import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../lib/names.ts';
import { DEFAULT_DATA_CENTER } from '../shared/domain/data-center.ts';
import { crmBScopes } from '../shared/domain/oauth.ts';
import { startOauth } from '../shared/operations/start-oauth.ts';
import { oauthClientReader } from '../shared/stores/oauth-clients.ts';
import { oauthStateStore } from '../shared/stores/oauth-states.ts';
import type { Demo } from './seed.ts';
import { crmBControl } from './simulators/crm-b/control.ts';

/** The simulator: its API, its accounts server. */
export type CrmBHosts = { apiUrl: string; accountsUrl: string };

type Client = { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };

const PATIENCE_MS = 40_000;
const SAMPLE_LEAD = {
  First_Name: 'Kabir',
  Last_Name: 'Sen',
  Mobile: '98123 45671',
  Company: 'Sen Textiles',
  City: 'Kolkata',
  Lead_Source: 'Web form',
  Description: 'Two rooms, near the metro',
};

/**
 * The voice simulator's time runs faster than CRM-B's: its calls begin and end in CRM-B's future, which refuses them
 * unless told (Zoho CRM v8, Calls).
 */
const TOLERATED_SECONDS = 3_600;

/** Prepares the simulator. @returns the user whose leads are called: its first one. */
export async function prepareCrmB(apiUrl: string): Promise<string | undefined> {
  const control = crmBControl(apiUrl);
  await control.settings({ futureToleranceSeconds: TOLERATED_SECONDS });
  const [owner] = await control.users();
  return owner?.id;
}

/**
 * Connects the demo organization to the simulator as a customer does: the way that the authorize URL begins, with the
 * consent given for once by itself. Afterwards the consent page shows itself to people.
 * @param publicUrl of the service, which must answer. @returns what it is instead, in words; undefined = connected.
 */
export async function connectCrmB(
  client: Client,
  stage: string,
  { demo, publicUrl, hosts }: { demo: Demo; publicUrl: string; hosts: CrmBHosts },
): Promise<string | undefined> {
  const named = names(stage);
  const url = await startOauth(
    {
      states: oauthStateStore(DynamoDBDocumentClient.from(new DynamoDBClient(client)), named.table('oauth-states')),
      clientOf: oauthClientReader(new SecretsManagerClient(client), named.secret('crm-b-oauth')),
      scopes: crmBScopes,
      hosts,
      publicUrl,
      now: () => new Date(),
    },
    { connection_id: demo.connections.crm_b.connection_id, org_id: demo.org_id, type: 'crm-b' },
    DEFAULT_DATA_CENTER,
  );
  if (!url) return 'not connected (client_not_set)';
  const control = crmBControl(hosts.apiUrl);
  await control.settings({ consent: 'grant' });
  try {
    const back = await redirectOf(url);
    const { searchParams } = await redirectOf(back.href);
    if (searchParams.get('connected') === null) return `not connected (${searchParams.get('error')})`;
    return searchParams.get('channel') === 'failed' ? 'connected, but without its watch channel' : undefined;
  } catch (error) {
    return `not connected (${(error as Error).message})`;
  } finally {
    await control.settings({ consent: 'page' });
  }
}

async function redirectOf(url: string): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
  const location = answer.headers.get('location');
  if (!location) throw new Error(`${new URL(url).pathname} answered ${answer.status}`);
  return new URL(location, url);
}

/** So that a lead is seen to become a call and to come back as a call log and a note. @returns its page for people. */
export async function createSampleLead(apiUrl: string, { connections: { crm_b } }: Demo): Promise<string> {
  const owner = crm_b.owner_id;
  const id = await crmBControl(apiUrl).createLead(SAMPLE_LEAD, owner === undefined ? {} : { owner });
  return `${apiUrl}/leads/${id}`;
}
