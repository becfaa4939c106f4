import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { accounts } from '../integrations/zoho-accounts/accounts.ts';
import { bounded } from '../runtime/aws.ts';
import { connectionGrants } from '../stores/connections/connection-grants.ts';
import { connectionStore } from '../stores/connections/connections.ts';
import { oauthClientReader } from '../stores/connections/oauth-clients.ts';
import { oauthTokens } from '../stores/connections/oauth-tokens.ts';

export type GrantsConfig = {
  CONNECTIONS_TABLE: string;
  OAUTH_TOKENS_KEY_ID: string;
  ZOHO_ACCOUNTS_URL?: string | undefined;
  CRM_B_API_URL?: string | undefined;
  CRM_B_TIMEOUT_MS: number;
};

/**
 * What gets the tokens of customers' grants, CRM-B's and the help desk's; clients and opened tokens are kept.
 * @param clientsSecretId of the OAuth clients.
 */
export function wireGrants(config: GrantsConfig, clientsSecretId: string, db: DynamoDBDocumentClient) {
  const hosts = { accountsUrl: config.ZOHO_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL };
  return {
    hosts,
    connections: connectionStore(db, config.CONNECTIONS_TABLE),
    grants: connectionGrants(db, config.CONNECTIONS_TABLE),
    tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
    accounts: accounts({ timeoutMs: config.CRM_B_TIMEOUT_MS, hosts }),
    clientOf: oauthClientReader(new SecretsManagerClient(bounded()), clientsSecretId),
  };
}
