import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { type CallWork, type SlotsWork, slotsWork } from '../../shared/messages/call-work.ts';
import { handOverSlots } from '../../shared/operations/calls/hand-over-slots.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { batchWorker } from '../../shared/runtime/queue-worker.ts';
import { callCounts } from '../../shared/stores/calls/call-counts.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { slotStores } from '../../shared/wiring/stores.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  DIAL_QUEUE_URL: z.string(),
  SLOTS_QUEUE_URL: z.string(),
  VOICE_SLOTS: integer,
});
const db = documentClient();
const sqs = new SQSClient(bounded());

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  callCounts: callCounts(db, config.CALLS_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ...slotStores(db, config.SLOTS_TABLE),
  dialQueue: queueSender<CallWork>(sqs, config.DIAL_QUEUE_URL),
  slotsQueue: queueSender<SlotsWork>(sqs, config.SLOTS_QUEUE_URL),
  stageSlots: config.VOICE_SLOTS,
  transact: transactions(db),
  info: (message: string, facts: object) => logger.info(message, { ...facts }),
  now: clock,
};

export const handler = batchWorker(slotsWork, async (messages) => `reserved ${await handOverSlots(deps, messages)}`);
