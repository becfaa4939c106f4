import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { type CallbackRequest, sendCallback } from '../../shared/integrations/callbacks/send-callback.ts';
import { type CallbackWork, callbackWork } from '../../shared/messages/callback-work.ts';
import { notifyCallback } from '../../shared/operations/after-call/notify-callback.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { flag, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callbackStore } from '../../shared/stores/after-call/callbacks.ts';
import { callbackReceivers } from '../../shared/stores/after-call/receivers.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { oneTimeSchedules } from '../../shared/stores/one-time-schedules.ts';
import { callbackSecrets } from '../../shared/stores/organizations/callback-secrets.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  CALLBACKS_TABLE: z.string(),
  RECEIVERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CALLBACKS_QUEUE_URL: z.string(),
  CALLBACKS_QUEUE_ARN: z.string(),
  CALLBACK_SCHEDULES_GROUP: z.string(),
  CALLBACK_SCHEDULES_ROLE_ARN: z.string(),
  CALLBACK_SECRETS_KEY_ID: z.string(),
  ALLOW_LOOPBACK_CALLBACKS: flag,
});
const db = documentClient();

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  callbacks: callbackStore(db, config.CALLBACKS_TABLE),
  callbackReceivers: callbackReceivers(db, config.RECEIVERS_TABLE),
  secretsOf: callbackSecrets(
    new KMSClient(bounded()),
    config.CALLBACK_SECRETS_KEY_ID,
    organizationStore(db, config.ORGANIZATIONS_TABLE),
  ),
  send: (callback: CallbackRequest) => sendCallback(callback, { allowLoopback: config.ALLOW_LOOPBACK_CALLBACKS }),
  callbackQueue: queueSender<CallbackWork>(new SQSClient(bounded()), config.CALLBACKS_QUEUE_URL),
  sendAt: oneTimeSchedules<CallbackWork>(new SchedulerClient(bounded()), {
    group: config.CALLBACK_SCHEDULES_GROUP,
    queueArn: config.CALLBACKS_QUEUE_ARN,
    roleArn: config.CALLBACK_SCHEDULES_ROLE_ARN,
  }),
  now: clock,
  random: Math.random,
};

export const handler = queueWorker(callbackWork, (work) => notifyCallback(deps, work));
