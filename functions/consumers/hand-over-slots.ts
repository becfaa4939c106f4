import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { type CallWork, slotFreed } from '../../shared/messages/call-work.ts';
import { handOverSlots } from '../../shared/operations/calls/hand-over-slots.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { platformGateStore } from '../../shared/stores/calls/platform-gate.ts';
import { slotStore } from '../../shared/stores/calls/slots.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  DIAL_QUEUE_URL: z.string(),
  VOICE_SLOTS: integer,
});
const db = documentClient();

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  slots: slotStore(db, config.SLOTS_TABLE),
  gate: platformGateStore(db, config.SLOTS_TABLE),
  dialQueue: queueSender<CallWork>(new SQSClient(bounded()), config.DIAL_QUEUE_URL),
  stageSlots: config.VOICE_SLOTS,
  now: clock,
};

export const handler = queueWorker(slotFreed, async () => `sent ${await handOverSlots(deps)}`);
