import * as z from 'zod/mini';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { renewWatchChannels } from '../../shared/operations/connections/renew-watch-channels.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import { wireCrmB } from '../../shared/wiring/crm-b.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const { api, connections, accessAt } = wireCrmB(config, db);
// Tokens expire by the real clock, even if the run uses another instant.
const accessTo = accessAt(clock);

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  renewWatchChannels({
    connections,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    watch: crmBWatch(api),
    accessTo,
    publicUrl: config.PUBLIC_URL,
    now,
    timeLeftMs,
    random: Math.random,
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
