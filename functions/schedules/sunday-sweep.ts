import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { leadsWithDisposition } from '../../shared/integrations/crm-b/coql.ts';
import { sundaySweep } from '../../shared/operations/leads/sunday-sweep.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
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
});
const db = documentClient();
const { api, connections, accessAt } = wireCrmB(config, db);
// Tokens expire by the real clock, even if the run uses another instant.
const accessTo = accessAt(clock);
const queue = leadQueue(new SQSClient(bounded()), config.LEAD_EVENTS_QUEUE_URL);

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  sundaySweep({
    connections,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    accessTo,
    leadsWithDisposition: (access, wanted) => leadsWithDisposition(api, access, wanted),
    leadQueue: queue,
    timeLeftMs,
    random: Math.random,
    now,
    info: (message, facts) => logger.info(message, facts),
    warn: (message, facts) => logger.warn(message, facts),
  }),
);
