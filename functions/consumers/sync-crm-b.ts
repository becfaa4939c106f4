import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { crmBCallLogs } from '../../shared/integrations/crm-b/call-log.ts';
import { crmBNotes } from '../../shared/integrations/crm-b/note.ts';
import { type CallWork, callWork } from '../../shared/messages/call-work.ts';
import { syncCrmB } from '../../shared/operations/after-call/sync-crm-b.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { connectionReceivers } from '../../shared/stores/after-call/receivers.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { keyReader } from '../../shared/stores/secrets.ts';
import { wireCrmB } from '../../shared/wiring/crm-b.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  RECEIVERS_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  CRM_B_SYNC_QUEUE_URL: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  RECORDING_LINK_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const { api, connections, accessAt } = wireCrmB(config, db);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  connections,
  receivers: connectionReceivers(db, config.RECEIVERS_TABLE),
  files: callFiles(new S3Client(bounded()), config.CALL_FILES_BUCKET),
  accessTo: accessAt(clock),
  callLogs: crmBCallLogs(api),
  notes: crmBNotes(api),
  linkKeys: keyReader(new SecretsManagerClient(bounded()), config.RECORDING_LINK_KEY_ID),
  publicUrl: config.PUBLIC_URL,
  syncQueue: queueSender<CallWork>(new SQSClient(bounded()), config.CRM_B_SYNC_QUEUE_URL),
  now: clock,
  stopwatch: () => performance.now(),
  random: Math.random,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};

export const handler = queueWorker(callWork, ({ call_id }) => syncCrmB(deps, call_id));
