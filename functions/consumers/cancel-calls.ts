import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { DialWork } from '../../shared/messages/call-work.ts';
import { switchOff } from '../../shared/messages/switch-off.ts';
import { cancelCallsOfConnection } from '../../shared/operations/leads/cancel-calls-of-connection.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { slotStore } from '../../shared/stores/calls/slots/slots.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { switchOffQueue } from '../../shared/stores/leads/switch-off-queue.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { callStores } from '../../shared/wiring/stores.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  SWITCH_OFFS_QUEUE_URL: z.string(),
  DIAL_QUEUE_URL: z.string(),
});
const db = documentClient();
const sqs = new SQSClient(bounded());

const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  slots: slotStore(db, config.SLOTS_TABLE),
  switchOffs: switchOffQueue(sqs, config.SWITCH_OFFS_QUEUE_URL),
  dialQueue: queueSender<DialWork>(sqs, config.DIAL_QUEUE_URL),
  ...callStores(config, db),
  now: clock,
  count,
  info: (message: string, facts: Record<string, string>) => logger.info(message, facts),
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};

export const handler = queueWorker(switchOff, (message) => cancelCallsOfConnection(deps, message));
