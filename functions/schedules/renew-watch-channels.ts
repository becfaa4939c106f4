import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { accounts } from '../../shared/integrations/crm-b/accounts.ts';
import { crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { crmBAccess } from '../../shared/operations/crm-b-access.ts';
import { renewWatchChannels } from '../../shared/operations/renew-watch-channels.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock, sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionChannelStore } from '../../shared/stores/connection-channels.ts';
import { connectionGrants } from '../../shared/stores/connection-grants.ts';
import { connectionStore } from '../../shared/stores/connections.ts';
import { oauthClientReader } from '../../shared/stores/oauth-clients.ts';
import { oauthTokens } from '../../shared/stores/oauth-tokens.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  CRM_B_ACCOUNTS_URL: z.optional(z.url()),
  CRM_B_API_URL: z.optional(z.url()),
  CRM_B_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const hosts = { accountsUrl: config.CRM_B_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL };
const accessTo = crmBAccess({
  connections,
  grants: connectionGrants(db, config.CONNECTIONS_TABLE),
  tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
  accounts: accounts({ timeoutMs: config.CRM_B_TIMEOUT_MS, hosts }),
  clientOf: oauthClientReader(new SecretsManagerClient(bounded()), config.CRM_B_OAUTH_SECRET_ID),
  now: clock,
  sleep,
});

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  renewWatchChannels({
    connections,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    watch: crmBWatch(crmBApi({ timeoutMs: config.CRM_B_TIMEOUT_MS })),
    accessTo,
    publicUrl: config.PUBLIC_URL,
    now,
    timeLeftMs,
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
