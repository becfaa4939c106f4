import * as z from 'zod/mini';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { crmBIdentity } from '../../shared/integrations/crm-b/identity.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { crmBIdentityReader } from '../../shared/operations/connections/access/identity-readers.ts';
import { armChannel } from '../../shared/operations/connections/arm-channel.ts';
import { completeConsent } from '../../shared/operations/connections/complete-consent.ts';
import { stopFormerChannel } from '../../shared/operations/connections/steps/stop-former-channel.ts';
import { clock, sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { oauthRoute } from '../../shared/runtime/oauth-route.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import type { FormerGrant } from '../../shared/stores/connections/connection-grants.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
import { wireCrmB } from '../../shared/wiring/crm-b.ts';

const config = readConfig({
  OAUTH_STATES_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_API_URL: z.optional(z.url()),
  CRM_B_TIMEOUT_MS: integer,
  DASHBOARD_URL: z.url(),
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const crmB = wireCrmB(config, db);

const channelDeps = {
  ...crmB,
  channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
  watch: crmBWatch(crmB.api),
  accessTo: crmB.accessAt(clock),
  publicUrl: config.PUBLIC_URL,
  now: clock,
  warn: (message: string, facts: { connection_id: string; reason: string }) => logger.warn(message, facts),
};

const deps = {
  ...crmB,
  hosts: { accountsUrl: config.ZOHO_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL },
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  newToken,
  states: oauthStateStore(db, config.OAUTH_STATES_TABLE),
  readIdentity: crmBIdentityReader(crmBIdentity(crmB.api)),
  armChannel: (connectionId: string) => armChannel(channelDeps, connectionId),
  stopFormerChannel: (connection: Connection, former: FormerGrant) =>
    stopFormerChannel(channelDeps, connection, former),
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
  now: clock,
  sleep,
};

export const handler = oauthRoute((callback) => completeConsent(deps, 'crm-b', callback), config.DASHBOARD_URL);
