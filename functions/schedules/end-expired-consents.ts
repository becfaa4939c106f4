import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { newToken } from '../../shared/domain/ids.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { endExpiredConsents } from '../../shared/operations/connections/end-expired-consents.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
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
const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const grants = connectionGrants(db, config.CONNECTIONS_TABLE);
const audit = auditStore(db, config.AUDIT_TABLE);
const tokens = oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID);
const accounts = zohoAccounts({
  timeoutMs: config.ZOHO_ACCOUNTS_TIMEOUT_MS,
  accountsUrl: config.ZOHO_ACCOUNTS_URL,
});
const transact = transactions(db);

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  endExpiredConsents({
    connections,
    grants,
    audit,
    tokens,
    accounts,
    transact,
    newToken,
    sleep,
    now,
    timeLeftMs,
    random: Math.random,
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
