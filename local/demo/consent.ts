import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { names } from '../../lib/names.ts';
import type { OauthType } from '../../shared/domain/connections/access/consent.ts';
import { DEFAULT_DATA_CENTER } from '../../shared/domain/connections/access/data-center.ts';
import { crmBScopes, helpDeskScopes } from '../../shared/domain/connections/access/oauth-scopes.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { beginConsent } from '../../shared/operations/connections/begin-consent.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
import type { LocalClient } from '../client.ts';
import { accountsControl } from '../simulators/zoho-accounts/control.ts';
import type { Demo } from './model.ts';

/** The addresses of the vendor's API and of its accounts server. */
export type GrantHosts = { apiUrl: string; accountsUrl: string };

const TIMEOUT_MS = 40_000;

type Options = { publicUrl: string; demo: Demo; hosts: GrantHosts & { simulatorUrl?: string } };

/**
 * Connects the demo organization to the simulators through the authorize URL, as a customer does. The accounts server
 * skips its page for these consents, and shows it to people afterwards. Systems other than the simulators are not
 * connected.
 * @returns a sentence for each connection that failed.
 */
export async function giveDemoConsents(client: LocalClient, stage: string, options: Options): Promise<string[]> {
  if (!options.hosts.simulatorUrl) return [];
  const { crm_b, help_desk } = options.demo.connections;
  const control = accountsControl(options.hosts.accountsUrl);
  const consent = (type: OauthType, connection_id: string, scopes: string) =>
    giveConsent(client, stage, options, { type, connection_id, scopes }).catch(
      ({ message }: Error) => `not connected (${message})`,
    );
  await control.settings({ consent: 'grant' });
  try {
    const crmB = await consent('crm-b', crm_b.connection_id, crmBScopes);
    const helpDesk = help_desk && (await consent('help-desk', help_desk.connection_id, helpDeskScopes));
    return [...(crmB ? [`CRM-B is ${crmB}`] : []), ...(helpDesk ? [`The help desk is ${helpDesk}`] : [])];
  } finally {
    await control.settings({ consent: 'page' });
  }
}

/** @returns the failure; undefined if the connection works. */
async function giveConsent(
  client: LocalClient,
  stage: string,
  { publicUrl, demo, hosts }: Options,
  { scopes, ...connection }: { type: OauthType; connection_id: string; scopes: string },
): Promise<string | undefined> {
  const named = names(stage);
  const db = DynamoDBDocumentClient.from(new DynamoDBClient(client));
  const url = await beginConsent(
    {
      states: oauthStateStore(db, named.table('oauth-states')),
      audit: auditStore(db, named.table('audit')),
      transact: transactions(db),
      newToken,
      clientOf: oauthClientReader(new SecretsManagerClient(client), named.secret(`${connection.type}-oauth`)),
      scopes,
      hosts,
      publicUrl,
      now: () => new Date(),
    },
    { ...connection, org_id: demo.org_id },
    DEFAULT_DATA_CENTER,
    { actor: { kind: 'operator', name: 'demo' }, connects: 'at_callback' },
  );
  if (!url) return 'not connected (client_not_set)';
  const callback = await redirectOf(url);
  const { searchParams } = await redirectOf(callback.href);
  if (searchParams.get('connected') === null) return `not connected (${searchParams.get('error')})`;
  if (searchParams.get('channel') === 'failed') return 'connected, but without its watch channel';
  return searchParams.get('organization') === 'not_chosen' ? 'connected, but without an organization' : undefined;
}

async function redirectOf(url: string): Promise<URL> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const location = answer.headers.get('location');
  if (!location) throw new Error(`${new URL(url).pathname} answered ${answer.status}`);
  return new URL(location, url);
}
