import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { CALL_SIGNATURE_HEADER } from '../../shared/domain/calls/platform/call-signature.ts';
import { readVapiMessage } from '../../shared/integrations/voice/vapi/messages.ts';
import type { VoiceEvent } from '../../shared/messages/voice-event.ts';
import { receiveVoiceMessage } from '../../shared/operations/calls/receive-voice-message.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { webhookRoute } from '../../shared/runtime/webhook-route.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { keyReader } from '../../shared/stores/secrets.ts';

const config = readConfig({
  VOICE_EVENTS_QUEUE_URL: z.string(),
  CALL_FILES_BUCKET: z.string(),
  VOICE_WEBHOOK_KEY_ID: z.string(),
});

const deps = {
  read: (body: unknown) => readVapiMessage(body, clock()),
  keys: keyReader(new SecretsManagerClient(bounded()), config.VOICE_WEBHOOK_KEY_ID),
  files: callFiles(new S3Client(objectStore()), config.CALL_FILES_BUCKET),
  voiceEvents: queueSender<VoiceEvent>(new SQSClient(bounded()), config.VOICE_EVENTS_QUEUE_URL),
  count,
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
};

export const handler = webhookRoute(async ({ json, headers }) => {
  if (json === undefined) return { status: 400, body: { error: 'invalid body' } };
  const receipt = await receiveVoiceMessage(deps, json, headers[CALL_SIGNATURE_HEADER]);
  return receipt === 'unauthorized'
    ? { status: 401, body: { error: 'unauthorized' } }
    : { status: 200, body: { received: true } };
});
