import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connections/connection.ts';
import { type CrmBAccess, crmBApi } from '../integrations/crm-b/api.ts';
import { helpDeskApi } from '../integrations/help-desk/api.ts';
import type { HelpDeskAccess } from '../integrations/help-desk/help-desk.ts';
import { zohoAccounts } from '../integrations/zoho-accounts/accounts.ts';
import { crmBAccess, helpDeskAccess } from '../operations/connections/access/connection-access.ts';
import { bounded } from '../runtime/aws.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { count } from '../runtime/metrics.ts';
import { connectionGrants } from '../stores/connections/connection-grants.ts';
import { connectionStore } from '../stores/connections/connections.ts';
import { oauthClientReader } from '../stores/connections/oauth-clients.ts';
import { oauthTokens } from '../stores/connections/oauth-tokens.ts';

type GrantsConfig = {
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
function wireGrants(config: GrantsConfig, clientsSecretId: string, db: DynamoDBDocumentClient) {
  return {
    connections: connectionStore(db, config.CONNECTIONS_TABLE),
    grants: connectionGrants(db, config.CONNECTIONS_TABLE),
    tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
    accounts: zohoAccounts({ timeoutMs: config.ZOHO_ACCOUNTS_TIMEOUT_MS, accountsUrl: config.ZOHO_ACCOUNTS_URL }),
    count,
    clientOf: oauthClientReader(new SecretsManagerClient(bounded()), clientsSecretId),
  };
}

type CrmBConfig = GrantsConfig & { CRM_B_OAUTH_SECRET_ID: string; CRM_B_TIMEOUT_MS: number };

/** Composes the client of CRM-B and the access of connections to it. */
export function wireCrmB(config: CrmBConfig, db: DynamoDBDocumentClient) {
  const parts = wireGrants(config, config.CRM_B_OAUTH_SECRET_ID, db);
  return {
    ...parts,
    api: crmBApi({ timeoutMs: config.CRM_B_TIMEOUT_MS }),
    accessAt: (now: Clock): ((connection: Connection) => CrmBAccess) => crmBAccess({ ...parts, now, sleep }),
  };
}

type HelpDeskConfig = GrantsConfig & {
  HELP_DESK_OAUTH_SECRET_ID: string;
  HELP_DESK_API_URL?: string | undefined;
  HELP_DESK_TIMEOUT_MS: number;
};

/** Composes the client of the help desk and the access of connections to it. */
export function wireHelpDesk(config: HelpDeskConfig, db: DynamoDBDocumentClient) {
  const parts = wireGrants(config, config.HELP_DESK_OAUTH_SECRET_ID, db);
  const helpDeskUrl = config.HELP_DESK_API_URL;
  return {
    ...parts,
    api: helpDeskApi({ timeoutMs: config.HELP_DESK_TIMEOUT_MS }),
    accessAt: (now: Clock): ((connection: Connection) => HelpDeskAccess) =>
      helpDeskAccess({ ...parts, helpDeskUrl, now, sleep }),
  };
}
