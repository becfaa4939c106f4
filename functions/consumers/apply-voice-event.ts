import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { DialWork, SlotsWork } from '../../shared/messages/call-work.ts';
import { voiceEvent } from '../../shared/messages/voice-event.ts';
import { applyVoiceEvent } from '../../shared/operations/calls/apply-voice-event.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { usageStore } from '../../shared/stores/calls/usage.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { creditLedger } from '../../shared/stores/organizations/credit-ledger.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { slotStores } from '../../shared/wiring/stores.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  REPORTED_TRANSCRIPTS_BUCKET: z.string(),
  DIAL_QUEUE_URL: z.string(),
  SLOTS_QUEUE_URL: z.string(),
});
const db = documentClient();
const sqs = new SQSClient(bounded());
const s3 = new S3Client(objectStore());
const reported = callFiles(s3, config.REPORTED_TRANSCRIPTS_BUCKET);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  usage: usageStore(db, config.USAGE_TABLE),
  ...slotStores(db, config.SLOTS_TABLE),
  files: {
    ...callFiles(s3, config.CALL_FILES_BUCKET),
    tagReported: reported.tagReported,
    removeReported: reported.removeReported,
  },
  dialQueue: queueSender<DialWork>(sqs, config.DIAL_QUEUE_URL),
  slotsQueue: queueSender<SlotsWork>(sqs, config.SLOTS_QUEUE_URL),
  transact: transactions(db),
  now: clock,
  random: Math.random,
  count,
};

export const handler = queueWorker(voiceEvent, (event) => applyVoiceEvent(deps, event));
