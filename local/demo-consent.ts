import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../lib/names.ts';
import type { OauthType } from '../shared/domain/connections/consent.ts';
import { DEFAULT_DATA_CENTER } from '../shared/domain/connections/data-center.ts';
import { crmBScopes, helpDeskScopes } from '../shared/domain/connections/oauth-scopes.ts';
import { beginConsent } from '../shared/operations/connections/begin-consent.ts';
import { oauthClientReader } from '../shared/stores/connections/oauth-clients.ts';
import { oauthStateStore } from '../shared/stores/connections/oauth-states.ts';
import type { Demo } from './seed.ts';
import { crmBControl } from './simulators/crm-b/control.ts';

/** Where consents are given and tokens are got. */
export type GrantHosts = { apiUrl: string; accountsUrl: string };

type Client = { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };

const PATIENCE_MS = 40_000;

type Consents = {
  /** Of the service, which must answer. */
  publicUrl: string;
  demo: Demo;
  hosts: GrantHosts & { simulatorUrl?: string };
};

/**
 * Connects the demo organization to the simulators as a customer does: the way that the authorize URL begins, with the
 * consent given for once by itself. Afterwards the consent page shows itself to people. Only the simulator consents.
 * @returns what is not as it should be, in words.
 */
export async function giveDemoConsents(client: Client, stage: string, consents: Consents): Promise<string[]> {
  if (!consents.hosts.simulatorUrl) return [];
  const { crm_b, help_desk } = consents.demo.connections;
  const control = crmBControl(consents.hosts.simulatorUrl);
  await control.settings({ consent: 'grant' });
  const consent = (type: OauthType, connection_id: string, scopes: string) =>
    giveConsent(client, stage, consents, { type, connection_id, scopes }).catch(
      ({ message }: Error) => `not connected (${message})`,
    );
  try {
    const crmB = await consent('crm-b', crm_b.connection_id, crmBScopes);
    const helpDesk = help_desk && (await consent('help-desk', help_desk.connection_id, helpDeskScopes));
    return [...(crmB ? [`CRM-B is ${crmB}`] : []), ...(helpDesk ? [`The help desk is ${helpDesk}`] : [])];
  } finally {
    await control.settings({ consent: 'page' });
  }
}

async function giveConsent(
  client: Client,
  stage: string,
  { publicUrl, demo, hosts }: Consents,
  { scopes, ...connection }: { type: OauthType; connection_id: string; scopes: string },
): Promise<string | undefined> {
  const named = names(stage);
  const url = await beginConsent(
    {
      states: oauthStateStore(DynamoDBDocumentClient.from(new DynamoDBClient(client)), named.table('oauth-states')),
      clientOf: oauthClientReader(new SecretsManagerClient(client), named.secret(`${connection.type}-oauth`)),
      scopes,
      hosts,
      publicUrl,
      now: () => new Date(),
    },
    { ...connection, org_id: demo.org_id },
    DEFAULT_DATA_CENTER,
  );
  if (!url) return 'not connected (client_not_set)';
  const back = await redirectOf(url);
  const { searchParams } = await redirectOf(back.href);
  if (searchParams.get('connected') === null) return `not connected (${searchParams.get('error')})`;
  if (searchParams.get('channel') === 'failed') return 'connected, but without its watch channel';
  return searchParams.get('organization') === 'not_chosen' ? 'connected, but without an organization' : undefined;
}

async function redirectOf(url: string): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
  const location = answer.headers.get('location');
  if (!location) throw new Error(`${new URL(url).pathname} answered ${answer.status}`);
  return new URL(location, url);
}
