import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { CALL_SIGNATURE_HEADER, signCall } from '../../shared/domain/calls/platform/call-signature.ts';
import { newToken } from '../../shared/domain/ids.ts';
import { toUnits } from '../../shared/domain/organizations/credit.ts';
import { type DialWork, dialWork, type SlotsWork } from '../../shared/messages/call-work.ts';
import { dialCall } from '../../shared/operations/calls/dial-call.ts';
import { bounded, objectStore } from '../../shared/runtime/aws.ts';
import { clock, sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { stoppedLeadStore } from '../../shared/stores/leads/stopped-leads.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { knowledgeStore } from '../../shared/stores/organizations/knowledge.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { keyReader } from '../../shared/stores/secrets.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { wireRecheckLead } from '../../shared/wiring/recheck-lead.ts';
import { callStores, slotStores } from '../../shared/wiring/stores.ts';
import { wireVoice } from '../../shared/wiring/voice.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  CALL_FILES_BUCKET: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.string(),
  DIAL_QUEUE_URL: z.string(),
  SLOTS_QUEUE_URL: z.string(),
  VOICE_API_URL: z.url(),
  VOICE_SECRET_ID: z.string(),
  VOICE_WEBHOOK_KEY_ID: z.string(),
  VOICE_TIMEOUT_MS: integer,
  VOICE_SLOTS: integer,
  DAILY_SPEND: z.optional(integer),
  VOICE_DIALS_PER_SECOND: integer,
  VOICE_NUMBER_DIALS_PER_SECOND: integer,
  PUBLIC_URL: z.url(),
  CONNECTIONS_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
});
const db = documentClient();
const sqs = new SQSClient(bounded());
const doNotCall = wireDoNotCall(config, db, bounded());
const webhookKeys = keyReader(new SecretsManagerClient(bounded()), config.VOICE_WEBHOOK_KEY_ID);
const deps = {
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  knowledge: knowledgeStore(new S3Client(objectStore()), config.CALL_FILES_BUCKET),
  ...slotStores(db, config.SLOTS_TABLE),
  doNotCall,
  stoppedLeads: stoppedLeadStore(db, config.CLAIMS_TABLE, doNotCall.hashOf),
  voice: wireVoice(config)(clock).voice,
  reportsOf: async (callId: string) => ({
    url: new URL('/api/webhooks/voice/vapi', config.PUBLIC_URL).href,
    headers: { [CALL_SIGNATURE_HEADER]: signCall((await webhookKeys())[0], callId) },
  }),
  leadQueue: leadQueue(sqs, config.LEAD_EVENTS_QUEUE_URL),
  dialQueue: queueSender<DialWork>(sqs, config.DIAL_QUEUE_URL),
  slotsQueue: queueSender<SlotsWork>(sqs, config.SLOTS_QUEUE_URL),
  ...callStores(config, db),
  stageSlots: config.VOICE_SLOTS,
  stageSpend: config.DAILY_SPEND === undefined ? undefined : toUnits(config.DAILY_SPEND),
  dialRates: { stage: config.VOICE_DIALS_PER_SECOND, number: config.VOICE_NUMBER_DIALS_PER_SECOND },
  sleep,
  now: clock,
  random: Math.random,
  newToken,
  count,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};
const checks = wireRecheckLead(config, db, deps);
export const handler = queueWorker(dialWork, (work) => dialCall({ ...deps, ...checks }, work));
