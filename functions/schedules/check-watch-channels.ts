import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { leadsChangedBetween, leadsWithDisposition } from '../../shared/integrations/crm-b/coql.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { checkWatchChannels } from '../../shared/operations/connections/check-watch-channels.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { connectionBreakers } from '../../shared/stores/connections/connection-breakers.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { wireCrmB } from '../../shared/wiring/crm-b.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.string(),
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
  checkWatchChannels({
    connections,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    breakers: connectionBreakers(db, config.CONNECTIONS_TABLE),
    watch: crmBWatch(api),
    leadsChanged: (access, span, most) => leadsChangedBetween(api, access, span, most),
    leadsWithDisposition: (access, wanted) => leadsWithDisposition(api, access, wanted),
    leadQueue: leadQueue(new SQSClient(bounded()), config.LEAD_EVENTS_QUEUE_URL),
    accessTo,
    publicUrl: config.PUBLIC_URL,
    now,
    timeLeftMs,
    random: Math.random,
    count,
    info: (message, facts) => logger.info(message, facts),
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
