import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { newToken } from '../../shared/domain/ids.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { checkDeliveries } from '../../shared/operations/connections/check-deliveries.ts';
import { endExpiredConsents } from '../../shared/operations/connections/end-expired-consents.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionGrants } from '../../shared/stores/connections/connection-grants.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { oauthTokens } from '../../shared/stores/connections/oauth-tokens.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
});
const db = documentClient();
const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  grants: connectionGrants(db, config.CONNECTIONS_TABLE),
  audit: auditStore(db, config.AUDIT_TABLE),
  tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
  accounts: zohoAccounts({ timeoutMs: config.ZOHO_ACCOUNTS_TIMEOUT_MS, accountsUrl: config.ZOHO_ACCOUNTS_URL }),
  transact: transactions(db),
  newToken,
  sleep,
  random: Math.random,
  count,
  warn: (message: string, facts: { connection_id: string; reason: string }) => logger.warn(message, facts),
};

export const handler = scheduledTask(async (run) => {
  const [deliveries, consents] = await Promise.all([
    checkDeliveries({ ...deps, ...run }),
    endExpiredConsents({ ...deps, ...run }),
  ]);
  return { deliveries, consents };
});
