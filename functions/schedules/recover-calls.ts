import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { CallWork, DialWork, SlotsWork } from '../../shared/messages/call-work.ts';
import type { CallbackWork } from '../../shared/messages/callback-work.ts';
import { recoverCallbacks } from '../../shared/operations/after-call/recover-callbacks.ts';
import { recoverCalls } from '../../shared/operations/calls/recover-calls.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count, takeMeasure } from '../../shared/runtime/metrics.ts';
import { scheduledTask } from '../../shared/runtime/scheduled-task.ts';
import { callbackStore } from '../../shared/stores/after-call/callbacks.ts';
import { callCounts } from '../../shared/stores/calls/call-counts.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { callStores, slotStores } from '../../shared/wiring/stores.ts';
import { wireVoice } from '../../shared/wiring/voice.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  CALLBACKS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  CALL_FILES_BUCKET: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.string(),
  DIAL_QUEUE_URL: z.string(),
  SLOTS_QUEUE_URL: z.string(),
  FINISH_QUEUE_URL: z.string(),
  CALLBACKS_QUEUE_URL: z.string(),
  CRM_B_SYNC_QUEUE_URL: z.string(),
  TICKETS_QUEUE_URL: z.string(),
  VOICE_API_URL: z.url(),
  VOICE_SECRET_ID: z.string(),
  VOICE_SLOTS: integer,
  VOICE_TIMEOUT_MS: integer,
});
const db = documentClient();
const sqs = new SQSClient(bounded());
const stores = callStores(config, db);
const callbacks = callbackStore(db, config.CALLBACKS_TABLE);
const callbackQueue = queueSender<CallbackWork>(sqs, config.CALLBACKS_QUEUE_URL);
const voiceAt = wireVoice(config);
const doNotCall = wireDoNotCall(config, db, bounded());

export const handler = scheduledTask(({ now, timeLeftMs }) =>
  recoverCalls({
    ...stores,
    callCounts: callCounts(db, config.CALLS_TABLE),
    doNotCall,
    ...slotStores(db, config.SLOTS_TABLE),
    files: callFiles(new S3Client(objectStore()), config.CALL_FILES_BUCKET),
    ...voiceAt(now),
    leadQueue: leadQueue(sqs, config.LEAD_EVENTS_QUEUE_URL),
    dialQueue: queueSender<DialWork>(sqs, config.DIAL_QUEUE_URL),
    slotsQueue: queueSender<SlotsWork>(sqs, config.SLOTS_QUEUE_URL),
    finishQueue: queueSender<CallWork>(sqs, config.FINISH_QUEUE_URL),
    syncQueue: queueSender<CallWork>(sqs, config.CRM_B_SYNC_QUEUE_URL),
    ticketsQueue: queueSender<CallWork>(sqs, config.TICKETS_QUEUE_URL),
    renotify: (call) => recoverCallbacks({ calls: stores.calls, callbacks, callbackQueue, now }, call),
    stageSlots: config.VOICE_SLOTS,
    now,
    random: Math.random,
    sleep,
    count,
    measure: takeMeasure,
    timeLeftMs,
    info: (message: string, facts: object) => logger.info(message, { ...facts }),
    warn: (message, facts) => logger.warn(message, { ...facts }),
  }),
);
