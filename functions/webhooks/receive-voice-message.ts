import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { CALL_SIGNATURE_HEADER } from '../../shared/domain/calls/platform/call-signature.ts';
import { openVapiMessage } from '../../shared/integrations/voice/vapi/messages.ts';
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
  keys: keyReader(new SecretsManagerClient(bounded()), config.VOICE_WEBHOOK_KEY_ID),
  files: callFiles(new S3Client(objectStore()), config.CALL_FILES_BUCKET),
  voiceEvents: queueSender<VoiceEvent>(new SQSClient(bounded()), config.VOICE_EVENTS_QUEUE_URL),
  count,
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
};

export const handler = webhookRoute(async ({ text, headers }) => {
  const receipt = await receiveVoiceMessage(deps, openVapiMessage(text, clock), headers[CALL_SIGNATURE_HEADER]);
  switch (receipt) {
    case 'unauthorized':
      return { status: 401, body: { error: receipt } };
    case 'invalid body':
      return { status: 400, body: { error: receipt } };
    default:
      return { status: 200, body: { received: true } };
  }
});
