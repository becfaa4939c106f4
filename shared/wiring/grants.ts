import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { zohoAccounts } from '../integrations/zoho-accounts/accounts.ts';
import { bounded } from '../runtime/aws.ts';
import { count } from '../runtime/metrics.ts';
import { connectionGrants } from '../stores/connections/connection-grants.ts';
import { connectionStore } from '../stores/connections/connections.ts';
import { oauthClientReader } from '../stores/connections/oauth-clients.ts';
import { oauthTokens } from '../stores/connections/oauth-tokens.ts';

export type GrantsConfig = {
  CONNECTIONS_TABLE: string;
  OAUTH_TOKENS_KEY_ID: string;
  ZOHO_ACCOUNTS_URL?: string | undefined;
  ZOHO_ACCOUNTS_TIMEOUT_MS: number;
};

/**
 * Composes the dependencies of a grant's access tokens. CRM-B and the help desk share them, except for the OAuth
 * clients.
 * @param clientsSecretId the secret that holds the OAuth clients
 */
export function wireGrants(config: GrantsConfig, clientsSecretId: string, db: DynamoDBDocumentClient) {
  return {
    connections: connectionStore(db, config.CONNECTIONS_TABLE),
    grants: connectionGrants(db, config.CONNECTIONS_TABLE),
    tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
    accounts: zohoAccounts({ timeoutMs: config.ZOHO_ACCOUNTS_TIMEOUT_MS, accountsUrl: config.ZOHO_ACCOUNTS_URL }),
    count,
    clientOf: oauthClientReader(new SecretsManagerClient(bounded()), clientsSecretId),
  };
}
