import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connection.ts';
import { accounts } from '../integrations/crm-b/accounts.ts';
import { type CrmBAccess, crmBApi } from '../integrations/crm-b/api.ts';
import { crmBAccess } from '../operations/crm-b-access.ts';
import { bounded } from '../runtime/aws.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { connectionGrants } from '../stores/connection-grants.ts';
import { connectionStore } from '../stores/connections.ts';
import { oauthClientReader } from '../stores/oauth-clients.ts';
import { oauthTokens } from '../stores/oauth-tokens.ts';

type Config = {
  CONNECTIONS_TABLE: string;
  CRM_B_OAUTH_SECRET_ID: string;
  OAUTH_TOKENS_KEY_ID: string;
  CRM_B_ACCOUNTS_URL?: string | undefined;
  CRM_B_API_URL?: string | undefined;
  CRM_B_TIMEOUT_MS: number;
};

/** CRM-B as a function's settings name it, and the right to ask it for a connection; clients and opened tokens are kept. */
export function wireCrmB(config: Config, db: DynamoDBDocumentClient) {
  const hosts = { accountsUrl: config.CRM_B_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL };
  const timeoutMs = config.CRM_B_TIMEOUT_MS;
  const parts = {
    hosts,
    connections: connectionStore(db, config.CONNECTIONS_TABLE),
    grants: connectionGrants(db, config.CONNECTIONS_TABLE),
    tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
    accounts: accounts({ timeoutMs, hosts }),
    clientOf: oauthClientReader(new SecretsManagerClient(bounded()), config.CRM_B_OAUTH_SECRET_ID),
  };
  return {
    ...parts,
    api: crmBApi({ timeoutMs }),
    /** @param now of the run, where it is not the clock's. */
    accessAt: (now: Clock): ((connection: Connection) => CrmBAccess) => crmBAccess({ ...parts, now, sleep }),
  };
}
