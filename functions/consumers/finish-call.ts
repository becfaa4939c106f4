import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { bedrockAnalyst } from '../../shared/integrations/model/bedrock.ts';
import { type CallWork, callWork } from '../../shared/messages/call-work.ts';
import { finishCall } from '../../shared/operations/after-call/finish-call.ts';
import { bounded, languageModel, objectStore } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { usageStore } from '../../shared/stores/calls/usage.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { queueSender, visibilityChanger } from '../../shared/stores/queue.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { wireVoice } from '../../shared/wiring/voice.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  RECORDINGS_BUCKET: z.string(),
  TRANSCRIPTS_BUCKET: z.string(),
  FINISH_QUEUE_URL: z.string(),
  VOICE_API_URL: z.url(),
  VOICE_SECRET_ID: z.string(),
  VOICE_TIMEOUT_MS: integer,
  MODEL_ID: z.string(),
  MODEL_TIMEOUT_MS: integer,
});

const db = documentClient();
const sqs = new SQSClient(bounded());

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  usage: usageStore(db, config.USAGE_TABLE),
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  doNotCall: wireDoNotCall(config, db, bounded()),
  files: {
    putRecording: callFiles(new S3Client(objectStore()), config.RECORDINGS_BUCKET).putRecording,
    getTranscript: callFiles(new S3Client(bounded()), config.TRANSCRIPTS_BUCKET).getTranscript,
  },
  voice: wireVoice(config)(clock).voice,
  analyst: bedrockAnalyst({
    client: new BedrockRuntimeClient(languageModel),
    modelId: config.MODEL_ID,
    timeoutMs: config.MODEL_TIMEOUT_MS,
  }),
  transact: transactions(db),
  finishQueue: queueSender<CallWork>(sqs, config.FINISH_QUEUE_URL),
  now: clock,
  count,
};

export const handler = queueWorker(callWork, ({ call_id }) => finishCall(deps, call_id), {
  hide: visibilityChanger(sqs, config.FINISH_QUEUE_URL),
});
