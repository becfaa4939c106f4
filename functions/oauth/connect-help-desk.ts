import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { accounts } from '../../shared/integrations/crm-b/accounts.ts';
import { completeOauth } from '../../shared/operations/complete-oauth.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock, sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { oauthRoute } from '../../shared/runtime/oauth-route.ts';
import { connectionGrants } from '../../shared/stores/connection-grants.ts';
import { connectionStore } from '../../shared/stores/connections.ts';
import { oauthClientReader } from '../../shared/stores/oauth-clients.ts';
import { oauthStateStore } from '../../shared/stores/oauth-states.ts';
import { oauthTokens } from '../../shared/stores/oauth-tokens.ts';

const config = readConfig({
  OAUTH_STATES_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  CRM_B_ACCOUNTS_URL: z.optional(z.url()),
  CRM_B_API_URL: z.optional(z.url()),
  CRM_B_TIMEOUT_MS: integer,
  DASHBOARD_URL: z.optional(z.url()),
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const hosts = { accountsUrl: config.CRM_B_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL };

const deps = {
  states: oauthStateStore(db, config.OAUTH_STATES_TABLE),
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  grants: connectionGrants(db, config.CONNECTIONS_TABLE),
  tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
  accounts: accounts({ timeoutMs: config.CRM_B_TIMEOUT_MS, hosts }),
  clientOf: oauthClientReader(new SecretsManagerClient(bounded()), config.HELP_DESK_OAUTH_SECRET_ID),
  hosts,
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
  now: clock,
  sleep,
};

export const handler = oauthRoute(
  (callback) => completeOauth(deps, 'help-desk', callback),
  config.DASHBOARD_URL ?? config.PUBLIC_URL,
);
