import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { readDeliveryBody } from '../../shared/integrations/crm-a/delivery-body.ts';
import { readLeadPayloads } from '../../shared/integrations/crm-a/lead-payload.ts';
import { isTooLarge } from '../../shared/integrations/delivery-size.ts';
import { receiveCrmALead } from '../../shared/operations/leads/receive-crm-a-lead.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { deliveryAnswer } from '../../shared/runtime/delivery-answer.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { webhookRoute } from '../../shared/runtime/webhook-route.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';

const config = readConfig({ CONNECTIONS_TABLE: z.string(), LEAD_EVENTS_QUEUE_URL: z.string() });

const deps = {
  connections: connectionStore(documentClient(), config.CONNECTIONS_TABLE),
  leadQueue: leadQueue(new SQSClient(bounded()), config.LEAD_EVENTS_QUEUE_URL),
  now: clock,
  count,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};

export const handler = webhookRoute(async (request) => {
  const { path, headers, text } = request;
  const receipt = await receiveCrmALead(deps, {
    connectionId: path.connectionId ?? '',
    token: headers['x-crma-webhook-token'],
    testToken: headers['x-svc-webhook-token'],
    read: () =>
      isTooLarge(text) ? 'too large' : readLeadPayloads(readDeliveryBody(text, request.json, headers['content-type'])),
  });
  return deliveryAnswer(receipt);
});
