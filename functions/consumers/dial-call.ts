import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { CALL_SIGNATURE_HEADER, signCall } from '../../shared/domain/calls/call-signature.ts';
import { vapi, vapiCredentials } from '../../shared/integrations/voice/vapi/vapi.ts';
import { type CallWork, callWork, type SlotsWork } from '../../shared/messages/call-work.ts';
import { dialCall } from '../../shared/operations/calls/dial-call.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { claimStore } from '../../shared/stores/calls/claims.ts';
import { slotStore } from '../../shared/stores/calls/slots.ts';
import { activityStore } from '../../shared/stores/connections/activity.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { creditLedger } from '../../shared/stores/organizations/credit-ledger.ts';
import { doNotCallStore } from '../../shared/stores/organizations/do-not-call.ts';
import { knowledgeStore } from '../../shared/stores/organizations/knowledge.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { keyReader, secretReader } from '../../shared/stores/secrets.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  DIAL_QUEUE_URL: z.string(),
  SLOTS_QUEUE_URL: z.string(),
  VOICE_API_URL: z.url(),
  VOICE_SECRET_ID: z.string(),
  VOICE_WEBHOOK_KEY_ID: z.string(),
  VOICE_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const sqs = new SQSClient(bounded());
const secrets = new SecretsManagerClient(bounded());
const webhookKeys = keyReader(secrets, config.VOICE_WEBHOOK_KEY_ID);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  knowledge: knowledgeStore(new S3Client(objectStore()), config.CALL_FILES_BUCKET),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  slots: slotStore(db, config.SLOTS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  doNotCall: doNotCallStore(db, config.DO_NOT_CALL_TABLE),
  voice: vapi({
    url: config.VOICE_API_URL,
    credentials: secretReader(secrets, config.VOICE_SECRET_ID, vapiCredentials),
    now: clock,
    timeoutMs: config.VOICE_TIMEOUT_MS,
  }),
  reportsOf: async (callId: string) => ({
    url: new URL('/api/webhooks/voice/vapi', config.PUBLIC_URL).href,
    headers: { [CALL_SIGNATURE_HEADER]: signCall((await webhookKeys())[0], callId) },
  }),
  dialQueue: queueSender<CallWork>(sqs, config.DIAL_QUEUE_URL),
  slotsQueue: queueSender<SlotsWork>(sqs, config.SLOTS_QUEUE_URL),
  transact: transactions(db),
  now: clock,
  random: Math.random,
  count,
};

export const handler = queueWorker(callWork, ({ call_id }) => dialCall(deps, call_id));
