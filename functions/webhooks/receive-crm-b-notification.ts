import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { openNotification } from '../../shared/integrations/crm-b/notification.ts';
import { receiveCrmBNotification } from '../../shared/operations/leads/receive-crm-b-notification.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { deliveryAnswer } from '../../shared/runtime/delivery-answer.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { webhookRoute } from '../../shared/runtime/webhook-route.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';

const config = readConfig({ CONNECTIONS_TABLE: z.string(), LEAD_EVENTS_QUEUE_URL: z.string() });

const db = documentClient();

const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
  leadQueue: leadQueue(new SQSClient(bounded()), config.LEAD_EVENTS_QUEUE_URL),
  now: clock,
  count,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};

export const handler = webhookRoute(async ({ path, text }) => {
  const receipt = await receiveCrmBNotification(deps, {
    connectionId: path.connectionId ?? '',
    open: () => openNotification(text),
  });
  return deliveryAnswer(receipt);
});
